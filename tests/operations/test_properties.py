"""What holds for every home and every connector: whatever is put in comes out again, to the byte."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

import pytest
import tomlkit
from agent_connector.documents.base import same_value
from agent_connector.documents.opening import open_document
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from .whole_homes import FORMATS, HOST_FOLDERS, IDS, a_home, connectors, homes, without_runtime


def within(examples: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    without_shrinking = (Phase.explicit, Phase.generate)  # shrinking a whole home takes minutes and gains little
    return settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=slow, phases=without_shrinking
    )


@pytest.fixture(scope="module", autouse=True)
def _quick():
    with without_runtime():
        yield


def refused(report: Any) -> set[str]:
    """Hosts that were left out whole."""
    return {change.host for change in report.changes if change.surface == "host" and change.action == "warn"}


def of_host(host: str, files: dict[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in files.items() if name.split("/")[0] in HOST_FOLDERS[host]}


def told(report: Any) -> str:
    return "\n".join(f"{c.host} {c.surface} {c.action}: {c.detail} | {c.fix}" for c in report.changes)


@given(files=homes(), definition=connectors())
@within(100)
def test_what_is_installed_can_be_taken_out_without_a_trace(files, definition):
    with a_home(files) as desk:
        before = desk.everything()
        dry = desk.install(definition, dry_run=True)
        assert desk.everything() == before, "a dry run writes nothing"
        installed = desk.install(definition)
        note(told(installed))
        assert installed.plan_id == dry.plan_id
        assert installed.diffs == dry.diffs
        for host in refused(installed):
            assert of_host(host, desk.everything()[0]) == of_host(host, before[0])
        once = desk.everything()
        again = desk.install(definition)
        note(told(again))
        assert desk.everything() == once
        assert again.outcome == "unchanged" or installed.outcome in ("partial", "failed")
        assert not again.diffs
        removed = desk.uninstall("acme-db")
        note(told(removed))
        assert desk.everything() == before
        assert desk.remembered() == ()


@given(files=homes(), data=st.data())
@within(40)
def test_connectors_leave_in_any_order(files, data):
    ids = data.draw(st.permutations(IDS))[: data.draw(st.integers(2, 3))]
    with a_home(files) as desk:
        before = desk.everything()
        for connector in ids:
            note(told(desk.install(data.draw(connectors(connector), label=connector))))
        for connector in data.draw(st.permutations(ids), label="removed"):
            note(told(desk.uninstall(connector)))
        assert desk.everything() == before
        assert desk.remembered() == ()


# --- what others do in between ---------------------------------------------------------------------------------

TOKENS = {
    "json": ((b'"u1"', b'"renamed"'), (b'"s1"', b'"s 1 \\u00e9"'), (b"9007199254740993", b"9007199254740995")),
    "jsonc": (
        (b'"u1"', b'"renamed"'),
        (b"line, with", b"a line with"),
        (b"/* two\n", b"/* two and\n"),
        (b"/**/", b""),
    ),
    "toml": ((b"# c", b"# changed"), (b"1_000", b"2_000"), (b"1979-05-27", b"1980-05-27"), (b'"x"', b'"y # z"')),
    "text": ((b"Be brief.", b"Be\r\nvery brief."), (b"# Mine", b"# Mine\n\nmore"), (b"---", b"")),
}
"""Words of the user's that nothing of ours contains, and what a person makes of them."""


def change_words(name: str, data: bytes) -> bytes:
    for old, new in TOKENS[FORMATS[name]]:
        data = data.replace(old, new)
    return data


@given(files=homes(), definition=connectors())
@within(40)
def test_what_others_edit_beside_ours_is_all_that_is_different_afterwards(files, definition):
    with a_home(files) as plain, a_home(files) as desk:
        for name, (data, _mode) in files.items():
            (plain.home / name).write_bytes(change_words(name, data))
        note(told(desk.install(definition)))
        for name in files:
            path = desk.home / name
            path.write_bytes(change_words(name, path.read_bytes()))
        note(told(desk.uninstall("acme-db")))
        assert desk.everything() == plain.everything()
        assert desk.remembered() == ()


