"""Programs in any language as handlers, hooks on a host's own events, and handlers of another Python."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from shlex import quote

import pytest
from pythons import other_pythons

DENY = '{"decision": "deny", "reason": "by a program"}'


def quoted(path: Path) -> str:
    return quote(str(path))


def number_in(file: Path) -> int:
    """What a program writes there, as soon as it has."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if file.exists() and file.read_text().endswith("\n"):
            return int(file.read_text())
        time.sleep(0.05)
    raise AssertionError(f"{file.name} was not written")


@pytest.fixture
def program(install_hooks, project):
    """Installs a connector whose handler before tool calls is this ``sh`` script."""

    def installing(script: str, *, timeout: int = 5000, event: str = "PreToolUse"):
        (project / "guard.sh").write_text(script)
        return install_hooks({"hooks": {event: {"command": ["sh", "guard.sh"], "timeout_ms": timeout}}})

    return installing


def test_a_program_gets_the_event_and_its_answer_counts(program, project):
    hooks = program(f"cat > {quoted(project.parent / 'seen')}; echo '{DENY}'")

    assert hooks.decision() == "deny"
    call = hooks.tool_call()
    assert json.loads((project.parent / "seen").read_bytes()) == {
        "event": "PreToolUse",
        "host": "claude-code",
        "connector_id": "acme",
        "session_id": "s1",
        "project_dir": str(project),
        "tool_name": "mcp__acme__acme_drop",
        "tool_input": {"table": "t"},
        "raw": call,
    }


def test_camel_case_is_understood(program):
    hooks = program("""echo '{"decision":"modify","updatedInput":{"table":"safe"},"additionalContext":"so be it"}'""")

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call())["hookSpecificOutput"]

    assert said["updatedInput"] == {"table": "safe"}
    assert said.get("permissionDecision") != "allow" or "updatedInput" in said


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("echo hello", "bad-answer"),
        ("echo '[1]'", "bad-answer"),
        ("""echo '{"decision": "no"}'""", "bad-answer"),
        ("""echo '{"decision": "deny"'""", "bad-answer"),
        ("exit 3", "bad-answer"),
        ("kill -9 $$", "bad-answer"),
        ("""echo '{"decision":"modify","updated_input":{}}'; exit 1""", "bad-answer"),
    ],
)
def test_what_is_no_answer_is_no_opinion_and_logged(program, script, fault):
    hooks = program(script)

    assert hooks.decision() is None
    assert hooks.faults == [fault]


@pytest.mark.parametrize("script", ["", "exit 0", "echo", "echo '{}'", "echo null", "cat >/dev/null"])
def test_no_opinion_has_many_words(program, script):
    hooks = program(script)

    assert hooks.decision() is None
    assert hooks.faults == []


def test_a_program_that_fails_may_still_forbid(program):
    hooks = program(f"echo '{DENY}'; exit 1")

    assert hooks.decision() == "deny"


def test_a_program_that_fails_grants_nothing(program):
    hooks = program("""echo '{"decision":"allow"}'; exit 1""", event="PermissionRequest")

    assert hooks.said("claude-code", "PermissionRequest", hooks.tool_call()) is None


def test_what_a_program_writes_to_standard_error_is_for_the_author(program):
    hooks = program(f"echo 'a note' >&2; echo '{DENY}'")

    assert hooks.decision() == "deny"
    assert hooks.printed == "a note\n"


def test_a_program_that_does_not_read_ten_megabytes(program):
    hooks = program(f"echo '{DENY}'")

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call(tool_input={"text": "x" * 10_000_000}))

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_program_that_answers_before_it_reads(program):
    long = "head -c 300000 /dev/zero | tr '\\0' x"
    script = f"""printf '%s' '{{"decision":"deny","reason":"'; {long}; echo '"}}'"""
    hooks = program(f"{script}; exec >&-; cat >/dev/null")

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call(tool_input={"text": "x" * 3_000_000}))

    assert len(said["hookSpecificOutput"]["permissionDecisionReason"]) >= 1000


def test_an_answer_without_end_is_cut_off(program):
    hooks = program("yes", timeout=20_000)

    assert hooks.decision() is None
    assert hooks.faults == ["bad-answer"]


