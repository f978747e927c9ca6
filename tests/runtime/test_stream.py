"""``hook <host> --stream``: one process for all events of a host, each answered as a process of its own would."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from agent_connector.operations.requests import ConnectorSource, UninstallRequest
from agent_connector.operations.uninstall import uninstall
from streams import DEFINITION, Stream, call, result

pytestmark = pytest.mark.xdist_group("runtime")


@pytest.fixture
def hooks(install_hooks):
    return install_hooks(DEFINITION, targets=("opencode",))


@pytest.fixture
def stream(hooks):
    with Stream(hooks.root) as running:
        yield running


def test_each_kind_of_handler_answers_under_the_id_it_was_asked_by(stream):
    assert stream.reason("acme_drop", table="orders") == "never orders"
    assert stream.reason("acme_write") == "no writes"
    assert stream.reason("acme_shell") == "shell"
    assert stream.reason("acme_read") is None
    assert stream.said("PostToolUse", result("acme_read", "abc")) == {"output": "3 letters"}


def test_ids_may_be_anything_and_come_back_as_they_are(stream):
    for number in ("seven", 2.5, None):
        stream.write(json.dumps({"id": number, "event": "PreToolUse", "payload": call("acme_write")}).encode())
        assert stream.answer(number)["reason"] == "no writes"


def test_a_handler_that_never_returns_costs_nobody_else_anything(stream, hooks):
    slow = [stream.ask("PreToolUse", call("acme_slow")) for _ in range(3)]
    started = time.monotonic()
    assert stream.reason("acme_drop", table="a") == "never a"
    assert stream.reason("acme_write") == "no writes"
    assert not set(slow) & stream.answers.keys()
    assert [stream.answer(number) for number in slow] == [None] * 3
    assert 1.0 < time.monotonic() - started < 10
    stream.end()
    assert hooks.faults == ["timeout"] * 3


def test_more_events_at_once_than_there_are_copies_are_all_answered(stream):
    numbers = {stream.ask("PreToolUse", call("acme_drop", table=str(number))): number for number in range(100)}
    for number, table in numbers.items():
        assert stream.answer(number)["reason"] == f"never {table}"


def test_a_handler_that_ends_its_process_takes_nothing_along(stream, hooks):
    assert stream.reason("acme_die") == "no writes"
    assert stream.reason("acme_drop", table="b") == "never b"
    stream.end()
    assert hooks.faults == ["exit"]


def test_what_handlers_print_is_in_their_log_and_nowhere_else(stream, hooks):
    stream.reason("acme_drop")
    assert stream.end() == 0
    assert all(json.loads(line).keys() == {"id", "reply"} for line in stream.lines)
    assert "looked at acme_acme_drop" in hooks.printed
    assert stream.process.stderr.read() == b""


@pytest.mark.parametrize(
    "line",
    [b"nonsense", b'{"id": 9}', b'{"id": 9, "event": 5}', b"[]", b'"x"', b'{"id":9,"event":', b"\xff\xfe"],
)
def test_a_line_that_asks_nothing_is_answered_with_no_opinion_and_logged(stream, hooks, line):
    stream.write(line)
    assert stream.answer(None) is None
    assert stream.reason("acme_write") == "no writes"
    stream.end()
    assert hooks.faults == ["bad-payload"]


def test_a_payload_that_cannot_be_read_is_left_to_the_module_and_logged(stream, hooks):
    deep = "[" * 600 + "]" * 600
    for payload in (f'{{"input":{{"tool":"acme_acme_write"}},"deep":{deep}}}', "17", "nonsense"):
        stream.write(f'{{"id":"odd","event":"PreToolUse","payload":{payload}}}'.encode())
        stream.answer("odd")
        assert stream.answers.pop("odd") == "left out"
    assert stream.reason("acme_drop", table="c") == "never c"
    stream.end()
    assert hooks.faults == ["bad-payload"] * 3


def test_an_event_nobody_has_a_hook_on_is_no_opinion(stream, hooks):
    assert stream.said("Stop", {}) is None
    assert stream.said("NoSuchEvent", {}) is None
    stream.end()
    assert hooks.faults == []


def test_a_huge_payload_is_answered_like_any_other(stream):
    slow = stream.ask("PostToolUse", result("acme_read", "x" * 20_000_000))
    assert stream.reason("acme_write") == "no writes"
    assert stream.answer(slow) == {"output": "20000000 letters"}


def test_it_ends_with_its_input_behind_the_last_answer(stream, hooks):
    numbers = [stream.ask("PreToolUse", call("acme_drop", table=str(number))) for number in range(10)]
    assert stream.end() == 0
    assert [stream.answers[number]["reason"] for number in numbers] == [f"never {number}" for number in range(10)]
    assert len([row for row in hooks.rows if row["event"] == "PreToolUse"]) == 10


def test_a_last_line_without_an_end_counts(stream):
    line = json.dumps({"id": 1, "event": "PreToolUse", "payload": call("acme_write")}).encode()
    stream.process.stdin.write(line)
    assert stream.end() == 0
    assert stream.answers[1]["reason"] == "no writes"


def test_an_interrupt_of_the_terminal_is_the_hosts_to_heed(stream):
    assert stream.reason("acme_write") == "no writes"
    os.killpg(stream.process.pid, signal.SIGINT)
    assert stream.reason("acme_drop", table="d") == "never d"


def test_told_to_end_it_takes_its_copies_along(stream, hooks):
    stream.ask("PreToolUse", call("acme_slow"))
    time.sleep(0.5)
    stream.process.terminate()
    assert stream.process.wait(10) == 0
    time.sleep(0.3)
    assert hooks.faults == []  # which a copy that went on would add to when its time is up


def test_a_handler_that_was_changed_runs_as_it_is_now(stream, hooks):
    assert stream.reason("acme_drop", table="e") == "never e"
    file = hooks.project / "agent-connector.config.py"
    file.write_text(file.read_text().replace('"never "', '"not any more "'))
    assert stream.reason("acme_drop", table="e") == "not any more e"
    stream.end()
    assert "changed" in hooks.faults


def test_a_handler_that_cannot_be_loaded_any_more_fails_open_and_loud_until_it_is_mended(stream, hooks):
    file = hooks.project / "agent-connector.config.py"
    before = file.read_text()
    file.write_text("raise RuntimeError\n" + before)
    assert stream.reason("acme_drop") is None
    assert stream.reason("acme_write") == "no writes"
    assert "unavailable" in hooks.faults
    context = stream.said("SessionStart", {"session": "s1"})["additionalContext"]
    assert "does not run (PreToolUse)" in context
    file.write_text(before)
    assert stream.reason("acme_drop", table="f") == "never f"


def test_what_is_installed_anew_counts_at_once_and_what_is_uninstalled_is_silent(install_hooks, stream, context):
    install_hooks(DEFINITION.replace("no writes", "none at all"), targets=("opencode",))
    assert stream.reason("acme_write") == "none at all"
    uninstall(UninstallRequest(ConnectorSource(id="acme")), context)
    assert stream.reason("acme_write") is None
    assert stream.reason("acme_drop") is None


def test_another_runtime_behind_the_launcher_goes_on_with_the_same_input(stream, hooks):
    assert stream.reason("acme_drop", table="g") == "never g"
    launcher = hooks.root / "bin" / "agent-connector"
    again = launcher.with_name("again")
    shutil.copy2(launcher, again)
    with again.open("a") as file:
        file.write("# another one\n")
    again.replace(launcher)
    pid = stream.process.pid
    assert stream.reason("acme_drop", table="h") == "never h"
    assert stream.reason("acme_drop", table="i") == "never i"
    assert stream.process.pid == pid
    assert stream.end() == 0


def test_one_behind_whose_launcher_nothing_is_left_ends_at_once(hooks):
    shutil.rmtree(hooks.root / "connectors")
    (hooks.root / "runtime").unlink()
    with Stream(hooks.root) as stream:
        assert stream.process.wait(10) == 127
        assert stream.lines == []


def test_a_native_hook_answers_what_it_wants(install_hooks):
    hooks = install_hooks(
        """
