"""Python handlers: called in the hook's own process, with the host out of their reach."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

DEFINITION = """
import os, sys, time
from agent_connector import Response, define_connector, hook

{head}

@hook("PreToolUse", matcher="acme", timeout_ms={timeout})
{kind} guard(event):
{body}

connector = define_connector(id="acme", version="1.0.0", hooks=[guard{more}])
"""


@pytest.fixture
def handler(install_hooks):
    """Installs a connector whose handler before tool calls has this body."""

    def installing(body: str, *, head: str = "", kind: str = "def", timeout: int = 5000, more: str = ""):
        indented = "\n".join(f"    {line}" for line in body.strip().splitlines())
        text = DEFINITION.format(head=head, kind=kind, body=indented, timeout=timeout, more=more)
        return install_hooks(text)

    return installing


def test_a_handler_is_called_with_the_normalized_event(handler):
    hooks = handler("""
return Response.deny("|".join([event.event, event.host, event.connector_id, event.session_id, event.project_dir,
    event.tool_name, event.tool_input["table"], str(event.prompt), event["tool_name"], event.raw["cwd"]]))
""")

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call())
    project, tool = str(hooks.project), "mcp__acme__acme_drop"

    assert said["hookSpecificOutput"]["permissionDecisionReason"].split("|") == [
        "PreToolUse", "claude-code", "acme", "s1", project, tool, "t", "None", tool, project,
    ]  # fmt: skip


def test_a_misspelled_field_is_an_error_and_not_nothing(handler):
    hooks = handler("return event.tool_nmae")

    assert hooks.decision() is None
    assert hooks.faults == ["raised"]
    assert "no field 'tool_nmae'" in hooks.printed


def test_an_async_handler_is_awaited(handler):
    hooks = handler(
        "import asyncio\nawait asyncio.sleep(0.01)\nreturn Response.deny('after a while')", kind="async def"
    )

    assert hooks.decision() == "deny"


@pytest.mark.parametrize("answer", ["None", "{}", "Response()", "Response.allow()"])
def test_no_opinion_has_many_words(handler, answer):
    hooks = handler(f"return {answer}")

    assert hooks.decision() is None
    assert hooks.faults == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("raise ValueError(event.tool_input['table'] * 3)", "raised"),
        ("raise KeyboardInterrupt", "raised"),
        ("sys.exit(2)", "exit"),
        ("sys.exit()", "exit"),
        ("return 'deny'", "bad-answer"),
        ("return {'decision': 'DENY'}", "bad-answer"),
        ("return {'decision': 'modify', 'updated_input': {'x': object()}}", "bad-answer"),
        ("def forever(): return forever()\nreturn forever()", "raised"),
    ],
)
def test_a_handler_that_fails_is_no_opinion_and_logged_without_its_message(handler, body, fault):
    hooks = handler(body)

    assert hooks.decision() is None
    (line,) = hooks.lines("logs/hooks.ndjson")
    assert line["fault"] == fault
    assert "ttt" not in json.dumps(line)
    if fault == "raised":
        assert "agent-connector.config.py:" in line["where"]


def test_one_handler_that_fails_takes_no_other_ones_answer(handler):
    hooks = handler("raise ValueError", more=', hook("PreToolUse", response=Response.deny("static"))')

    assert hooks.decision() == "deny"


# --- output ----------------------------------------------------------------------------------------------------

NOISE = """
print("from print")
sys.stdout.write("from stdout, no line feed")
os.write(1, b"from the descriptor\\n")
os.system("echo from a child; echo from its stderr >&2")
print("to stderr", file=sys.stderr)
sys.__stdout__.write("from the original")
return Response.deny("clean")
"""


@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor"])
def test_what_a_handler_prints_never_reaches_the_host(handler, host):
    hooks = handler(NOISE, head='print("while it is loaded")')

    said = hooks.said(
        host, "PreToolUse", hooks.tool_call("MCP:acme_drop" if host == "cursor" else "mcp__a__acme_drop")
    )

    assert "clean" in json.dumps(said)
    for text in ("print", "stdout", "the descriptor", "a child", "its stderr", "the original"):
        assert f"from {text}" in hooks.printed
    assert "to stderr" in hooks.printed
    assert "while it is loaded" in hooks.printed


def test_a_handler_may_close_what_it_likes(handler):
    hooks = handler("sys.stdout.close()\nos.close(0)\nos.close(2)\nreturn Response.deny('still')")

    assert hooks.decision() == "deny"


def test_a_child_that_outlives_the_handler_keeps_nobody_waiting(handler, tmp_path):
    body = f"""
