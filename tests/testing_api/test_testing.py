"""``agent_connector.testing``: what an author's own tests call, in the process of those tests."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import time
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from agent_connector import Connector, Response, define_connector, hook
from agent_connector.errors import ConnectorConfigError, UsageError
from agent_connector.testing import explain, honor, simulate

HERE = sys.modules[__name__]
CALL = {"tool_name": "mcp__acme__drop", "tool_input": {"table": "t"}}


def limit() -> int:
    return 3


@hook("PreToolUse", matcher="drop$")
def guard(event: Any) -> Response | None:
    return Response.deny(f"no {event.tool_name}") if limit() > 2 else None


def connector(hooks: Any = (guard,), **more: Any) -> Any:
    return define_connector(
        id="acme", version="1.0.0", hooks=list(hooks) if isinstance(hooks, tuple) else hooks, **more
    )


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("AGENT_CONNECTOR_DATA_DIR", raising=False)
    return tmp_path


def test_a_guard_is_called_as_the_host_would_call_it() -> None:
    result = simulate(connector(), host="codex", event="PreToolUse", input=CALL)
    assert result.honored, result.reason
    assert result.host_reply == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no mcp__acme__drop",
        }
    }
    with pytest.raises(FrozenInstanceError):
        result.honored = False  # type: ignore[misc]


def test_what_the_test_replaces_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HERE, "limit", lambda: 0)
    result = simulate(connector(), host="codex", event="PreToolUse", input=CALL)
    assert (result.honored, result.verdict) == (False, "none")
    assert "no opinion" in result.reason


def test_lambdas_closures_and_callable_objects_are_called() -> None:
    seen: list[str] = []

    class Watcher:
        def __call__(self, event: Any) -> None:
            seen.append(event.host)

    hooks = {"Stop": [lambda event: seen.append(event.event), Watcher()]}
    simulate(connector(hooks), host="cursor", event="Stop")
    assert seen == ["Stop", "cursor"]


def test_a_definition_a_checked_connector_and_a_path_will_do(tmp_path: Path) -> None:
    file = tmp_path / "agent-connector.config.toml"
    file.write_text('id = "acme"\nversion = "1"\n[hooks.Stop]\ndecision = "deny"\nreason = "go on"\n')
    definition = connector({"Stop": Response.deny("go on")})
    checked = definition.resolve()
    assert isinstance(checked, Connector)
    for given in (definition, checked, file, str(file)):
        assert simulate(given, host="codex", event="Stop").honored
        assert [(row.surface, row.support) for row in explain(given, hosts=["codex"])] == [("hooks", "native")]


def test_a_host_override_is_what_is_called() -> None:
    platforms = {"codex": {"hooks": {"Stop": [lambda event: Response.deny("codex only")]}}}
    definition = connector({"Stop": lambda event: None}, platforms=platforms)
    assert simulate(definition, host="codex", event="Stop").response == {"decision": "deny", "reason": "codex only"}
    assert simulate(definition, host="cursor", event="Stop").response is None


def test_references_lead_to_what_the_test_process_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "acme_hooks.py").write_text(
        "WORD = 'first'\ndef guard(event):\n    return {'decision': 'deny', 'reason': WORD}\n"
    )
    file = tmp_path / "agent-connector.config.toml"
    file.write_text(
        'id = "acme"\nversion = "1"\n[hooks.Stop]\nhandler = "acme_hooks:guard"\n'
        '[hooks.SubagentStop]\nhandler = "./acme_hooks.py:guard"\n'
    )
    before = list(sys.path)
    try:
        assert simulate(file, host="codex", event="Stop").response["reason"] == "first"  # type: ignore[index]
        monkeypatch.setattr(sys.modules["acme_hooks"], "WORD", "second")
        for event in ("Stop", "SubagentStop"):
            assert simulate(file, host="codex", event=event).response["reason"] == "second"  # type: ignore[index]
    finally:
        sys.modules.pop("acme_hooks", None)
    assert sys.path == before


def test_a_file_that_nobody_imported_is_run(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def guard(event):\n    return {'decision': 'deny', 'reason': 'own'}\n")
    file = tmp_path / "agent-connector.config.json"
    file.write_text('{"id": "acme", "version": "1", "hooks": {"Stop": {"handler": "own.py:guard"}}}')
    assert simulate(file, host="codex", event="Stop").honored


def test_a_reference_that_leads_nowhere_is_a_fault() -> None:
    result = simulate(connector({"Stop": {"handler": "nowhere:guard"}}), host="codex", event="Stop")
    assert not result.honored
    assert "it cannot be started (ModuleNotFoundError" in result.reason


def test_native_hooks_get_the_raw_payload() -> None:
    platforms = {"codex": {"native_hooks": {"Interrupt": {"handler": lambda event: {"got": event.raw["x"]}}}}}
    result = simulate(connector({}, platforms=platforms), host="codex", event="Interrupt", input={"x": 1})
    assert (result.honored, result.verdict, result.host_reply) == (True, "verbatim", {"got": 1})


def test_programs_are_started() -> None:
    program = [sys.executable, "-c", "import sys; sys.stderr.write('why'); print('{\"decision\": \"deny\"}')"]
    result = simulate(connector({"Stop": {"command": program}}), host="codex", event="Stop")
    assert (result.honored, result.printed) == (True, "why")


@pytest.mark.parametrize("given", ["not json", b"not json", "", [1]])
def test_input_is_given_as_the_host_would_write_it(given: Any) -> None:
    result = simulate(connector(), host="cursor", event="PreToolUse", input=given)
    assert (result.honored, result.host_reply) == (False, {})
    assert result.faults[0] in ("bad-payload", "no-payload")


def test_without_input_the_hosts_sample_is_used_and_named() -> None:
    result = simulate(connector(), host="cursor", event="PreToolUse")
    assert "the matcher excludes this input" in result.reason
    assert result.notes == ("no input was given: a sample of Cursor's is used, whose tool is MCP:echo",)


def test_an_exception_is_a_fault_with_its_traceback_and_raises_nothing() -> None:
    def bad(event: Any) -> None:
        raise ValueError(f"about {event.event}")

    result = simulate(connector({"Stop": bad}), host="codex", event="Stop")
    assert not result.honored
    assert "it raised an exception (ValueError at test_testing.py" in result.reason
    assert result.printed.rstrip().endswith("ValueError: about Stop")


def test_asynchronous_handlers_are_awaited_with_a_loop_and_without() -> None:
    async def later(event: Any) -> Response:
        await asyncio.sleep(0)
        return Response.deny("later")

    definition = connector({"Stop": later})
    assert simulate(definition, host="codex", event="Stop").honored

    async def test() -> Any:
        return simulate(definition, host="codex", event="Stop")

    assert asyncio.run(test()).honored


def never(event: Any) -> None:
    while True:
        time.sleep(0.01)


SLOW = {"Stop": {"handler": never, "timeout_ms": 200}}


def test_a_handler_that_never_ends_is_stopped_in_its_time() -> None:
    started = time.monotonic()
    result = simulate(connector(SLOW), host="codex", event="Stop")
    assert time.monotonic() - started < 5
    assert result.faults == ("timeout: 0",)
    assert not result.honored


def test_it_is_stopped_in_another_thread_too() -> None:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(simulate(connector(SLOW), host="codex", event="Stop")))
    thread.start()
    thread.join(10)
    assert results[0].faults == ("timeout: 0",)


def test_each_call_has_its_whole_time() -> None:
    def quick(event: Any) -> Response:
        time.sleep(0.15)
        return Response.deny("x")

    definition = connector({"Stop": {"handler": quick, "timeout_ms": 250}})
    for _ in range(3):
        assert simulate(definition, host="codex", event="Stop").honored


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_the_process_is_left_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    def loud(event: Any) -> Response:
        print("said by the handler")
        return Response.deny("x")

    rings: list[int] = []
    before_signal = signal.signal(signal.SIGALRM, lambda number, frame: rings.append(number))
    signal.setitimer(signal.ITIMER_REAL, 30)
    virtual = signal.getsignal(signal.SIGVTALRM)
    ours = signal.getsignal(signal.SIGALRM)
    before = (sys.stdout, sys.stderr, list(sys.path), sys.executable, gc.get_freeze_count(), gc.isenabled())
    descriptors = sorted(Path("/dev/fd").iterdir())
    try:
        simulate(connector({"Stop": loud}), host="codex", event="Stop")
        simulate(connector(SLOW), host="codex", event="Stop")
        assert signal.getsignal(signal.SIGALRM) is ours
        assert signal.getsignal(signal.SIGVTALRM) is virtual
        assert 25 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
        after = (sys.stdout, sys.stderr, list(sys.path), sys.executable, gc.get_freeze_count(), gc.isenabled())
        assert after == before
        assert sorted(Path("/dev/fd").iterdir()) == descriptors
        assert rings == []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before_signal)
    assert capfd.readouterr().out == "said by the handler\n"


def test_nothing_is_written_into_the_home(own_home: Path) -> None:
    simulate(connector(), host="codex", event="PreToolUse", input=CALL)
    explain(connector())
    assert list(own_home.iterdir()) == []


def test_in_process_and_in_a_process_of_its_own_the_host_reads_the_same(tmp_path: Path) -> None:
    """The one is for tests, the other what the command line and agents use."""
    from agent_connector.mcp_server.composition import context
    from agent_connector.operations.requests import ConnectorSource, SimulateRequest
    from agent_connector.operations.simulate import simulate as apart

    file = tmp_path / "agent-connector.config.py"
    file.write_text(
        "from agent_connector import Response, define_connector\n"
        "def bad(event):\n    raise KeyError\n"
        "connector = define_connector(id='acme', version='1', hooks={\n"
        "  'PreToolUse': lambda event: Response.modify({'table': 'u'}),\n"
        "  'PostToolUse': bad, 'Stop': Response.deny('go on'),\n"
        "  'SessionStart': lambda event: Response.context('x')})\n"
    )
    for host in ("claude-code", "codex", "cursor"):
        for event in ("PreToolUse", "PostToolUse", "Stop", "SessionStart", "SessionEnd"):
            live = simulate(file, host=host, event=event)
            other = apart(SimulateRequest(ConnectorSource(path=str(file)), host, event), context())
            for name in (
                "honored",
                "verdict",
                "host_reply",
                "stdout",
                "exit_status",
                "reason",
                "fires_when",
                "response",
            ):
                assert getattr(live, name) == getattr(other, name), (host, event, name)


# --- status lines ----------------------------------------------------------------------------------------------


def test_a_status_line_is_drawn_by_the_live_function() -> None:
    definition = define_connector(
        id="acme",
        version="1",
        statusline={
            "render": lambda context: f"{context.model.display_name}",
            "hosts": {"cursor": {"render": lambda context: "cursor's own"}},
        },
    )
    result = simulate(definition, surface="statusline", host="claude-code")
    assert (result.honored, result.host_reply) == (True, "Opus 4.8 (1M context)")
    assert simulate(definition, surface="statusline", host="cursor", input={"x": 1}).stdout == "cursor's own\n"
    assert "no status line" in simulate(definition, surface="statusline", host="codex").reason


def test_a_status_line_that_raises_is_empty_with_its_traceback() -> None:
    definition = define_connector(id="acme", version="1", statusline={"render": lambda context: 1 / 0})
    result = simulate(definition, surface="statusline", host="cursor")
    assert (result.honored, result.stdout) == (False, "")
    assert "ZeroDivisionError" in result.printed


# --- explain and refusals --------------------------------------------------------------------------------------


def test_explain_says_what_becomes_of_each_surface() -> None:
    definition = connector(statusline={"command": ["x"]}, platforms={"cursor": {"statusline": False}})
    rows = {(row.host, row.surface): row.support for row in explain(definition)}
    of_three = {place: support for place, support in rows.items() if place[0] in ("claude-code", "codex", "cursor")}
    assert of_three == {
        ("claude-code", "hooks"): "native",
        ("claude-code", "statusline"): "native",
        ("codex", "hooks"): "native",
        ("codex", "statusline"): "skip-warn",
        ("cursor", "hooks"): "native",
        ("cursor", "statusline"): "disabled",
    }


def test_honor_says_what_each_host_makes_of_the_declared_events() -> None:
    rows = honor(connector(), hosts=["codex"])
    assert {(row.event, row.decision): row.verdict for row in rows}["PreToolUse", "ask"] == "dropped"
    assert {row.event for row in rows} == {"PreToolUse"}


def test_mistakes_are_told() -> None:
    with pytest.raises(UsageError, match="unknown host"):
        simulate(connector(), host="codx", event="Stop")
    with pytest.raises(UsageError, match="no event was named"):
        simulate(connector(), host="codex")
    with pytest.raises(UsageError, match="no event is called"):
        simulate(connector(), host="codex", event="Stopp")
    with pytest.raises(ConnectorConfigError):
        explain(define_connector(id="Not An Id", hooks={"Stopp": Response.deny("x")}))
