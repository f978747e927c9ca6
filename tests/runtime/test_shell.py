from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from agent_connector.runtime.shell import command_line, committed_command, line_if_there, windows_argument
from hypothesis import given
from hypothesis import strategies as st

AWKWARD = [
    "plain",
    "",
    "two words",
    "it's",
    'say "hi"',
    "$HOME",
    "`id`",
    "$(id)",
    "a&b",
    "100%",
    "%PATH%",
    "^caret^",
    "bang!",
    "back\\slash\\",
    "C:\\Program Files (x86)\\",
    "ünï·çødé 漢字",
    "a;b|c<d>e",
    "*?[x]",
    "~",
    "#no comment",
    "line\nbreak",
    "-- --flag=1",
]


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "busybox"])
def test_sh_hands_on_every_word_as_it_was(shell: str) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} here")
    line = command_line([sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))", *AWKWARD], "sh")

    answer = subprocess.run(
        [found, *(["sh"] if shell == "busybox" else []), "-c", line], capture_output=True, check=True
    )

    assert json.loads(answer.stdout) == AWKWARD


def test_sh_starts_a_program_in_an_awkward_folder(tmp_path: Path) -> None:
    program = tmp_path / 'Zoë\'s $HOME & "100%" `x` ^!' / "agent-connector"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s" "$*"\n')
    program.chmod(0o700)

    answer = subprocess.run(
        ["sh", "-c", command_line([str(program), "hook", "x"], "sh")], capture_output=True, check=True
    )

    assert answer.stdout == b"hook x"


@given(st.lists(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])), min_size=1))
def test_sh_lines_split_back_into_the_words(words: list[str]) -> None:
    words = [words[0] or "x", *words[1:]]

    assert shlex.split(command_line(words, "sh")) == words


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["C:\\Users\\me\\agent-connector.cmd", "hook", "codex"], "C:\\Users\\me\\agent-connector.cmd hook codex"),
        (["C:\\John Doe\\a.cmd", "hook"], "C:\\John^ Doe\\a.cmd hook"),
        (["C:\\a&b\\100%\\x^!\\a.cmd"], "C:\\a^&b\\100^%\\x^^^!\\a.cmd"),
        (["C:\\(x86)\\a.cmd"], "C:\\^(x86^)\\a.cmd"),
        (["C:\\Zoë\\O'Neil\\a.cmd"], "C:\\Zoë\\O^'Neil\\a.cmd"),
        (["a.cmd", "two words"], 'a.cmd ^^^"two^^^ words^^^"'),
        (["a.cmd", ""], 'a.cmd ^^^"^^^"'),
        (["a.cmd", "%PATH%"], 'a.cmd ^^^"^^^%PATH^^^%^^^"'),
    ],
)
def test_cmd_lines(argv: list[str], line: str) -> None:
    assert command_line(argv, "cmd") == line


@given(st.lists(st.text(st.characters(blacklist_characters="\0\r\n", blacklist_categories=["Cs"])), min_size=1))
def test_cmd_lines_reach_a_program_behind_a_batch_file_as_they_were(words: list[str]) -> None:
    words = ["C:\\it is\\a&b.cmd", *words]

    command, arguments = _cmd_reads(command_line(words, "cmd"))

    assert command == words[0]
    # The batch file hands ``%*`` to the program, in a line that is read like the first.
    assert _c_program_reads(_without_carets(arguments)) == words[1:]


def _cmd_reads(line: str) -> tuple[str, str]:
    """(command, rest) of a line, as cmd.exe takes it apart: it ends a command at an unescaped space."""
    at = 0
    while at < len(line) and line[at] != " ":
        at += 2 if line[at] == "^" else 1
    return _without_carets(line[:at]), _without_carets(line[at + 1 :])


def _without_carets(text: str) -> str:
    read, at, quoted = "", 0, False
    while at < len(text):
        character = text[at]
        if character == "^" and not quoted:
            at += 1
            character = text[at]
        elif character == '"':
            quoted = not quoted
        else:
            assert quoted or character not in "&|<>()%!", f"{character} would be taken for syntax in {text!r}"
        read += character
        at += 1
    return read


def _c_program_reads(text: str) -> list[str]:
    """The argument vector of a C program on Windows."""
    words: list[str] = []
    word: str | None = None
    quoted = False
    at = 0
    while at < len(text):
        run = len(text[at:]) - len(text[at:].lstrip("\\"))
        if run:
            at += run
            if text[at : at + 1] != '"':
                word = (word or "") + "\\" * run
                continue
            word = (word or "") + "\\" * (run // 2)
            if run % 2:
                word += '"'
                at += 1
            continue
        character = text[at]
        at += 1
        if character == '"':
            quoted, word = not quoted, word or ""
        elif character in " \t" and not quoted:
            words += [word] if word is not None else []
            word = None
        else:
            word = (word or "") + character
    return words + ([word] if word is not None else [])


def test_windows_arguments_double_backslashes_before_quotes_only() -> None:
    assert windows_argument('C:\\a "b" c\\') == '"C:\\a \\"b\\" c\\\\"'


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["C:\\Users\\me\\a.cmd", "hook", "x"], "C:\\Users\\me\\a.cmd hook x"),
        (["C:\\John Doe\\a.cmd", "hook"], "C:\\John` Doe\\a.cmd hook"),
        (["C:\\O'Neil & $x\\a.cmd"], "C:\\O`'Neil` `&` `$x\\a.cmd"),
        (["C:\\O\u2019Neil\\a.cmd"], "C:\\O`\u2019Neil\\a.cmd"),
        (["a.cmd", "it's $5", "100%"], "a.cmd 'it''s $5' '100%'"),
        (["a.cmd", ""], "a.cmd ''"),
    ],
)
def test_powershell_lines_need_no_call_operator(argv: list[str], line: str) -> None:
    assert command_line(argv, "powershell") == line