import subprocess
import sys
child = subprocess.Popen(["sleep", "30"])
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
return Response.deny("quick")
"""
    hooks = handler(body)
    started = time.monotonic()
    try:
        assert hooks.decision() == "deny"
        assert time.monotonic() - started < 15
    finally:
        os.kill(int((tmp_path / "pid").read_text()), 9)


def test_a_fork_that_outlives_the_handler_keeps_nobody_waiting(handler):
    hooks = handler("""
if os.fork() == 0:
    time.sleep(15)
    os._exit(0)
return Response.deny("quick")
""")
    started = time.monotonic()

    assert hooks.decision() == "deny"
    assert time.monotonic() - started < 12
    assert hooks.faults == []


@pytest.mark.parametrize("after", ["", "raise ValueError", "sys.exit(3)"])
def test_a_fork_that_comes_back_says_nothing_of_its_own(handler, after):
    hooks = handler(f"if os.fork() == 0:\n    {after or 'pass'}\nelse:\n    os.wait()\nreturn Response.deny('once')")

    assert hooks.decision() == "deny"
    assert len(hooks.rows) == 1


# --- the end of the process ------------------------------------------------------------------------------------

STATIC = ', hook("PreToolUse", response=Response.deny("static"))'
ENDS = {
    "os._exit": "os._exit(2)",
    "os._exit in a thread": "import threading\nthreading.Thread(target=os._exit, args=(2,)).start()\ntime.sleep(60)",
    "a signal": "os.kill(os.getpid(), 9)",
    "a crash in C": "import ctypes\nctypes.string_at(0)",
    "another program": "os.execv('/bin/sh', ['sh', '-c', 'echo garbage'])",
    "closed descriptors": "os.closerange(0, 100)\nreturn Response.deny('unheard')",
    "no modules": "sys.modules.clear()\nos.abort()",
}


@pytest.mark.parametrize("how", ENDS)
def test_what_is_said_without_code_is_said_however_the_process_ends(handler, how):
    hooks = handler(ENDS[how], more=STATIC)

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call())

    assert said["hookSpecificOutput"]["permissionDecisionReason"] == "static"
    assert hooks.faults == ["exit"]
    assert len(hooks.rows) == 1


def test_beside_what_is_said_without_code_a_handler_counts_as_alone(handler):
    hooks = handler("print('printed')\nreturn Response.deny('by the handler')", more=STATIC)

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call())

    assert said["hookSpecificOutput"]["permissionDecisionReason"] == "by the handler"
    assert (hooks.faults, len(hooks.rows), hooks.printed) == ([], 1, "printed\n")


def test_a_host_that_ends_the_hook_hears_what_is_said_without_code(handler, tmp_path):
    hooks = handler(f"open({str(tmp_path / 'began')!r}, 'w').close()\ntime.sleep(60)", timeout=30_000, more=STATIC)
    command = [hooks.root / "bin" / "agent-connector", "hook", "claude-code", "PreToolUse", "--connector", "acme"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(hooks.tool_call()).encode())
        process.stdin.close()
        while not (tmp_path / "began").exists():
            time.sleep(0.02)
        process.terminate()
        assert process.stdout is not None
        assert b"static" in process.stdout.read()


@pytest.mark.parametrize("code", [0, 2])
@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor"])
def test_an_exit_past_everything_is_no_opinion_and_logged(handler, host, code):
    hooks = handler(f"print('so far')\nos._exit({code})")
    tool = "MCP:acme_drop" if host == "cursor" else "mcp__acme__acme_drop"

    assert not hooks.said(host, "PreToolUse", hooks.tool_call(tool))
    assert hooks.faults == ["exit"]
    assert len(hooks.rows) == 1


def test_an_exit_past_everything_behind_the_answer_changes_nothing(handler):
    hooks = handler("return Response.deny('said')", head="import atexit\natexit.register(os._exit, 7)")

    assert hooks.decision() == "deny"
    assert hooks.faults == []


def test_a_reply_that_cannot_be_given_is_logged(handler):
    hooks = handler("os.closerange(3, 100)\nreturn Response.deny('unheard')")

    assert hooks.decision() is None
    assert hooks.faults == ["unheard"]


def test_output_of_handlers_is_capped(handler):
    hooks = handler("print('x' * 700_000)")
    for _ in range(3):
        hooks.decision()

    log = hooks.root / "logs" / "handlers" / "acme.log"
    assert log.stat().st_size < 1 << 21
    assert log.with_name("acme.log.1").exists()
    assert log.stat().st_mode & 0o777 == 0o600


def test_what_a_handler_leaves_unwritten_is_written(handler, tmp_path):
    file = tmp_path / "notes"
    hooks = handler(
        "notes.write(event.tool_name)",
        head=f"import atexit\nnotes = open({str(file)!r}, 'w')\natexit.register(lambda: notes.write('; bye'))",
    )
    hooks.decision()

    assert file.read_text() == "mcp__acme__acme_drop; bye"


# --- time ------------------------------------------------------------------------------------------------------

NEVER = {
    "computes": "while True: pass",
    "sleeps": "time.sleep(60)",
    "swallows": "while True:\n    try: time.sleep(60)\n    except BaseException: pass",
    "waits for a lock": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "waits for a child": "os.system('sleep 20')",
    "reads a pipe": "os.read(os.pipe()[0], 1)",
}


@pytest.mark.parametrize("kind", NEVER)
def test_a_handler_that_never_returns_is_given_up_before_the_host_gives_up(handler, kind):
    hooks = handler(NEVER[kind], timeout=1500, more=', hook("PreToolUse", response=Response.deny("static"))')
    started = time.monotonic()

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call())

    assert time.monotonic() - started < 12
    assert "timeout" in hooks.faults
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_what_was_said_before_the_time_was_up_is_said(install_hooks):
    hooks = install_hooks("""
