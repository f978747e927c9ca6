"""The ``agent-connector`` command as scripts and people meet it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_connector.mcp_server.version import VERSION

if TYPE_CHECKING:
    from conftest import Person

REPOSITORY = Path(__file__).parents[2]


def test_the_version_is_the_package_s() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION


@pytest.mark.parametrize("spelling", ["--version", "-v"])
def test_version(person: Person, spelling: str) -> None:
    assert person.run(spelling).stdout == f"agent-connector {VERSION}\n"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), ("help",)])
def test_the_overview_names_every_verb_and_nothing_that_hosts_start(
    person: Person, arguments: tuple[str, ...]
) -> None:
    shown = person.run(*arguments)
    listed = {line.split()[0] for line in shown.stdout.splitlines() if line.startswith("  ")}
    assert shown.returncode == 0
    assert listed == {
        "setup", "detect", "install", "uninstall", "upgrade", "status", "doctor", "explain", "simulate",
        "telemetry", "leaderboard", "demo", "mcp",
    }  # fmt: skip


def test_help_of_a_verb_in_every_spelling(person: Person) -> None:
    pages = {person.run(*arguments).stdout for arguments in (("install", "--help"), ("help", "install"))}
    assert len(pages) == 1
    assert "--connector-id ID" in pages.pop()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("instal",), "did you mean install or uninstall?"),
        (("frobnicate",), "the verbs are setup, detect"),
        (("--dry-run", "install"), "options come after the verb"),
        (("install", "--dry-rum"), "--dry-run"),
        (("install", "--scope", "everywhere"), "'user', 'local', 'project'"),
        (("install", "--targets", ","), "an empty list does not mean all hosts"),
        (("detect", "--targets", "claude-cod"), "claude-code"),
        (("detect", "--platform", "cursr"), "cursor"),
        (("detect", "superfluous"), "superfluous"),
        (("install", "acme-db", "--connector-id", "other"), "two connectors were named"),
    ],
)
def test_what_is_not_understood_exits_2_and_says_what_would_be(
    person: Person, arguments: tuple[str, ...], said: str
) -> None:
    answer = person.run(*arguments)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert said in answer.stderr
    assert "Traceback" not in answer.stderr
    assert answer.stderr.startswith("agent-connector: ")
    assert "\n  hint: " in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "operation"),
    [
        (("detect", "--targets", "claude-cod", "--json"), "detect"),
        (("install", "--scope", "everywhere", "--json"), "install"),
        (("sync", "--dry-rum", "--json"), "upgrade"),
        (("instal", "--json"), ""),
    ],
)
def test_under_json_an_error_is_an_envelope_on_standard_output(
    person: Person, arguments: tuple[str, ...], operation: str
) -> None:
    answer = person.run(*arguments)
    envelope = json.loads(answer.stdout)
    assert answer.returncode == 2
    assert answer.stderr == ""
    assert list(envelope) == ["version", "operation", "exit_code", "error"]
    assert (envelope["version"], envelope["operation"], envelope["exit_code"]) == (1, operation, 2)
    assert list(envelope["error"]) == ["code", "message", "hint"]
    assert envelope["error"]["code"] == "usage"


def test_a_definition_with_mistakes_lists_them_all(person: Person) -> None:
    path = person.home / "agent-connector.config.json"
    path.write_text('{"id": "Bad Id", "server": {"transport": "stdio"}}', encoding="utf-8")
    envelope = json.loads(person.run("install", "--connector", str(path), "--dry-run", "--json").stdout)
    assert envelope["exit_code"] == 1
    assert envelope["error"]["code"] == "definition-invalid"
    assert {"id", "server.command"} <= {problem["path"] for problem in envelope["error"]["problems"]}
    text = person.run("install", "--connector", str(path), "--dry-run")
    assert text.returncode == 1
    assert "server.command" in text.stderr


def test_detect_finds_what_is_there(with_hosts: Person) -> None:
    envelope = json.loads(with_hosts.run("detect", "--json").stdout)
    assert list(envelope) == ["version", "operation", "exit_code", "result"]
    assert list(envelope["result"]) == ["hosts", "current", "current_reason"]
    assert {host["id"] for host in envelope["result"]["hosts"] if host["installed"]} == {
        "claude-code",
        "codex",
        "cursor",
    }
    table = with_hosts.run("detect").stdout
    assert "~/.codex/config.toml" in table
    assert "\x1b" not in table


def test_targets_may_be_a_list_or_repeated_and_have_three_names(with_hosts: Person) -> None:
    asked = [("--targets", "codex,cursor"), ("--host", "codex", "--platform", "cursor")]
    answers = [json.loads(with_hosts.run("detect", "--json", *more).stdout) for more in asked]
    assert [[host["id"] for host in answer["result"]["hosts"]] for answer in answers] == [["codex", "cursor"]] * 2


def test_detect_writes_nothing_into_the_hosts_files(with_hosts: Person) -> None:
    before = with_hosts.files()
    with_hosts.run("detect")
    assert with_hosts.files() == before


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
@pytest.mark.parametrize("arguments", [("detect", "--json"), ("--help",), ("install", "--help"), ("--version",)])
def test_a_reader_that_goes_away_is_no_fault(with_hosts: Person, arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [with_hosts.command, *arguments],
            env=with_hosts.env,
            cwd=with_hosts.home,
            stdout=gone,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shell")
def test_a_closed_standard_output_is_no_fault(with_hosts: Person) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{with_hosts.command}' detect >&-"],
        env=with_hosts.env,
        cwd=with_hosts.home,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_line(with_hosts: Person) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [with_hosts.command, "detect"],
            env=with_hosts.env,
            cwd=with_hosts.home,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"No space left" in done.stderr


def test_a_terminal_that_knows_only_ascii_is_no_fault(person: Person) -> None:
    codex = person.home / "größe"
    codex.mkdir()
    answer = person.run("detect", "--targets", "codex", env={"PYTHONIOENCODING": "ascii", "CODEX_HOME": str(codex)})
    assert answer.returncode == 0
    assert "~/gr\\xf6\\xdfe/config.toml" in answer.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pseudo-terminals")
@pytest.mark.parametrize(("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_on_a_terminal_only_where_it_is_wanted(
    with_hosts: Person, more: dict[str, str], coloured: bool
) -> None:
    import pty

    ours, theirs = pty.openpty()
    subprocess.run(
        [with_hosts.command, "detect"],
        env={**with_hosts.env, "TERM": "xterm", **more},
        cwd=with_hosts.home,
        stdout=theirs,
        timeout=60,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 65536)
    os.close(ours)
    assert b"Claude Code" in shown
    assert (b"\x1b[" in shown) is coloured


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX removes a folder in use")
def test_a_working_folder_that_is_gone_is_said(person: Person) -> None:
    gone = person.home / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["/bin/sh", "-c", f"rmdir '{gone}' && '{person.command}' detect"],
        env=person.env,
        cwd=gone,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("agent-connector: the folder you are in no longer exists")


HEAVY = ("pydantic", "mcp", "rich", "tomlkit", "ruamel", "filelock", "anyio", "asyncio", "importlib.metadata")


def _loaded(person: Person, *arguments: str) -> set[str]:
    script = (
        "import sys; from agent_connector.mcp_server.main import main\n"
        "code = main(sys.argv[1:])\n"
        "print('\\n'.join(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, *arguments],
        env=person.env,
        cwd=person.home,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [("detect",), ("detect", "--json"), ("--help",), ("--version",)])
def test_light_verbs_load_nothing_heavy(with_hosts: Person, arguments: tuple[str, ...]) -> None:
    loaded = _loaded(with_hosts, *arguments)
    assert "agent_connector.mcp_server.main" in loaded
    assert not {name for name in loaded if name.startswith(HEAVY)}


def test_the_version_needs_no_command_line_library(person: Person) -> None:
    assert "click" not in _loaded(person, "--version")


def test_what_hosts_start_gets_its_arguments_untouched_and_no_command_line_library(person: Person) -> None:
    script = (
        "import sys, types\n"
        "seen = []\n"
        "module = types.ModuleType('agent_connector.runtime.serve'); module.main = seen.append\n"
        "sys.modules['agent_connector.runtime.serve'] = module\n"
        "from agent_connector.mcp_server.main import main\n"
        "main(sys.argv[1:]); print(seen[0][1:]); print(seen[0][0]); print('click' in sys.modules)"
    )
    given = ["serve", "--connector", "a b", "--json", "--", "x", "--help", "ü"]
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, *given],
        env=person.env,
        cwd=person.home,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    words, entry, click_loaded = done.stdout.splitlines()
    assert words == repr(given)
    assert entry.startswith(str(person.data_root))
    assert click_loaded == "False"


def test_a_hook_called_through_the_package_says_no_opinion(person: Person) -> None:
    answer = person.run("hook", "cursor", "PreToolUse", "--connector", "acme-db", stdin="{}")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "{}", "")