from agent_connector import define_connector
def env(event):
    return {"env": {"SEEN": event.raw["input"]["cwd"]}}
def text(event):
    return "plain text"
connector = define_connector(id="acme", version="1.0.0", platforms={"opencode": {"native_hooks": {
    "shell.env": [{"handler": env}], "chat.params": [{"handler": text}]}}})
""",
        targets=("opencode",),
    )
    with Stream(hooks.root) as stream:
        assert stream.said("shell.env", {"hook": "shell.env", "input": {"cwd": "/x"}}) == {"env": {"SEEN": "/x"}}
        assert stream.said("chat.params", {}) == "plain text"


def test_a_handler_runs_in_the_folder_it_was_asked_from(install_hooks, project):
    hooks = install_hooks(
        """
import os
from agent_connector import Response, define_connector, hook
@hook("PreToolUse")
def where(event):
    return Response.deny(os.getcwd())
connector = define_connector(id="acme", version="1.0.0", hooks=[where])
""",
        targets=("opencode",),
    )
    with Stream(hooks.root) as stream:
        assert stream.said("PreToolUse", call("x"), cwd=str(project))["reason"] == str(project)
        assert stream.said("PreToolUse", call("x"), cwd="/no/such/folder")["reason"] == str(Path.cwd())


def test_it_loads_next_to_nothing(install_hooks):
    hooks = install_hooks(
        """
import sys
HEAVY = ("json", "re", "typing", "pathlib", "subprocess", "asyncio", "pydantic", "enum")
BEFORE = [name for name in HEAVY if name in sys.modules]
from agent_connector import Response, define_connector, hook
@hook("PreToolUse")
def loaded(event):
    return Response.deny(" ".join(["loaded:", *BEFORE]))
connector = define_connector(id="acme", version="1.0.0", hooks=[loaded])
""",
        targets=("opencode",),
    )
    with Stream(hooks.root) as stream:
        assert stream.reason("x") == "loaded:"
