"""Actions: what they are handed, that a person sees what they say, and that nothing that fails is silent."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from homes import Desk
from pythons import other_pythons

DEFINITION = """
import os, sys, time
from agent_connector import action, define_connector
{head}

{kind} deploy(ctx):
{body}

def elsewhere(ctx):
    return "for " + ctx.host

connector = define_connector(id="acme", version="1.0.0", actions=[
    action("tidy-up", lambda ctx: "tidied"),
    action("deploy", deploy, hosts={{"cursor": {{"run": elsewhere}}}}),
])
"""


@dataclass(frozen=True)
class Actions:
    """A connector's actions, installed."""

    hooks: Any

    def call(
        self, action: str = "deploy", host: str = "claude-code", **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        launcher = self.hooks.root / "bin" / "agent-connector"
        done: subprocess.CompletedProcess[bytes] = self.hooks.run(
            [launcher, "action", host, action, "--connector", "acme"], **more
        )
        return done

    def says(self, action: str = "deploy", host: str = "claude-code", **more: Any) -> str:
        """The message of an action that succeeds in silence otherwise."""
        done = self.call(action, host, **more)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().removesuffix("\n")

    def fails(self, action: str = "deploy", host: str = "claude-code", **more: Any) -> str:
        """What is told on standard error of an action that fails and says nothing else."""
        done = self.call(action, host, **more)
        assert (done.returncode, done.stdout) == (1, b"")
        return done.stderr.decode()

    @property
    def record_file(self) -> Path:
        return self.hooks.root / "connectors" / "acme" / "actions.json"

    @property
    def record(self) -> Any:
        return json.loads(self.record_file.read_bytes())


@pytest.fixture
def actions(install_hooks) -> Callable[..., Actions]:
    """Installs a connector whose action ``deploy`` has this body."""

    def installing(body: str = "pass", *, head: str = "", kind: str = "def") -> Actions:
        indented = "\n".join(f"    {text}" for text in body.strip().splitlines())
        return Actions(install_hooks(DEFINITION.format(head=head, kind=kind, body=indented)))

    return installing


@pytest.fixture
def program(install_hooks, project) -> Callable[[str], Actions]:
    """Installs a connector whose action ``deploy`` is this ``sh`` script."""

    def installing(script: str) -> Actions:
        (project / "deploy.sh").write_text(script)
        return Actions(install_hooks({"actions": [{"id": "deploy", "command": ["sh", "deploy.sh"]}]}))

    return installing


# --- what an action is handed, and what it says ------------------------------------------------------------------


def test_an_action_is_handed_who_calls_from_where(actions, tmp_path):
    mine = actions("""
return repr([ctx.host, ctx.connector, ctx.session_id, ctx.cwd, ctx.project, ctx.env["NAME"], ctx.data_dir,
    os.path.isdir(ctx["data_dir"]), hasattr(ctx, "model"), ctx.telemetry.totals()])
""")
    data = str(mine.hooks.root / "connectors" / "acme" / "data")

    here = str(tmp_path)
    assert mine.says(cwd=tmp_path, env={"NAME": "Zoë"}) == repr(
        ["claude-code", "acme", None, here, here, "Zoë", data, True, False, ()]
    )


@pytest.mark.parametrize(
    ("answer", "stdout"),
    [
        ("'done ✓'", "done ✓\n".encode()),
        ("'a\\nb\\n'", b"a\nb\n"),
        ("{'message': 'in an object'}", b"in an object\n"),
        ("{}", b""),
        ("None", b""),
        ("''", b""),
        ("'half \\ud800'", b"half ?\n"),
    ],
)
def test_what_an_action_returns_is_its_message(actions, answer, stdout):
    done = actions(f"return {answer}").call()

    assert (done.returncode, done.stdout, done.stderr) == (0, stdout, b"")


def test_an_action_may_be_async(actions):
    assert actions("import asyncio\nawait asyncio.sleep(0.01)\nreturn 'waited'", kind="async def").says() == "waited"


def test_a_host_may_have_code_of_its_own(actions):
    mine = actions("return 'for all'")

    assert [mine.says(host="codex"), mine.says(host="cursor"), mine.says("tidy-up")] == [
        "for all",
        "for cursor",
        "tidied",
    ]


def test_an_action_may_stand_elsewhere_and_is_found_by_its_id_when_others_come(install_hooks, actions, project):
    (project / "work.py").write_text("def run(ctx):\n    return 'by reference'\n")
    assert Actions(install_hooks({"actions": [{"id": "deploy", "run": "./work.py:run"}]})).says() == "by reference"
    (project / "agent-connector.config.json").unlink()

    mine = actions("return 'mine'")
    definition = project / "agent-connector.config.py"
    shifted = definition.read_text().replace("actions=[", "actions=[action('new', lambda ctx: 'new'), ")
    definition.write_text(shifted)
    assert mine.says() == "mine"


def test_what_an_action_prints_is_seen_by_the_person_and_is_no_message(actions):
    done = actions(
        "print('printed'); os.write(1, b'raw\\n'); os.system('echo child')\nreturn 'message'", head="print('loaded')"
    ).call()

    assert (done.returncode, done.stdout) == (0, b"message\n")
    assert {b"printed", b"raw", b"child", b"loaded"} <= set(done.stderr.splitlines())


def test_threads_and_exit_functions_of_an_action_are_waited_for(actions):
    done = actions("""
import atexit, threading
atexit.register(lambda: print("bye"))
threading.Thread(target=lambda: (time.sleep(0.3), print("thread"))).start()
return "started"
""").call()

    assert (done.returncode, done.stdout) == (0, b"started\n")
    assert done.stderr.splitlines() == [b"thread", b"bye"]


def test_an_action_may_take_longer_than_any_hook(actions):
    mine = actions("time.sleep(1.5)\nreturn 'slow'")

    assert "timeout_ms" not in mine.record["actions"]["deploy"]
    assert mine.says() == "slow"


def test_an_action_may_ask_the_person(actions):
    assert actions("return 'you said ' + input()").says(stdin=b"yes\n") == "you said yes"


def test_a_program_is_handed_the_context_and_prints_its_message(program, project):
    mine = program("cat; echo working >&2")

    done = mine.call(cwd=project)

    assert done.returncode == 0
    assert done.stderr == b"working\n"
    assert json.loads(done.stdout) == {
        "host": "claude-code",
        "connector": "acme",
        "session_id": None,
        "cwd": os.path.realpath(project),
        "project": os.path.realpath(project),
        "data_dir": str(mine.hooks.root / "connectors" / "acme" / "data"),
    }


def test_words_may_come_in_any_order(actions):
    mine = actions("return 'done'")
    launcher = mine.hooks.root / "bin" / "agent-connector"

    done = mine.hooks.run([launcher, "action", "--connector", "acme", "--new-flag", "codex", "deploy"])

    assert done.stdout == b"done\n"


# --- what fails --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('no staging host')", "ValueError: no staging host"),
        ("raise ValueError", "ValueError"),
        ("sys.exit('not today')", "not today"),
        ("sys.exit(3)", "ended with 3"),
        ("return 7", "it returned a int, not a message"),
        ("return {'message': 7}", "it returned a int, not a message"),
    ],
)
def test_an_action_that_fails_says_why(actions, body, told):
    assert actions(body).fails() == f"agent-connector: the action deploy of acme failed: {told}\n"