@pytest.mark.parametrize("script", ["sleep 60", "trap '' TERM INT; sleep 60 & sleep 60", "exec >&-; sleep 60"])
def test_a_program_that_never_ends_is_killed_with_its_children(program, project, script):
    hooks = program(f"echo $$ > {quoted(project.parent / 'pid')}; {script}", timeout=1000)
    started = time.monotonic()

    assert hooks.decision() is None
    assert time.monotonic() - started < 10
    assert hooks.faults == ["timeout"]
    group = number_in(project.parent / "pid")
    listed = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    states = [state for pgid, state in map(str.split, listed.splitlines()) if int(pgid) == group]
    assert [state for state in states if not state.startswith("Z")] == []


def test_a_child_that_outlives_the_program_keeps_nobody_waiting(program, project):
    hooks = program(f"sleep 30 & echo $! > {quoted(project.parent / 'pid')}; echo '{DENY}'")
    started = time.monotonic()
    try:
        assert hooks.decision() == "deny"
        assert time.monotonic() - started < 8
    finally:
        os.kill(number_in(project.parent / "pid"), 9)


def test_a_program_goes_with_the_hook_when_that_is_ended(program, project):
    hooks = program(f"echo $$ > {quoted(project.parent / 'pid')}; exec sleep 60", timeout=30_000)
    command = [hooks.root / "bin" / "agent-connector", "hook", "cursor", "PreToolUse", "--connector", "acme"]
    hook = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PATH": os.defpath})
    assert hook.stdin is not None
    hook.stdin.write(b"{}")
    hook.stdin.close()
    child = number_in(project.parent / "pid")

    hook.terminate()

    assert hook.stdout is not None
    assert hook.stdout.read() == b"{}"
    assert hook.wait(timeout=10) == 0
    hook.stdout.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_signals_are_for_the_program_as_without_us(program, project):
    hooks = program(f"(yes; echo $? > {quoted(project.parent / 'status')}) | head -n 1 >/dev/null")
    hooks.decision()

    assert number_in(project.parent / "status") == 141


def test_a_program_beside_the_definition_is_never_looked_for_in_the_hosts_folder(program, project, tmp_path):
    hooks = program(f"echo '{DENY}'")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "guard.sh").write_text("touch ran")

    command = [hooks.root / "bin" / "agent-connector", "hook", "claude-code", "PreToolUse", "--connector", "acme"]
    answer = hooks.run(command, json.dumps(hooks.tool_call()).encode(), cwd=elsewhere)

    assert b"by a program" in answer.stdout
    assert not (elsewhere / "ran").exists()
    assert hooks.record["hosts"]["codex"]["events"]["PreToolUse"][0]["command"] == ["sh", str(project / "guard.sh")]


def test_a_program_that_is_not_there_fails_open_and_loud(install_hooks):
    hooks = install_hooks(
        {
            "hooks": {
                "PreToolUse": {"command": ["no-such-program-here"]},
                "SessionStart": {"additional_context": "hello"},
            }
        }
    )

    assert hooks.decision() is None
    assert hooks.faults == ["unavailable"]
    said = hooks.said("claude-code", "SessionStart", {"source": "startup"})
    assert "does not run (PreToolUse)" in said["hookSpecificOutput"]["additionalContext"]


# --- native hooks ----------------------------------------------------------------------------------------------


def native(hooks, event="PostToolBatch"):
    return {"hooks": {}, "platforms": {"claude-code": {"native_hooks": {event: hooks}}}}


def test_a_native_program_gets_the_payload_as_it_is_and_is_passed_on_as_it_is(install_hooks, project):
    (project / "echo.sh").write_text("cat; echo 'to stderr' >&2; exit 2")
    hooks = install_hooks(native({"command": ["sh", "echo.sh"]}))
    payload = b'{"hook_event_name":  "PostToolBatch", "big": 12345678901234567890, "\xc3\xbc": 1.0}'

    answer = hooks.call("claude-code", "PostToolBatch", payload)

    assert (answer.returncode, answer.stdout, answer.stderr) == (2, payload, b"to stderr\n")


def test_bytes_of_a_native_program_that_are_no_text_pass(install_hooks, project):
    (project / "bytes.sh").write_text(r"printf '\377\376\000x'")
    hooks = install_hooks(native({"command": ["sh", "bytes.sh"]}))

    assert hooks.call("claude-code", "PostToolBatch", {}).stdout == b"\xff\xfe\x00x"