@pytest.mark.parametrize(("argv", "shell"), [([], "sh"), ([""], "sh"), (["a\0b"], "sh"), (["a\nb"], "cmd")])
def test_what_a_shell_cannot_say_is_refused(argv: list[str], shell: str) -> None:
    with pytest.raises(ValueError, match=r"command|no way"):
        command_line(argv, shell)  # type: ignore[arg-type]


HOOK = ("hook", "claude-code", "PreToolUse", "--connector", "acme")


def test_a_committed_line_does_nothing_for_a_teammate_without_us(tmp_path: Path) -> None:
    answer = subprocess.run(
        ["sh", "-c", committed_command(HOOK, "sh")], capture_output=True, check=False, env={"HOME": str(tmp_path)}
    )

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"", b"")


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("shell", ["sh", "any"])
def test_a_committed_line_runs_the_launcher_of_whoever_runs_it(
    tmp_path: Path, *, elsewhere: bool, shell: str
) -> None:
    if elsewhere and shell == "any":
        pytest.skip("this form knows the usual place only")
    home = tmp_path / "Zoë's $x & y"
    root = tmp_path / 'other "root"' if elsewhere else home / ".agent-connector"
    launcher = root / "bin" / "agent-connector"
    launcher.parent.mkdir(parents=True)
    launcher.write_text('#!/bin/sh\nprintf "%s" "$*"\nexit 3\n')
    launcher.chmod(0o700)
    env = {"HOME": str(home), **({"AGENT_CONNECTOR_DATA_DIR": str(root)} if elsewhere else {})}

    line = committed_command(HOOK, shell)  # type: ignore[arg-type]
    answer = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=env)

    assert (answer.returncode, answer.stdout) == (3, " ".join(HOOK).encode())
    assert str(tmp_path) not in line


def test_committed_lines_for_windows() -> None:
    launcher = '"%USERPROFILE%\\.agent-connector\\bin\\agent-connector.cmd"'
    assert committed_command(HOOK, "cmd") == f"if exist {launcher} {launcher} {' '.join(HOOK)}"
    assert committed_command(HOOK, "any") == f'"$HOME/.agent-connector/bin/agent-connector" {" ".join(HOOK)}'


def test_a_committed_line_for_powershell() -> None:
    launcher = '"$HOME\\.agent-connector\\bin\\agent-connector.cmd"'
    assert committed_command(HOOK, "powershell") == f"if (Test-Path {launcher}) {{ & {launcher} {' '.join(HOOK)} }}"


def test_a_line_of_a_host_that_fails_closed_ends_well_where_the_program_is_gone(tmp_path: Path) -> None:
    program = tmp_path / "Zoë's $x & y" / "agent-connector"
    line = line_if_there([str(program), *HOOK], "sh")

    def ran() -> tuple[int, bytes, bytes]:
        answer = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
        return answer.returncode, answer.stdout, answer.stderr

    assert ran() == (0, b"", b"")
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s" "$*"\n')
    program.chmod(0o700)
    assert ran() == (0, " ".join(HOOK).encode(), b"")


@pytest.mark.parametrize("committed", [False, True])
def test_a_line_of_a_host_that_forbids_on_silence_says_so_much(tmp_path: Path, committed: bool) -> None:
    program = tmp_path / "Zoë's $x & y" / "bin" / "agent-connector"
    said = '{"decision":"ask"}'
    line = line_if_there([str(program), *HOOK], "sh", said)
    if committed:
        line = committed_command(HOOK, "sh", said)
    env = {"AGENT_CONNECTOR_DATA_DIR": str(program.parents[1])}

    def ran() -> tuple[int, bytes, bytes]:
        answer = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=env)
        return answer.returncode, answer.stdout.strip(), answer.stderr

    assert ran() == (0, said.encode(), b"")
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s" "$*"\nexit 3\n')
    program.chmod(0o700)
    assert ran() == (3, " ".join(HOOK).encode(), b"")


def test_what_such_lines_say_for_windows() -> None:
    argv, said = ["C:\\John Doe\\a.cmd", "hook"], '{"decision":"ask"}'
    assert (
        line_if_there(argv, "cmd", said)
        == 'if exist C:\\John^ Doe\\a.cmd (C:\\John^ Doe\\a.cmd hook) else (echo {^"decision^":^"ask^"})'
    )
    assert (
        line_if_there(argv, "powershell", said)
        == "if (Test-Path -LiteralPath 'C:\\John Doe\\a.cmd') { & C:\\John` Doe\\a.cmd hook } else { '" + said + "' }"
    )
    assert committed_command(["hook"], "powershell", said).endswith(" hook } else { '" + said + "' }")


def test_such_lines_for_windows() -> None:
    argv = ["C:\\John Doe\\a.cmd", "hook"]
    assert line_if_there(argv, "cmd") == "if exist C:\\John^ Doe\\a.cmd C:\\John^ Doe\\a.cmd hook"
    assert (
        line_if_there(argv, "powershell")
        == "if (Test-Path -LiteralPath 'C:\\John Doe\\a.cmd') { & C:\\John` Doe\\a.cmd hook }"
    )


def test_a_committed_line_takes_plain_words_only() -> None:
    with pytest.raises(ValueError, match="plain words"):
        committed_command(["hook", "$(id)"], "sh")