import time
from agent_connector import Response, define_connector, hook

@hook("PreToolUse", timeout_ms=1000)
def stubborn(event):
    while True:
        try: time.sleep(60)
        except BaseException: pass

connector = define_connector(id="acme", version="1.0.0",
    hooks=[hook("PreToolUse", handler=lambda event: Response.deny("before")), stubborn])
""")

    assert hooks.decision() == "deny"


def test_an_async_handler_that_never_returns_is_given_up(handler):
    hooks = handler("import asyncio\nawait asyncio.sleep(60)", kind="async def", timeout=1000)

    assert hooks.decision() is None
    assert "timeout" in hooks.faults


def test_handlers_of_one_event_share_the_time_the_host_gives(install_hooks):
    hooks = install_hooks("""
import time
from agent_connector import Response, define_connector, hook

def slow(event):
    time.sleep(60)

connector = define_connector(id="acme", version="1.0.0",
    hooks=[hook("PreToolUse", timeout_ms=1000, handler=slow) for _ in range(5)])
""")
    started = time.monotonic()

    assert hooks.decision() is None
    assert time.monotonic() - started < 4
    assert hooks.faults == ["timeout"] * 5


# --- where the code is -----------------------------------------------------------------------------------------


def test_neighbours_are_imported_and_nothing_is_written_beside_the_code(install_hooks, project):
    (project / "rules.py").write_text("from package.deep import FORBIDDEN")
    (project / "package").mkdir()
    (project / "package" / "__init__.py").write_text("")
    (project / "package" / "deep.py").write_text("FORBIDDEN = 'by the neighbour'")
    before = sorted(path.relative_to(project) for path in project.rglob("*"))
    hooks = install_hooks("""
from agent_connector import Response, define_connector, hook

@hook("PreToolUse")
def guard(event):
    from rules import FORBIDDEN
    return Response.deny(FORBIDDEN)