def test_where_it_failed_is_in_the_handlers_log(actions):
    mine = actions("raise ValueError('no staging host')")

    mine.fails()

    assert "in deploy" in mine.hooks.printed
    assert "ValueError: no staging host" in mine.hooks.printed


@pytest.mark.parametrize("body", ["sys.exit()", "sys.exit(0)"])
def test_an_action_may_end_itself(actions, body):
    assert actions(body).says() == ""


@pytest.mark.parametrize(
    ("action", "host", "told"),
    [
        ("deplyo", "claude-code", "no such action: 'deplyo' of connector 'acme': did you mean deploy?"),
        ("zzz", "claude-code", "no such action: 'zzz' of connector 'acme': there are deploy, tidy-up"),
        ("deploy", "claude", "no actions for a host 'claude': did you mean claude-code or"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(actions, action, host, told):
    assert told in actions().fails(action, host)


def test_an_unknown_connector_is_told_with_the_nearest(actions):
    mine = actions()

    done = mine.hooks.run(
        [mine.hooks.root / "bin" / "agent-connector", "action", "codex", "deploy", "--connector", "acne"]
    )

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"no connector 'acne' is installed here" in done.stderr
    assert b"did you mean acme?" in done.stderr


def test_a_host_where_actions_are_switched_off_has_none(install_hooks):
    mine = Actions(
        install_hooks(
            {"actions": [{"id": "deploy", "command": ["true"]}], "platforms": {"cursor": {"actions": False}}}
        )
    )

    assert mine.says() == ""
    assert "no actions for a host 'cursor'" in mine.fails(host="cursor")


def test_code_that_is_gone_or_broken_is_told(actions, project):
    mine = actions()
    (project / "agent-connector.config.py").write_text("this is no Python")
    assert "it cannot be started: SyntaxError" in mine.fails()

    (project / "agent-connector.config.py").unlink()
    assert "it cannot be started: FileNotFoundError" in mine.fails()


def test_a_program_that_fails_is_told_with_what_it_said(program):
    done = program("echo half a message; echo why >&2; exit 3").call()

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().splitlines() == [
        "why",
        "half a message",
        "agent-connector: the action deploy of acme failed: ended with 3",
    ]


def test_a_program_that_is_not_there_is_told(install_hooks):
    mine = Actions(install_hooks({"actions": [{"id": "deploy", "command": ["no-such-program-anywhere"]}]}))

    assert "it cannot be started: FileNotFoundError" in mine.fails()


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"version": 2, "actions": {"deploy": {}}, "hosts": {}}'])
def test_a_record_that_is_damaged_or_newer_is_told(actions, damage):
    mine = actions()
    mine.record_file.write_bytes(damage)

    assert "agent-connector: action: " in mine.fails()


def test_ctrl_c_ends_an_action_without_a_traceback(actions):
    mine = actions("print('running', flush=True)\ntime.sleep(60)")
    process = subprocess.Popen(
        [mine.hooks.root / "bin" / "agent-connector", "action", "codex", "deploy", "--connector", "acme"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"running\n"

    process.send_signal(2)

    assert process.communicate(timeout=20) == (b"", b"")
    assert process.returncode == 130


def test_after_uninstall_there_is_nothing_to_run(actions, desk: Desk):
    mine = actions()

    desk.uninstall("acme")

    assert "no such action: 'deploy' of connector 'acme', which has no actions here" in mine.fails()


# --- another Python ----------------------------------------------------------------------------------------------


def in_python(mine: Actions, interpreter: Path) -> None:
    record = mine.record
    version = interpreter.name.removeprefix("python")
    record["python"] |= {"executable": str(interpreter), "base": str(interpreter), "version": version, "tag": "other"}
    mine.record_file.write_text(json.dumps(record))


@pytest.mark.parametrize("interpreter", other_pythons(), ids=lambda path: path.name)
def test_an_action_of_another_python_runs_in_that_one(actions, interpreter):
    mine = actions("print('printed'); return f'{sys.version_info[1]} {ctx.host}'")
    in_python(mine, interpreter)

    done = mine.call()

    minor = interpreter.name.removeprefix("python3.")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{minor} claude-code\n".encode(), b"printed\n")


@pytest.mark.parametrize("interpreter", other_pythons()[:1], ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('no staging host')", "ValueError: no staging host"),
        ("sys.exit('not today')", "not today"),
        ("return object()", "answered what JSON cannot say"),
        ("os._exit(4)", "the handler's Python ended with 4"),
    ],
)
def test_one_of_another_python_that_fails_says_why(actions, interpreter, body, told):
    mine = actions(body)
    in_python(mine, interpreter)

    assert mine.fails() == f"agent-connector: the action deploy of acme failed: {told}\n"


def test_one_of_another_python_may_end_itself(actions):
    for interpreter in other_pythons()[:1]:
        mine = actions("sys.exit(0)")
        in_python(mine, interpreter)
        assert mine.says() == ""


# --- install -----------------------------------------------------------------------------------------------------


def test_install_says_how_actions_are_run(actions):
    report = actions().hooks.report

    told = {change.host: change for change in report.changes if change.surface == "actions"}
    assert {"claude-code", "codex", "cursor"} <= set(told)
    assert "has no native trigger for actions (tidy-up, deploy)" in told["codex"].detail
    assert told["codex"].action == "info"
    assert "agent-connector action codex <action> --connector acme" in told["codex"].fix


def test_an_action_that_will_not_run_is_told_at_install(install_hooks):
    report = install_hooks({"actions": [{"id": "deploy", "run": "./gone.py:run"}]}).report

    (told,) = [change for change in report.changes if change.surface == "actions" and change.action == "warn"]
    assert "the handler ./gone.py:run of the action deploy will not run" in told.detail
