"""One call of a hook as a host would make it: what the host makes of the answer, and why."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.errors import UsageError
from agent_connector.host import Host
from agent_connector.operations.context import Context
from agent_connector.operations.explain import explain
from agent_connector.operations.install import install
from agent_connector.operations.reports import SimulateReport
from agent_connector.operations.requests import (
    ConnectorSource,
    ExplainRequest,
    InstallRequest,
    SimulateRequest,
)
from agent_connector.operations.simulate import simulate

HOSTS = ("claude-code", "codex", "cursor")
DENY = {"decision": "deny", "reason": "no"}
PYTHON = """
import os, sys, time
from agent_connector import Response, define_connector

def guard(event):
    return Response.deny(f"no {{event.tool_name}}")

{code}

connector = define_connector(id="acme", version="1.0.0", hooks={hooks})
"""


@pytest.fixture
def simulated(context: Context):
    """Of a definition in place; ``given``: an object, or bytes as they are."""

    def call(hooks: dict[str, Any], host: str, event: str, given: Any = None, **more: Any) -> SimulateReport:
        data = given if given is None or isinstance(given, bytes) else json.dumps(given).encode()
        source = ConnectorSource(inline={"id": "acme", "version": "1.0.0", "hooks": hooks, **more})
        return simulate(SimulateRequest(source, host, event, data), context)

    return call


@pytest.fixture
def written(project: Path, context: Context):
    """A definition in Python in the project; simulated by its path."""

    def call(hooks: str, host: str = "claude-code", event: str = "PreToolUse", code: str = "") -> SimulateReport:
        file = project / "agent-connector.config.py"
        file.write_text(PYTHON.format(code=code, hooks=hooks), encoding="utf-8")
        return simulate(SimulateRequest(ConnectorSource(path=str(file)), host, event), context)

    return call


# --- what hosts make of it -------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_a_denied_stop_is_honored_as_going_on(simulated, host: str, event: str) -> None:
    report = simulated({event: DENY}, host, event)
    assert (report.honored, report.verdict) == (True, "honored")
    assert "goes on with the reason" in report.reason


@pytest.mark.parametrize(
    ("host", "event"),
    [
        ("claude-code", "SubagentStart"),
        ("codex", "SubagentStart"),
        ("claude-code", "PostToolUseFailure"),
        ("cursor", "PostToolUseFailure"),
    ],
)
def test_a_deny_where_nothing_can_be_stopped_degrades_to_context(simulated, host: str, event: str) -> None:
    report = simulated({event: DENY}, host, event)
    assert (report.honored, report.verdict) == (False, "degraded")
    assert report.reason.startswith("deny degrades:")
    assert "as context" in report.reason


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_asking_at_a_permission_request_is_the_hosts_own_dialog(simulated, host: str) -> None:
    report = simulated({"PermissionRequest": {"decision": "ask", "reason": "sure?"}}, host, "PermissionRequest")
    assert (report.honored, report.host_reply, report.stdout) == (True, None, "")
    assert "own dialog asks" in report.reason


def test_context_of_a_prompt_reaches_codex(simulated) -> None:
    """Older versions dropped it; 0.171 was seen to give it to the model."""
    hooks = {"UserPromptSubmit": {"decision": "context", "additional_context": "know"}}
    report = simulated(hooks, "codex", "UserPromptSubmit", {"prompt": "hello", "session_id": "s1"})
    assert report.honored
    assert report.host_reply["hookSpecificOutput"]["additionalContext"] == "know"


def test_what_a_host_drops_is_told_with_the_reason(simulated) -> None:
    report = simulated({"PreToolUse": {"decision": "ask", "reason": "sure?"}}, "codex", "PreToolUse")
    assert (report.honored, report.verdict, report.host_reply) == (False, "dropped", None)
    assert "Codex drops ask on PreToolUse: " in report.reason
    assert "THE TOOL RUNS" in report.reason


def test_an_allow_before_a_tool_call_is_said_to_be_no_opinion(simulated) -> None:
    report = simulated({"PreToolUse": {"decision": "allow"}}, "claude-code", "PreToolUse")
    assert (report.honored, report.host_reply) == (True, None)
    assert report.reason.startswith("allow is no opinion")


def test_a_matcher_that_excludes_the_input_runs_nothing_and_says_how_to_be_matched(simulated) -> None:
    hooks = {"PreToolUse": {"matcher": "acme_drop", **DENY}}
    report = simulated(hooks, "claude-code", "PreToolUse")
    assert (report.honored, report.verdict) == (False, "none")
    assert report.reason.startswith("the matcher excludes this input (echo): no handler was run")
    assert "Give an input whose tool_name the matcher finds" in report.reason
    assert [handler.matched for handler in report.handlers] == [False]
    assert any("mcp__acme__echo" in note for note in report.notes)
    found = simulated(hooks, "claude-code", "PreToolUse", {"tool_name": "mcp__acme__acme_drop", "tool_input": {}})
    assert found.honored
    assert found.notes == ()


def test_conditions_under_which_the_host_would_call_at_all_are_told(simulated) -> None:
    report = simulated({"Notification": DENY}, "claude-code", "Notification")
    assert "never with -p" in report.fires_when


def test_several_entries_are_one_answer(simulated) -> None:
    hooks = {
        "PreToolUse": [
            {"decision": "context", "additional_context": "a"},
            {"matcher": "other", "decision": "ask"},
            DENY,
        ]
    }
    report = simulated(hooks, "claude-code", "PreToolUse")
    assert report.response == {"decision": "deny", "reason": "no", "additional_context": "a"}
    assert [handler.matched for handler in report.handlers] == [True, False, True]
    assert [handler.what for handler in report.handlers] == ["context", "ask", "deny"]


def test_the_native_name_of_a_shared_event_will_do(simulated) -> None:
    report = simulated({"PreToolUse": DENY}, "cursor", "preToolUse")
    assert (report.event, report.honored) == ("PreToolUse", True)


def samples() -> list[Any]:
    found = []
    for host in HOSTS:
        folder = resources.files(f"agent_connector.adapters.{host.replace('-', '_')}") / "samples"
        names = sorted(file.name for file in folder.iterdir())
        found += [
            pytest.param(host, name.split(".")[0], (folder / name).read_bytes(), id=f"{host}-{name}")
            for name in names
            if not name.startswith("StatusLine")
        ]
    return found


@pytest.mark.parametrize(("host", "event", "payload"), samples())
def test_every_sample_of_every_host_is_denied_as_the_hosts_own_format_says(
    simulated, host: str, event: str, payload: bytes
) -> None:
    from agent_connector.runtime.neutral import hooks_module

    module: Any = hooks_module(host)
    report = simulated({event: DENY}, host, event, payload)
    reply = module.format(event, DENY, json.loads(payload))
    assert (report.stdout, report.exit_status, report.verdict) == (reply.stdout, reply.exit_code, reply.verdict)
    assert report.honored == (reply.verdict == "honored")
    assert reply.why in report.reason
    assert report.handlers[0].matched


# --- what is not called at all ---------------------------------------------------------------------------------


def test_an_event_that_the_host_lacks_is_never_called(simulated) -> None:
    report = simulated({"Notification": DENY}, "codex", "Notification")
    assert (report.honored, report.verdict, report.exit_code) == (False, "none", 0)
    assert report.reason == "Codex has no Notification event: no hook of it is ever called"


def test_an_event_without_a_hook_is_told(simulated) -> None:
    report = simulated({"Stop": DENY}, "codex", "PreToolUse")
    assert (report.honored, report.reason) == (False, "acme declares no PreToolUse hook for Codex")


def test_a_connector_without_hooks_is_told(simulated) -> None:
    report = simulated({}, "codex", "Stop", memory=[{"content": "x"}])
    assert report.reason == "acme declares no Stop hook for Codex"


def test_a_native_event_without_a_native_hook_is_told(simulated) -> None:
    report = simulated({"Stop": DENY}, "codex", "Interrupt")
    assert report.reason == "acme declares no native hook on Interrupt for Codex"


@pytest.mark.parametrize(
    ("host", "event", "nearest"),
    [("codx", "Stop", "codex"), ("codex", "PreToolUs", "PreToolUse"), ("codex", "", "Stop"), ("", "Stop", "codex")],
)
def test_names_that_nobody_knows_are_refused_with_the_nearest(simulated, host: str, event: str, nearest: str) -> None:
    with pytest.raises(UsageError) as refused:
        simulated({"Stop": DENY}, host, event)
    assert nearest in refused.value.hint


# --- inputs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "fault", "words"),
    [
        (b"", "no-payload", "the input is empty"),
        (b"not json", "bad-payload", "the input cannot be read as one JSON object"),
        (b"[1]", "bad-payload", "the input cannot be read as one JSON object"),
        (b"\xff\xfe", "bad-payload", "the input cannot be read as one JSON object"),
    ],
)
@pytest.mark.parametrize("host", HOSTS)
def test_bad_input_runs_nothing_and_says_no_opinion_in_the_hosts_way(
    simulated, host: str, given: bytes, fault: str, words: str
) -> None:
    report = simulated({"PreToolUse": DENY}, host, "PreToolUse", given)
    assert (report.honored, report.faults) == (False, (fault,))
    assert report.reason.startswith(f"{words}, so no handler was run")
    assert report.stdout == ("{}" if host == "cursor" else "")


# --- code ------------------------------------------------------------------------------------------------------


def test_a_python_handler_answers_and_what_it_prints_is_told_apart(written, capfd) -> None:
    report = written("{'PreToolUse': talk}", code="def talk(event):\n    print('hello')\n    return guard(event)")
    assert report.honored
    assert report.host_reply["hookSpecificOutput"]["permissionDecisionReason"] == "no mcp__acme__echo"
    assert report.printed == "hello\n"
    assert report.handlers[0].what == "agent-connector.config.py:talk"
    assert capfd.readouterr() == ("", "")


def test_an_asynchronous_handler_answers(written) -> None:
    assert written("{'Stop': later}", event="Stop", code="async def later(event):\n    return guard(event)").honored


def test_no_answer_is_said_to_be_no_opinion(written) -> None:
    report = written("{'PreToolUse': lambda event: None}")
    assert (report.honored, report.verdict) == (False, "none")
    assert report.reason == "the handler gave no opinion: Claude Code goes on as without the hook"


@pytest.mark.parametrize(
    ("body", "fault", "words"),
    [
        ("raise ValueError('secret')", "raised", "ValueError at agent-connector.config.py"),
        ("return 7", "bad-answer", "answered a int"),
        ("sys.exit(3)", "exit", "it ended the process"),
        (
            "import os; os._exit(3)",
            "exit",
            "handler 1 (agent-connector.config.py:bad): it ended the process (os._exit)",
        ),
    ],
)
def test_a_handler_that_fails_is_named_with_its_fault(written, body: str, fault: str, words: str) -> None:
    report = written("{'PreToolUse': bad}", code=f"def bad(event):\n    {body}")
    assert (report.honored, report.verdict, report.stdout) == (False, "none", "")
    assert [one.split(":")[0] for one in report.faults] == [fault]
    assert words in report.reason
    assert "hears no opinion" in report.reason
    assert "secret" not in report.reason


def test_a_failing_handler_beside_one_that_answers_is_not_called_honored(written) -> None:
    hooks = "{'PreToolUse': [{'handler': bad}, {'decision': 'deny', 'reason': 'no'}]}"
    report = written(hooks, code="def bad(event):\n    raise KeyError")
    assert (report.honored, report.verdict) == (False, "honored")
    assert report.host_reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "handler 1 (agent-connector.config.py:bad): it raised an exception" in report.reason


def test_a_handler_that_never_ends_is_given_up_in_its_time(written) -> None:
    started = time.monotonic()
    code = """
