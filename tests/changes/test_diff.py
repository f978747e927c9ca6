"""What a person is shown of an edit, also where a file is one enormous line."""

from __future__ import annotations

import json
import time
from pathlib import PurePosixPath

from agent_connector.changes.diff import LONGEST, unified
from agent_connector.changes.model import FileEdit
from agent_connector.documents.opening import open_document

SECRET = "correct horse battery"
PATH = PurePosixPath("/home/zoe/.claude.json")


def shown(before: bytes) -> str:
    document = open_document("json", before).set(("mcpServers", "acme"), {"command": "run"}).document
    ((_, text, created, deleted),) = unified([FileEdit("h", PATH, before, document.data)])
    assert not created
    assert not deleted
    return text


def one_line(members: int) -> bytes:
    own = {"env": {"API_TOKEN": SECRET, "A": "b"}, "args": ["--token", SECRET]}
    history = [{"display": "x" * 900}] * members
    return json.dumps({"history": history, "mcpServers": {"own": own}, "more": history}).encode()


def test_a_file_of_one_line_is_shown_member_by_member_around_the_change():
    text = shown(one_line(50))
    assert '+"command": "run"' in text.replace("+ ", "+")
    assert '"acme": {' in text
    assert len(text) < 3 * LONGEST


def test_secrets_beside_the_change_are_masked_there_too():
    assert SECRET not in shown(one_line(50))


def test_a_string_that_is_too_long_itself_is_cut_with_its_whole_token():
    before = json.dumps({"mcpServers": {"own": {"API_TOKEN": SECRET * 500, "A": "b" * 9000}}}).encode()
    text = shown(before)
    assert SECRET not in text
    assert "…" in text
    assert "bbbb" not in text


def test_fifty_megabytes_in_one_line_take_no_minutes():
    before = one_line(27_000)
    started = time.process_time()
    json.loads(before)
    unit = time.process_time() - started
    started = time.process_time()
    shown(before)
    assert time.process_time() - started < 60 * unit


def test_a_line_that_the_line_before_makes_secret_is_masked_where_that_one_is_not_shown():
    before = b'{\n "args": [\n  "--token",\n  "%s"\n ],\n "x": 1,\n "mcpServers": {}\n}\n' % SECRET.encode()
    text = shown(before)
    assert SECRET not in text
    assert '"***"' in text
    assert text.startswith("@@ -4,5 +4,")
