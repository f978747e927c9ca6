"""The launcher as hosts call it, after the environment that made it was deleted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from agent_connector.runtime.launcher import Stamp, posix_launcher, read_stamp, windows_launcher
from agent_connector.runtime.shell import command_line

VERSION = f"agent-connector {version('agent-connector-mcp')}\n".encode()
REMEDY = "install agent-connector-mcp again and run its `agent-connector upgrade`"
RULES = (("cursor", "*", "{}", 0), ("odd", "Stop", '{"ok": "it\'s"}', 0), ("odd", "PreToolUse", "", 3))


def test_it_answers_by_its_absolute_path(run, launcher):
    answer = run([launcher, "--version"])

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, VERSION, b"")


@pytest.mark.parametrize("command", ["bin/agent-connector", "./bin/agent-connector", "bin/../bin/./agent-connector"])
def test_it_answers_by_a_relative_path(run, launcher, command):
    answer = run([command, "--version"], cwd=launcher.parent.parent)

    assert (answer.stdout, answer.stderr) == (VERSION, b"")


def test_it_answers_from_inside_its_own_folder(run, launcher):
    assert run(["./agent-connector", "--version"], cwd=launcher.parent).stdout == VERSION
    assert run(["sh", "agent-connector", "--version"], cwd=launcher.parent).stdout == VERSION


def test_it_answers_through_the_search_path(run, launcher):
    path = f"{launcher.parent}:{os.defpath}"

    answer = run(["sh", "-c", "agent-connector --version"], env={"PATH": path})

    assert (answer.stdout, answer.stderr) == (VERSION, b"")


def test_it_answers_through_a_link(run, launcher, tmp_path):
    link = tmp_path / "agent-connector"
    link.symlink_to(launcher)

    assert run([link, "--version"]).stdout == VERSION


@pytest.mark.parametrize("shell", ["sh", "bash", "dash"])
def test_its_line_works_in_a_shell(run, launcher, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    line = command_line([str(launcher), "hook", "cursor", "PreToolUse", "--connector", "x"], "sh")

    answer = run([shell, "-c", line], b"{}")

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"{}", b"")


def test_it_needs_no_environment_at_all(launcher):
    answer = subprocess.run([launcher, "--version"], env={}, capture_output=True, check=False)

    assert (answer.stdout, answer.stderr) == (VERSION, b"")


def test_the_data_root_is_its_own_whatever_the_environment_says(run, launcher, tmp_path):
    show = "import os; print(os.environ.get('AGENT_CONNECTOR_DATA_DIR'))"
    home = str(launcher.parent.parent.parent)
    other = {"HOME": str(tmp_path), "AGENT_CONNECTOR_DATA_DIR": str(tmp_path / "elsewhere")}

    root = run([launcher, "action", "codex", "x", "--connector", "acme"], env=other).stderr
    passed_on = run([launcher, "serve", "--connector", "x", "--", sys.executable, "-c", show], env={"HOME": home})

    assert str(launcher.parent.parent).encode() in root
    assert passed_on.stdout == b"None\n"


def test_the_command_line_sees_the_launchers_data_root(run, launcher, tmp_path):
    answer = run([launcher, "status", "--json"], env={"HOME": str(tmp_path)})

    assert answer.returncode == 0, answer.stderr
    assert not (tmp_path / ".agent-connector").exists()


def test_what_it_names_is_not_in_the_environment_that_made_it(launcher):
    stamp = read_stamp(launcher)

    assert stamp is not None
    assert Path(stamp.interpreter).is_file()
    assert not (Path(stamp.interpreter).parents[1] / "pyvenv.cfg").exists()
    runtime = launcher.parent.parent / "runtime" / stamp.runtime
    links = [path for path in runtime.rglob("*") if path.is_symlink()]
    assert links == []


# --- when something is gone ------------------------------------------------------------------------------------


@pytest.fixture(params=["interpreter", "runtime", "unversioned file"])
def broken(request, tmp_path):
    """A launcher whose interpreter, runtime or interpreter's permission is gone."""
    root = tmp_path / "it's gone $x"
    python = tmp_path / "python"
    script = root / "runtime" / "1.0" / "entry"
    script.mkdir(parents=True)
    for verb in ("hook", "main", "serve", "statusline", "action", "usage-event"):
        (script / f"{verb}.py").write_text("raise SystemExit('not reached')")
    python.symlink_to(sys.executable)
    if request.param == "interpreter":
        python.unlink()
    elif request.param == "runtime":
        shutil.rmtree(root / "runtime")
    else:
        python.unlink()
        python.write_text("not a program")
    launcher = root / "bin" / "agent-connector"
    launcher.parent.mkdir()
    launcher.write_text(posix_launcher(Stamp(str(python), "1.0"), RULES))
    launcher.chmod(0o700)
    return launcher


@pytest.mark.parametrize(
    ("host", "event", "stdout", "code"),
    [
        ("claude-code", "PreToolUse", b"", 0),
        ("cursor", "PreToolUse", b"{}", 0),
        ("cursor", "Whatever", b"{}", 0),
        ("odd", "Stop", b'{"ok": "it\'s"}', 0),
        ("odd", "PreToolUse", b"", 3),
        ("odd", "SessionStart", b"", 0),
        ("nobody", "*", b"", 0),
    ],
)
def test_a_hook_still_says_no_opinion(run, broken, host, event, stdout, code):
    answer = run([broken, "hook", host, event, "--connector", "x"], b'{"a": "b"}' * 100_000)

    assert (answer.returncode, answer.stdout, answer.stderr) == (code, stdout, b"")