NATIVE = """
from agent_connector import define_connector, native_hook

def batch(event):
    print("noise")
    {body}

connector = define_connector(id="acme", version="1.0.0",
    platforms={{"claude-code": {{"native_hooks": {{"PostToolBatch": native_hook(batch)}}}}}})
"""


@pytest.mark.parametrize(
    ("body", "stdout"),
    [
        ("return {'continue': False, 'n': len(event.raw['calls']), 'of': event.event}",
         b'{"continue":false,"n":2,"of":"PostToolBatch"}'),
        ("return '/a/path'", b"/a/path"),
        ("return None", b""),
        ("return [event.session_id]", b'["s1"]'),
        ("raise ValueError", b""),
        ("return object()", b""),
        ("import sys; sys.exit(2)", b""),
    ],
)  # fmt: skip
def test_what_a_native_handler_returns_is_said_as_it_is(install_hooks, body, stdout):
    hooks = install_hooks(NATIVE.format(body=body))

    answer = hooks.call("claude-code", "PostToolBatch", {"session_id": "s1", "calls": [1, 2]})

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, stdout, b"")


def test_of_several_native_hooks_the_one_that_is_meant_answers(install_hooks):
    both = [{"command": ["echo", "first"], "matcher": "a"}, {"command": ["echo", "second"], "matcher": "b"}]
    hooks = install_hooks(native(both))

    assert hooks.call("claude-code", "PostToolBatch", {}).stdout == b"first\n"
    assert hooks.call("claude-code", "PostToolBatch", {}, "--entry", "1").stdout == b"second\n"


# --- another Python --------------------------------------------------------------------------------------------


OTHER = """
import sys
from agent_connector import Response, define_connector, hook

@hook("PreToolUse", timeout_ms={timeout})
{kind} guard(event):
    print("noise")
    {body}

connector = define_connector(id="acme", version="1.0.0",
    hooks=[guard, hook("SessionStart", response=Response.context("hello"))])
"""


@pytest.fixture(params=other_pythons(), ids=lambda path: path.name)
def other(request, install_hooks):
    """Installs a connector as an installation in another Python would have."""

    def installing(body, *, kind="def", timeout=20_000):
        hooks = install_hooks(OTHER.format(body=body, kind=kind, timeout=timeout))
        record = hooks.record
        record["python"].update(executable=str(request.param), base=str(request.param), tag="another", path=[])
        hooks.record_file.write_text(json.dumps(record))
        return hooks

    return installing


def test_a_handler_of_another_python_runs_in_that_one(other, request):
    hooks = other("return Response.deny('%d.%d' % sys.version_info[:2])")
    interpreter = Path(hooks.record["python"]["executable"]).name

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call())

    assert f"python{said['hookSpecificOutput']['permissionDecisionReason']}" == interpreter
    assert "noise" in hooks.printed
    assert list(hooks.project.rglob("*.pyc")) == []
    assert hooks.faults == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("raise ValueError('secret')", "raised"),
        ("sys.exit(3)", "exit"),
        ("return 'deny'", "bad-answer"),
        ("import os; os._exit(0)", "exit"),
    ],
)
def test_one_of_another_python_that_fails_is_no_opinion(other, body, fault):
    hooks = other(body)

    assert hooks.decision() is None
    assert hooks.faults == [fault]
    assert "secret" not in (hooks.root / "logs" / "hooks.ndjson").read_text()


def test_one_of_another_python_that_never_returns_is_given_up(other):
    hooks = other("import time; time.sleep(60)", timeout=3000)
    started = time.monotonic()

    assert hooks.decision() is None
    assert time.monotonic() - started < 12
    assert "timeout" in hooks.faults


def test_one_of_another_python_may_be_async(other):
    hooks = other("return Response.deny('no')", kind="async def")

    assert hooks.decision() == "deny"


def test_an_interpreter_that_is_gone_fails_open_and_loud(install_hooks):
    hooks = install_hooks(OTHER.format(body="return Response.deny('no')", kind="def", timeout=5000))
    record = hooks.record
    record["python"].update(executable="/no/such/python", base="/no/such/either", tag="another")
    hooks.record_file.write_text(json.dumps(record))

    assert hooks.decision() is None
    assert hooks.faults == ["unavailable"]
    said = hooks.said("claude-code", "SessionStart", {"source": "startup"})
    assert "does not run (PreToolUse)" in said["hookSpecificOutput"]["additionalContext"]