connector = define_connector(id="acme", version="1.0.0", hooks=[guard])
""")

    for _ in range(2):
        assert "by the neighbour" in json.dumps(hooks.said("claude-code", "PreToolUse", hooks.tool_call()))
    after = sorted(path.relative_to(project) for path in project.rglob("*"))
    assert [path for path in after if path not in before] == [
        project.joinpath("agent-connector.config.py").relative_to(project)
    ]
    kept = {path.name.partition(".")[0] for path in (hooks.root / "cache" / "handlers").rglob("*.pyc")}
    assert {"agent-connector", "rules", "deep"} <= kept


def test_bytecode_that_cannot_be_kept_costs_time_and_nothing_else(handler):
    hooks = handler("return Response.deny('no')")
    cache = hooks.root / "cache"
    subprocess.run(["rm", "-r", str(cache)], check=True)
    cache.write_text("")

    assert hooks.decision() == "deny"


def test_handlers_in_data_files_are_found_by_reference(install_hooks, project):
    (project / "guards").mkdir()
    (project / "guards" / "near.py").write_text(
        "import helper\ndef deny(event): return {'decision': 'deny', 'reason': helper.WHY}\n"
        "class Guard:\n    @staticmethod\n    def ask(event): return {'decision': 'ask', 'reason': 'class'}\n"
    )
    (project / "guards" / "helper.py").write_text("WHY = 'helped'")
    (project / "acme_pkg").mkdir()
    (project / "acme_pkg" / "__init__.py").write_text("from .why import WHY")
    (project / "acme_pkg" / "why.py").write_text("WHY = 'relative'")
    (project / "acme_pkg" / "rules.py").write_text(
        "from . import WHY\ndef check(event): return {'decision': 'deny', 'reason': WHY}"
    )
    hooks = install_hooks(
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "one", "handler": "./guards/near.py:deny"},
                    {"matcher": "two", "handler": "guards/near.py:Guard.ask"},
                    {"matcher": "three", "handler": "acme_pkg.rules:check"},
                ]
            }
        }
    )

    reasons = [
        hooks.said("claude-code", "PreToolUse", hooks.tool_call(tool))["hookSpecificOutput"][
            "permissionDecisionReason"
        ]
        for tool in ("one", "two", "three")
    ]

    assert reasons == ["helped", "class", "relative"]
    assert [change for change in hooks.report.changes if change.action == "warn"] == []


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("./gone.py:check", "gone.py does not exist"),
        ("no_such_package.rules:check", "no module no_such_package.rules"),
        ("./there.py:misspelled", "defines no misspelled"),
        ("./broken.py:check", "is not valid Python"),
    ],
)
def test_a_reference_that_leads_nowhere_is_told_at_install(install_hooks, project, reference, told):
    (project / "there.py").write_text("def check(event): ...\nraise SystemExit('installing must not run this')")
    (project / "broken.py").write_text("def check(event:")

    hooks = install_hooks({"hooks": {"PreToolUse": {"handler": reference}}})

    warnings = [change.detail for change in hooks.report.changes if change.action == "warn"]
    assert len(warnings) == 1
    assert told in warnings[0]
    assert hooks.decision() is None
    assert hooks.faults == ["unavailable"]


def test_what_differs_in_one_host_has_handlers_of_its_own(install_hooks):
    hooks = install_hooks("""
from agent_connector import Response, define_connector, hook

def everywhere(event): return Response.deny("everywhere")
def in_codex(event): return Response.deny("in Codex")
def also(event): return Response.deny("also")

connector = define_connector(id="acme", version="1.0.0", hooks={"PreToolUse": everywhere},
    platforms={"codex": {"hooks": {"PreToolUse": [{"matcher": "nothing", "handler": also}, in_codex]}}})
""")

    assert "in Codex" in json.dumps(hooks.said("codex", "PreToolUse", hooks.tool_call()))
    assert "everywhere" in json.dumps(hooks.said("claude-code", "PreToolUse", hooks.tool_call()))


# --- code that changes, moves and breaks -----------------------------------------------------------------------

SIMPLE = """
from agent_connector import Response, define_connector, hook

@hook("PreToolUse", matcher="acme")
def guard(event):
    return Response.deny({reason!r})

connector = define_connector(id="acme", version="1.0.0",
    hooks=[guard, hook("SessionStart", response=Response.context("hello"))])
