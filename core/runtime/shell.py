"""Command lines for the shells that hosts use: whatever a home folder is called, the words arrive as they were.

Host entries are lines in a config file, read by ``sh``, ``cmd.exe`` or PowerShell. A line is made for one shell.
Files that people commit hold no home path; their lines stand here too.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Literal

from ..vocabulary import Shell

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:\\")
_CMD_SPECIAL = frozenset("()[]%!^\"`<>&|;,*?=' \t")
# PowerShell takes typographic quotes for quotes.
_POWERSHELL_QUOTES = "'\u2018\u2019\u201a\u201b"
_POWERSHELL_SPECIAL = frozenset(_POWERSHELL_QUOTES + '\u201c\u201d\u201e`"$&|;<>(){}[]@#%, \t')


def command_line(argv: Sequence[str], shell: Shell) -> str:
    """The line that makes ``shell`` start ``argv[0]`` with exactly the words of ``argv``.

    Raises ``ValueError`` for an empty command and for words a shell has no spelling for (NUL; line breaks outside
    ``sh``).
    """
    if not argv or not argv[0]:
        raise ValueError("a command line needs a command")
    forbidden = "\0" if shell == "sh" else "\0\r\n"
    for word in argv:
        if any(character in word for character in forbidden):
            raise ValueError(f"{shell} has no way to write the word {word!r}")
    if shell == "sh":
        return shlex.join(argv)
    command, *arguments = argv
    if shell == "cmd":
        return " ".join([_escape(command, _CMD_SPECIAL, "^"), *map(_cmd_argument, arguments)])
    return " ".join([_escape(command, _POWERSHELL_SPECIAL, "`"), *map(_powershell_argument, arguments)])


def line_if_there(argv: Sequence[str], shell: Shell, otherwise: str = "") -> str:
    """As :func:`command_line`; where the program is not there any more it says ``otherwise``, or nothing at all, and
    ends well."""
    program = argv[0]
    there = {
        "sh": shlex.quote(program),
        "cmd": _escape(program, _CMD_SPECIAL, "^"),
        "powershell": _powershell_argument(program),
    }[shell]
    return _if_there(there, command_line(argv, shell), shell, otherwise)


def _if_there(program: str, line: str, shell: Shell, otherwise: str) -> str:
    """``program`` and ``line`` as the shell reads them; ``otherwise`` as it is to be said."""
    if shell == "sh":
        if not otherwise:
            return f"[ ! -x {program} ] || {line}"
        return f"if [ -x {program} ]; then {line}; else echo {shlex.quote(otherwise)}; fi"
    if shell == "cmd":
        # Text that stands in parentheses ends at the next one, so it is escaped whole.
        said = f" else (echo {_escape(otherwise, _CMD_SPECIAL, '^')})" if otherwise else ""
        return f"if exist {program} ({line}){said}" if said else f"if exist {program} {line}"
    said = f" else {{ {_powershell_text(otherwise)} }}" if otherwise else ""
    test = "Test-Path -LiteralPath" if program.startswith("'") or not program.startswith('"') else "Test-Path"
    return f"if ({test} {program}) {{ & {line} }}{said}"


def _escape(text: str, special: frozenset[str], mark: str) -> str:
    return "".join(mark + character if character in special else character for character in text)


# cmd.exe: the command word carries no quotes, because ``cmd /c`` strips the first and the last quote of a line under
# conditions that hosts do not control, and because quotes do not stop ``%NAME%``; a caret stops everything. The
# launcher is a batch file, which reads its arguments a second time: they are escaped twice.


def _cmd_argument(word: str) -> str:
    if word and all(character in _PLAIN for character in word):
        return word
    return _escape(_escape(windows_argument(word), _CMD_SPECIAL, "^"), _CMD_SPECIAL, "^")


def windows_argument(word: str) -> str:
    """``word`` in double quotes, as the argument parser of C programs on Windows reads them back."""
    quoted = ""
    backslashes = 0
    for character in word:
        if character == "\\":
            backslashes += 1
            continue
        # Backslashes count double in front of a quote only.
        quoted += "\\" * (2 * backslashes + 1 if character == '"' else backslashes) + character
        backslashes = 0
    return f'"{quoted}{chr(92) * (2 * backslashes)}"'


# PowerShell: a quoted first word is an expression unless ``&`` stands before it, and some hosts write that ``&``
# themselves. A bare word with escaped characters is a command either way.


def _powershell_argument(word: str) -> str:
    if word and all(character in _PLAIN for character in word):
        return word
    return _powershell_text(word)


def _powershell_text(word: str) -> str:
    for quote in _POWERSHELL_QUOTES:
        word = word.replace(quote, quote * 2)
    return f"'{word}'"


# --- lines that people commit ----------------------------------------------------------------------------------

_SH_LAUNCHER = '"${AGENT_CONNECTOR_DATA_DIR:-$HOME/.agent-connector}/bin/agent-connector"'
_CMD_LAUNCHER = '"%USERPROFILE%\\.agent-connector\\bin\\agent-connector.cmd"'
_POWERSHELL_LAUNCHER = '"$HOME\\.agent-connector\\bin\\agent-connector.cmd"'
_ANY_LAUNCHER = '"$HOME/.agent-connector/bin/agent-connector"'


def committed_command(arguments: Sequence[str], shell: Shell | Literal["any"], otherwise: str = "") -> str:
    """The line for a file that people commit: the launcher in whoever's home, or nothing where there is none.

    Lines of a shell end with status 0 on a machine without agent-connector, and print ``otherwise``. ``any`` is for
    hosts whose shell differs by system: it is valid in ``sh`` and, behind the ``&`` such hosts write, in PowerShell,
    but fails where there is no launcher. ``arguments`` are the words after the launcher: plain ones only (ids, event
    names, flags), or ``ValueError``.
    """
    for word in arguments:
        if not word or not all(character in _PLAIN for character in word):
            raise ValueError(f"a committed line takes plain words only, not {word!r}")
    rest = " ".join(arguments)
    if shell == "any":
        return f"{_ANY_LAUNCHER} {rest}"
    launcher = {"sh": _SH_LAUNCHER, "cmd": _CMD_LAUNCHER, "powershell": _POWERSHELL_LAUNCHER}[shell]
    return _if_there(launcher, f"{launcher} {rest}", shell, otherwise)