def test_a_statusline_stays_empty(run, broken):
    answer = run([broken, "statusline", "claude-code", "--connector", "x"], b"{}")

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"", b"")


@pytest.mark.parametrize("words", [["serve", "--", "cat"], ["doctor"], ["action", "codex", "x"], []])
def test_everything_else_says_what_is_gone_and_what_to_do(run, broken, words):
    answer = run([broken, *words])

    assert (answer.returncode, answer.stdout) == (127, b"")
    assert b"is gone" in answer.stderr
    assert b"agent-connector upgrade" in answer.stderr
    assert str(broken.parent.parent.parent).encode() in answer.stderr


def test_another_python_behind_the_same_path_is_noticed(run, tmp_path, awkward_root):
    runtime = next((awkward_root / "runtime").iterdir())
    entry = tmp_path / "root" / "runtime" / runtime.name / "entry" / "main.py"
    entry.parent.mkdir(parents=True)
    (entry.parent.parent / "site").symlink_to(runtime / "site")
    text = (runtime / "entry" / "main.py").read_text()
    assert str(tuple(sys.version_info[:2])) in text
    entry.write_text(text.replace(str(tuple(sys.version_info[:2])), "(3, 1)"))

    answer = run([sys.executable, "-I", "-S", entry, "doctor"])

    assert answer.returncode == 127
    assert b"made for Python 3.1" in answer.stderr


# --- Windows ---------------------------------------------------------------------------------------------------


def test_the_batch_file():
    text = windows_launcher(
        Stamp("C:\\Python311\\python.exe", "0.1.0"),
        [("cursor", "*", "{}", 0), ("odd", "Stop", "no", 2)],
        launcher_folder="C:\\Users\\me\\.agent-connector\\bin",
    )

    assert text.split("\r\n") == [
        "@echo off",
        ':: agent-connector launcher {"interpreter": "C:\\\\Python311\\\\python.exe", "runtime": "0.1.0"}',
        ":: What AI coding agents call. Written by agent-connector, which replaces it: changes do not last.",
        'if not exist "C:\\Python311\\python.exe" goto gone',
        'if not exist "%~dp0..\\runtime\\0.1.0\\entry\\main.py" goto gone',
        'if "%~1"=="hook" goto fast',
        'if "%~1"=="serve" goto fast',
        'if "%~1"=="statusline" goto fast',
        'if "%~1"=="action" goto fast',
        'if "%~1"=="usage-event" goto fast',
        '"C:\\Python311\\python.exe" -I -S "%~dp0..\\runtime\\0.1.0\\entry\\main.py" %*',
        "exit /b %errorlevel%",
        ":fast",
        '"C:\\Python311\\python.exe" -I -S -B "%~dp0..\\runtime\\0.1.0\\entry\\%~1.py" %*',
        "exit /b %errorlevel%",
        ":gone",
        'if "%~1"=="statusline" exit /b 0',
        'if "%~1"=="usage-event" exit /b 0',
        'if not "%~1"=="hook" goto loud',
        'if "%~2"=="cursor" (echo({}& exit /b 0)',
        'if "%~2"=="odd" if "%~3"=="Stop" (echo(no& exit /b 2)',
        "exit /b 0",
        ":loud",
        "echo agent-connector: its Python or its runtime is gone: " + REMEDY + " 1>&2",
        "exit /b 127",
        "",
    ]


def test_a_batch_file_names_an_interpreter_with_other_letters_by_a_plain_way():
    home = "C:\\Users\\Zoë"
    stamp = Stamp(home + "\\AppData\\Local\\Python311\\python.exe", "0.1.0")

    near = windows_launcher(stamp, [], launcher_folder=home + "\\.agent-connector\\bin")
    far = windows_launcher(stamp, [], launcher_folder="D:\\data\\bin")

    assert near.isascii()
    assert 'if not exist "%~dp0..\\..\\AppData\\Local\\Python311\\python.exe" goto gone' in near
    assert far.split("\r\n")[3] == "chcp 65001 >nul"


def test_a_batch_file_keeps_percent_signs_out_of_expansion(tmp_path):
    stamp = Stamp("C:\\100%\\python.exe", "0.1.0")
    text = windows_launcher(stamp, [], launcher_folder="C:\\x\\bin")
    file = tmp_path / "agent-connector.cmd"
    file.write_text(text, newline="")

    assert '"C:\\100%%\\python.exe"' in text
    assert "100%\\" not in text.replace("%%", "")
    assert read_stamp(file) == stamp


def test_another_file_is_no_launcher_of_ours(tmp_path):
    file = tmp_path / "agent-connector"
    assert read_stamp(file) is None
    file.write_text("#!/bin/sh\n# agent-connector launcher {not json\n")
    assert read_stamp(file) is None
    file.write_text("#!/bin/sh\nexec something else\n")
    assert read_stamp(file) is None