def never(event):
    while True:
        try:
            time.sleep(1)
        except BaseException:
            pass
"""
    report = written("{'PreToolUse': {'handler': never, 'timeout_ms': 300}}", code=code)
    assert time.monotonic() - started < 10
    assert not report.honored
    assert "it took longer than its time" in report.reason


def test_code_that_cannot_be_loaded_is_told(simulated) -> None:
    report = simulated({"Stop": {"handler": "nowhere:guard"}}, "codex", "Stop")
    assert not report.honored
    assert "it cannot be started" in report.reason
    assert any("nowhere" in note for note in report.notes)


def test_a_program_answers_and_its_standard_error_is_told_apart(simulated) -> None:
    program = ["sh", "-c", """cat >/dev/null; echo why >&2; echo '{"decision":"deny","reason":"no"}'"""]
    report = simulated({"PreToolUse": {"command": program}}, "claude-code", "PreToolUse")
    assert report.honored
    assert report.printed == "why\n"
    assert report.handlers[0].kind == "command"


def test_a_native_hooks_answer_goes_out_as_it_is_and_is_not_judged(simulated) -> None:
    native = {"codex": {"native_hooks": {"Interrupt": {"command": ["sh", "-c", "cat"]}}}}
    report = simulated({}, "codex", "Interrupt", {"a": 1}, platforms=native)
    assert (report.honored, report.verdict, report.host_reply) == (True, "verbatim", {"a": 1})
    assert "is not judged" in report.reason


def test_handlers_run_with_the_project_as_their_folder_and_without_marks_of_a_host(
    written, context: Context, project: Path
) -> None:
    """A simulation may be started by an agent; a hook process tells its caller by such variables."""
    marked = Context(context.machine.with_env({"CLAUDECODE": "1", "ACME": "2"}), context.catalogue, context.version)
    file = project / "agent-connector.config.py"
    code = """