"""


def rewrite(file, text):
    """Another size or time, as an updated package has it."""
    file.write_text(text)
    os.utime(file, (time.time() + 5, time.time() + 5))


def reason(hooks):
    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call())
    return said["hookSpecificOutput"]["permissionDecisionReason"] if said else None


def test_a_handler_that_changed_runs_and_is_logged_once(install_hooks):
    hooks = install_hooks(SIMPLE.format(reason="old"))
    assert reason(hooks) == "old"
    rewrite(hooks.project / "agent-connector.config.py", SIMPLE.format(reason="new"))

    assert [reason(hooks) for _ in range(3)] == ["new"] * 3
    assert hooks.faults == ["changed"]


def test_a_handler_is_found_again_where_others_were_put_before_it(install_hooks):
    hooks = install_hooks(SIMPLE.format(reason="guarded"))
    moved = SIMPLE.format(reason="guarded").replace("hooks=[guard", 'hooks=[hook("PreToolUse", handler=print), guard')
    rewrite(hooks.project / "agent-connector.config.py", moved)

    assert reason(hooks) == "guarded"


def test_a_file_that_was_only_touched_is_no_change(install_hooks):
    hooks = install_hooks(SIMPLE.format(reason="same"))
    rewrite(hooks.project / "agent-connector.config.py", SIMPLE.format(reason="same"))

    assert reason(hooks) == "same"
    assert hooks.faults == []


BREAK = {
    "gone": lambda file: file.unlink(),
    "no Python": lambda file: rewrite(file, "def guard("),
    "fails": lambda file: rewrite(file, "raise RuntimeError('secret')"),
    "exits": lambda file: rewrite(file, "import sys; sys.exit(3)"),
    "no connector": lambda file: rewrite(file, "x = 1"),
    "no such handler": lambda file: rewrite(
        file, "from agent_connector import define_connector\nconnector = define_connector(id='acme', hooks={})"
    ),
    "needs what is not there": lambda file: rewrite(file, "import no_such_module_anywhere"),
}


@pytest.mark.parametrize("kind", BREAK)
def test_a_handler_that_cannot_be_loaded_fails_open_and_loud(install_hooks, kind):
    hooks = install_hooks(SIMPLE.format(reason="no"))
    file = hooks.project / "agent-connector.config.py"
    assert hooks.decision() == "deny"
    start = {"source": "startup", "hook_event_name": "SessionStart"}
    assert hooks.said("claude-code", "SessionStart", start)["hookSpecificOutput"]["additionalContext"] == "hello"

    BREAK[kind](file)

    assert hooks.decision() is None
    assert hooks.faults == ["unavailable"]
    assert "secret" not in (hooks.root / "logs" / "hooks.ndjson").read_text()
    told = hooks.said("claude-code", "SessionStart", start)["hookSpecificOutput"]["additionalContext"]
    assert told.startswith("hello\n\nagent-connector: a hook of the connector acme does not run (PreToolUse)")
    assert hooks.faults == ["unavailable"]

    rewrite(file, SIMPLE.format(reason="back"))
    assert hooks.said("claude-code", "SessionStart", start)["hookSpecificOutput"]["additionalContext"] == "hello"
    assert hooks.decision() == "deny"


def test_an_answer_again_takes_the_mark_away(install_hooks):
    hooks = install_hooks(SIMPLE.format(reason="no"))
    file = hooks.project / "agent-connector.config.py"
    file.rename(file.with_name("moved"))
    hooks.decision()
    marks = hooks.root / "connectors" / "acme" / "unloadable"
    assert [mark.name for mark in marks.iterdir()] == ["claude-code.PreToolUse.0"]

    file.with_name("moved").rename(file)

    assert hooks.decision() == "deny"
    assert list(marks.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="ulimit")
def test_where_nothing_can_be_written_a_deny_is_still_a_deny(handler):
    hooks = handler(
        'print("noted")\nreturn Response.deny("never")',
        more=', hook("PreToolUse", matcher="static", response=Response.deny("no"))',
    )
    launcher = hooks.root / "bin" / "agent-connector"

    for tool in ("mcp__acme__acme_drop", "static"):
        words = [launcher, "hook", "claude-code", "PreToolUse", "--connector", "acme"]
        full = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *words]
        answer = hooks.run(full, json.dumps(hooks.tool_call(tool)).encode())
        assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert answer.returncode == 0
