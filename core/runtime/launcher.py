"""The home launcher's text, for POSIX and for Windows: pure functions of what it names.

It is the one command that host configs point at. It finds the data root from its own place (hosts strip the
environment of what they start), and where its interpreter or runtime is gone a hook still says "no opinion" and a
server still says why.
"""

from __future__ import annotations

import json
import ntpath
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .neutral import Rule

FAST = ("hook", "serve", "statusline", "action")
"""Verbs with an entry of their own; every other one is the command line's (``main``)."""

_STAMP = "agent-connector launcher "
_REMEDY = "install agent-connector-mcp again and run its `agent-connector upgrade`"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a launcher names: the interpreter's path and the folder below ``runtime/``."""

    interpreter: str
    runtime: str


def read_stamp(launcher: Path) -> Stamp | None:
    """The stamp of a launcher of ours; ``None`` where there is none, or another kind of file."""
    try:
        lines = launcher.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    for line in lines[:4]:
        _, found, text = line.partition(_STAMP)
        if found:
            try:
                values = json.loads(text)
                return Stamp(values["interpreter"], values["runtime"])
            except (ValueError, TypeError, KeyError):
                return None
    return None


def _stamp_line(stamp: Stamp) -> str:
    # A batch file expands percent signs even in comments.
    text = json.dumps({"interpreter": stamp.interpreter, "runtime": stamp.runtime}).replace("%", "\\u0025")
    return _STAMP + text


def posix_launcher(stamp: Stamp, rules: Iterable[Rule]) -> str:
    """The ``sh`` script. ``rules`` are the hosts' neutral replies (see :mod:`.neutral`)."""
    replies = "".join(
        f"      {shlex.quote(host)}:{'*' if event == '*' else shlex.quote(event)}) "
        f"printf %s {shlex.quote(stdout)}; exit {code} ;;\n"
        for host, event, stdout, code in rules
    )
    return _POSIX.format(
        stamp=_stamp_line(stamp),
        python=shlex.quote(stamp.interpreter),
        runtime=shlex.quote(stamp.runtime),
        fast="|".join(FAST),
        replies=replies,
        remedy=shlex.quote(_REMEDY),
    )


_POSIX = """\
#!/bin/sh
# {stamp}
# What AI coding agents call. Written by agent-connector, which replaces it: changes do not last.
python={python}
runtime={runtime}

root=${{0%/bin/*}}
case $root in
  /*|[A-Za-z]:*) ;;
  *) root= ;;
esac
if [ ! -d "$root/runtime/$runtime" ]; then
  # Called by a relative path or through a link: rare, so it may cost two processes.
  self=$0
  case $self in */*) ;; *) self=$(command -v -- "$self") || self=./$0 ;; esac
  if [ -h "$self" ]; then self=$(readlink -f -- "$self"); fi
  root=$(CDPATH='' cd -- "${{self%/*}}/.." && pwd)
fi

case $1 in
  {fast}) entry=$1 ;;
  *) entry=main ;;
esac
script=$root/runtime/$runtime/entry/$entry.py
if [ -x "$python" ] && [ -f "$script" ]; then
  if [ "$entry" = main ]; then exec "$python" -I -S "$script" "$@"; fi
  exec "$python" -I -S -B "$script" "$@"
fi

case $1 in
  hook|statusline) [ -t 0 ] || cat >/dev/null 2>&1 ;;
esac
case $1 in
  hook)
    case $2:$3 in
{replies}    esac
    exit 0 ;;
  statusline) exit 0 ;;
esac
if [ -x "$python" ]; then missing=$script; else missing=$python; fi
printf 'agent-connector: %s is gone: %s\\n' "$missing" {remedy} >&2
exit 127
"""


def windows_launcher(stamp: Stamp, rules: Iterable[Rule], *, launcher_folder: str) -> str:
    """The batch file, in CRLF lines. ``launcher_folder`` is where it will stand (``…\\bin``), to name the
    interpreter relative to it where its full path has letters that batch files cannot hold."""
    python, chcp = _batch_path(stamp.interpreter, launcher_folder)
    entry = f"%~dp0..\\runtime\\{stamp.runtime}\\entry"
    lines = [
        "@echo off",
        f":: {_stamp_line(stamp)}",
        ":: What AI coding agents call. Written by agent-connector, which replaces it: changes do not last.",
        *(["chcp 65001 >nul"] if chcp else []),
        f'if not exist "{python}" goto gone',
        f'if not exist "{entry}\\main.py" goto gone',
    ]
    for verb in FAST:
        lines.append(f'if "%~1"=="{verb}" goto fast')
    lines += [
        f'"{python}" -I -S "{entry}\\main.py" %*',
        "exit /b %errorlevel%",
        ":fast",
        f'"{python}" -I -S -B "{entry}\\%~1.py" %*',
        "exit /b %errorlevel%",
        ":gone",
        'if "%~1"=="statusline" exit /b 0',
        'if not "%~1"=="hook" goto loud',
    ]
    for host, event, stdout, code in rules:
        condition = f'if "%~2"=="{host}"' + ("" if event == "*" else f' if "%~3"=="{event}"')
        # ``echo(`` prints an empty text as well; what replies hold is ASCII without percent signs or carets.
        lines.append(f"{condition} (echo({_batch_echo(stdout)}& exit /b {code})")
    lines += [
        "exit /b 0",
        ":loud",
        f"echo agent-connector: its Python or its runtime is gone: {_REMEDY} 1>&2",
        "exit /b 127",
    ]
    return "\r\n".join(lines) + "\r\n"


def _batch_path(path: str, folder: str) -> tuple[str, bool]:
    """``path`` for a batch file, and whether the file must switch to UTF-8: cmd.exe reads it in the console's
    code page, so letters outside ASCII are avoided by naming the path relative to the launcher's own folder."""
    escaped = path.replace("%", "%%")
    if path.isascii():
        return escaped, False
    if ntpath.splitdrive(path)[0].lower() == ntpath.splitdrive(folder)[0].lower():
        relative = ntpath.relpath(path, folder)
        if relative.isascii():
            return "%~dp0" + relative.replace("%", "%%"), False
    return escaped, True


def _batch_echo(text: str) -> str:
    return "".join("^" + character if character in "^&|<>()" else character for character in text).replace("%", "%%")