def tell(event):
    return Response.context(repr((os.getcwd(), os.environ.get('CLAUDECODE'), os.environ['ACME'])))
"""
    file.write_text(PYTHON.format(code=code, hooks="{'SessionStart': tell}"))
    request = SimulateRequest(ConnectorSource(path=str(file)), "codex", "SessionStart")
    report = simulate(request, marked)
    assert report.response == {
        "decision": "context",
        "additional_context": repr((os.path.realpath(project), None, "2")),
    }


def test_an_end_by_the_person_leaves_no_process_behind(project: Path, context: Context) -> None:
    file = project / "agent-connector.config.py"
    note = project / "pid"
    code = f"def slow(event):\n    open({str(note)!r}, 'w').write(str(os.getpid()))\n    time.sleep(60)"
    file.write_text(PYTHON.format(code=code, hooks="{'Stop': slow}"))

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 3)
    try:
        with pytest.raises(KeyboardInterrupt):
            simulate(SimulateRequest(ConnectorSource(path=str(file)), "codex", "Stop"), context)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


# --- installed connectors --------------------------------------------------------------------------------------


@pytest.fixture
def installed(project: Path, context: Context, hosts: Path) -> Path:
    """The definition's file of an installed connector with one Python handler."""
    file = project / "agent-connector.config.py"
    file.write_text(PYTHON.format(code="", hooks="{'PreToolUse': guard}"))
    report = install(InstallRequest(source=ConnectorSource(path=str(file)), targets=("codex",)), context)
    assert report.outcome == "done"
    return file