def meaning(name: str, data: bytes) -> Any:
    """As the host reads it; a file without content is an empty object."""
    text = data.decode("utf-8-sig")
    if FORMATS[name] == "toml":
        return comparable(tomllib.loads(text))
    return open_document("jsonc", data).value() if text.strip() else {}


def comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return str(value) if isinstance(value, date | datetime | time) else value


def written_anew(name: str, data: bytes, change: Callable[[Any], Any]) -> bytes:
    """The file as a host writes it that keeps its meaning and nothing else, with a change of its own in it."""
    if FORMATS[name] == "toml":
        return tomlkit.dumps(change(tomllib.loads(data.decode("utf-8-sig")))).encode()
    value = open_document("jsonc", data).value() if data.removeprefix(b"\xef\xbb\xbf").strip() else {}
    return json.dumps(change(value), indent=2).encode()


def same(value: Any) -> Any:
    return value


writable_homes = homes().map(
    lambda files: {name: (data.replace(b"1E400", b"1E40"), mode) for name, (data, mode) in files.items()}
)
"""Homes without numbers that no program can write down again."""


STRUCTURED = tuple(name for name in FORMATS if FORMATS[name] != "text")


@given(files=writable_homes, definition=connectors())
@within(40)
def test_a_host_that_writes_its_files_anew_in_between_loses_nothing_and_keeps_nothing_of_ours(files, definition):
    with a_home(files) as desk:
        before = {name: meaning(name, data) for name, (data, _) in files.items() if name in STRUCTURED}
        note(told(desk.install(definition)))
        for name in STRUCTURED:
            if (data := desk.read(name)) is not None:
                (desk.home / name).write_bytes(written_anew(name, data, same))
        assert not desk.install(definition).diffs, "by meaning nothing has changed"
        note(told(desk.uninstall("acme-db")))
        after = {name: data for name in STRUCTURED if (data := desk.read(name)) is not None}
        for name, data in after.items():
            assert same_value(meaning(name, data), before.get(name, {})), name
        assert before.keys() == after.keys()
        assert desk.remembered() == ()


FOREIGN = {"command": "foreign", "args": ["✓"]}
PLACES = {
    ".claude.json": ("mcpServers", "foreign"),
    ".claude/settings.json": ("hooks", "PreToolUse"),
    ".codex/config.toml": ("mcp_servers", "foreign"),
    ".codex/hooks.json": ("hooks", "PreToolUse"),
    ".cursor/mcp.json": ("mcpServers", "foreign"),
    ".cursor/hooks.json": ("hooks", "preToolUse"),
}
"""Right beside ours: an entry of another server, a hook of another for the same event."""


def with_foreign(name: str, value: Any, *, first: bool) -> Any:
    """What another program adds: inside the containers that we may have made."""
    outer, inner = PLACES[name]
    container = value.setdefault(outer, {}) if isinstance(value, dict) else None
    if not isinstance(container, dict):
        return value
    if outer == "hooks":
        items = container.setdefault(inner, [])
        if isinstance(items, list):
            items.insert(0 if first else len(items), FOREIGN)
    else:
        container[inner] = FOREIGN
    return value


@given(files=writable_homes, definition=connectors(), first=st.booleans())
@within(40)
def test_what_others_add_inside_our_containers_stays_and_ours_goes(files, definition, first):
    def add(name: str, data: bytes) -> bytes:
        return written_anew(name, data, lambda value: with_foreign(name, value, first=first))

    with a_home(files) as desk:
        note(told(desk.install(definition)))
        made = {name: data for name in PLACES if (data := desk.read(name)) is not None}
        for name, data in made.items():
            (desk.home / name).write_bytes(add(name, data))
        note(told(desk.uninstall("acme-db")))
        for name in made:
            expected = meaning(name, add(name, files[name][0] if name in files else b""))
            now = meaning(name, (desk.home / name).read_bytes())
            now.pop("version", None)  # Cursor demands it in a file that is there: it stays with what is in it
            assert same_value(now, expected), name
        assert desk.remembered() == ()