def by_id(context: Context, host: str, event: str = "PreToolUse") -> SimulateReport:
    return simulate(SimulateRequest(ConnectorSource(id="acme"), host, event), context)


@pytest.mark.usefixtures("installed")
def test_an_installed_connector_is_called_by_its_record(context: Context) -> None:
    report = by_id(context, "codex")
    assert report.honored
    assert not any("not installed" in note for note in report.notes)


@pytest.mark.usefixtures("installed")
def test_a_host_in_which_it_is_not_installed_is_told(context: Context) -> None:
    report = by_id(context, "claude-code")
    assert report.honored
    assert any("not installed in claude-code" in note for note in report.notes)


def test_a_handler_that_changed_since_the_install_runs_and_is_told(context: Context, installed: Path) -> None:
    installed.write_text(installed.read_text() + "\n# newer\n")
    report = by_id(context, "codex")
    assert report.honored
    assert report.faults == ("changed: 0",)


def test_the_definition_is_not_loaded_to_call_an_installed_connector(context: Context, installed: Path) -> None:
    """Its static hooks need no code at all."""
    install(
        InstallRequest(
            source=ConnectorSource(inline={"id": "acme", "version": "2", "hooks": {"Stop": DENY}}), targets=("codex",)
        ),
        context,
    )
    installed.write_text("raise SystemExit('ran')")
    assert by_id(context, "codex", "Stop").honored


@pytest.mark.usefixtures("installed")
def test_an_unknown_connector_is_refused_with_the_nearest(context: Context) -> None:
    with pytest.raises(UsageError) as refused:
        simulate(SimulateRequest(ConnectorSource(id="acne"), "codex", "Stop"), context)
    assert "acme" in refused.value.hint


def test_nothing_is_left_behind_in_the_data_root(context: Context, installed: Path) -> None:
    installed.write_text("raise SystemExit('broken')")
    root = Path(context.data_root)

    def everything() -> dict[str, bytes]:
        return {
            str(path.relative_to(root)): path.read_bytes()
            for name in ("connectors", "logs", "telemetry", "cache")
            for path in (root / name).rglob("*")
            if path.is_file()
        }

    before = everything()
    assert "it cannot be started" in by_id(context, "codex").reason
    assert everything() == before


def test_settings_of_this_machine_that_keep_the_host_from_calling_are_told(simulated, hosts: Path) -> None:
    settings = hosts / ".claude" / "settings.json"
    assert simulated({"Stop": DENY}, "claude-code", "Stop", {}).notes == ()
    settings.write_text('{"disableAllHooks": true}')
    report = simulated({"Stop": DENY}, "claude-code", "Stop", {})
    assert report.honored
    (note,) = report.notes
    assert "on this machine it would not be called: " in note
    assert "disableAllHooks" in note


def test_a_host_whose_package_cannot_answer_hooks_is_told(context: Context) -> None:
    """A package may describe a host with hooks and lack the light module."""
    catalogue = BuiltinCatalogue()
    other = replace(catalogue.get("codex"), id="other-host", name="Other")

    class WithAnother:
        def ids(self) -> tuple[str, ...]:
            return (*catalogue.ids(), other.id)

        def get(self, host_id: str) -> Host:
            return other if host_id == other.id else catalogue.get(host_id)

    there = Context(context.machine, WithAnother(), context.version)
    source = ConnectorSource(inline={"id": "acme", "version": "1", "hooks": {"Stop": DENY}})
    report = simulate(SimulateRequest(source, "other-host", "Stop"), there)
    assert (report.honored, report.verdict) == (False, "none")
    assert "no module that answers its hooks" in report.reason
    answering = {row.host for row in explain(ExplainRequest(source), there).honor}
    assert answering == {host_id for host_id in catalogue.ids() if catalogue.get(host_id).hooks}


# --- status lines ----------------------------------------------------------------------------------------------


def drawn(context: Context, host: str, statusline: Any, given: bytes | None = None) -> SimulateReport:
    definition = {"id": "acme", "version": "1", "statusline": statusline, "memory": [{"content": "x"}]}
    source = ConnectorSource(inline={key: value for key, value in definition.items() if value})
    return simulate(SimulateRequest(source, host, input=given, surface="statusline"), context)


def test_a_status_line_is_drawn_from_the_hosts_sample(context: Context) -> None:
    program = ["python3", "-c", "import json,sys; print(json.load(sys.stdin)['model']['display_name'])"]
    report = drawn(context, "claude-code", {"command": program})
    assert (report.honored, report.verdict, report.surface) == (True, "verbatim", "statusline")
    assert report.stdout == "Opus 4.8 (1M context)\n"
    assert report.host_reply == "Opus 4.8 (1M context)"


def test_a_status_line_that_fails_is_empty_and_says_why(context: Context) -> None:
    report = drawn(context, "cursor", {"command": ["sh", "-c", "exit 3"]})
    assert (report.honored, report.stdout, report.exit_status) == (False, "", 0)
    assert "Cursor shows nothing" in report.reason
    assert "ended with 3" in report.reason


def test_bad_input_of_a_status_line_is_told(context: Context) -> None:
    report = drawn(context, "cursor", {"command": ["echo", "x"]}, b"no json")
    assert (report.honored, report.faults) == (False, ("bad-payload",))


@pytest.mark.parametrize(
    ("host", "statusline", "reason"),
    [
        ("codex", {"command": ["echo"]}, "Codex has no status line that a command draws"),
        ("cursor", None, "acme declares no status line for Cursor"),
    ],
)
def test_where_there_is_no_status_line_nothing_is_run(
    context: Context, host: str, statusline: Any, reason: str
) -> None:
    report = drawn(context, host, statusline)
    assert (report.honored, report.reason) == (False, reason)


def test_every_host_with_hooks_has_a_sample_for_each_of_its_events() -> None:
    from agent_connector.operations.honor import light_module, sample

    catalogue = BuiltinCatalogue()
    for host in catalogue.built_in_ids():
        if catalogue.get(host).hooks is None:
            continue
        module = light_module(host)
        assert [event for event in module.EVENTS if sample(module.__name__, event) is None] == []
