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
from pathlib import Path

from ..values import frozen
from .neutral import Rule

FAST = ("hook", "serve", "statusline", "action", "usage-event")
"""Verbs with an entry of their own; every other one is the command line's (``main``)."""

_STAMP = "agent-connector launcher "
_REMEDY = "install agent-connector-mcp again and run its `agent-connector upgrade`"


@frozen
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
# Names begin with _ac_: what is set here must not change a variable that a server is handed.
_ac_python={python}
_ac_runtime={runtime}

_ac_root=${{0%/bin/*}}
case $_ac_root in
  /*|[A-Za-z]:*) ;;
  *) _ac_root= ;;
esac
if [ ! -d "$_ac_root/runtime/$_ac_runtime" ]; then
  # Called by a relative path or through a link: rare, so it may cost two processes.
  _ac_self=$0
  case $_ac_self in */*) ;; *) _ac_self=$(command -v -- "$_ac_self") || _ac_self=./$0 ;; esac
  if [ -h "$_ac_self" ]; then _ac_self=$(readlink -f -- "$_ac_self"); fi
  _ac_root=$(CDPATH='' cd -- "${{_ac_self%/*}}/.." && pwd)
fi

case $1 in
  {fast}) _ac_verb=$1 ;;
  *) _ac_verb=main ;;
esac
_ac_script=$_ac_root/runtime/$_ac_runtime/entry/$_ac_verb.py
if [ -x "$_ac_python" ] && [ -f "$_ac_script" ]; then
  case $_ac_verb in
    main) exec "$_ac_python" -I -S "$_ac_script" "$@" ;;
    serve)
      # In the C locale the interpreter sets another one, which is not for the server to see.
      shift
      set -- serve "--was=LC_CTYPE${{LC_CTYPE+=$LC_CTYPE}}" "$@" ;;
  esac
  exec "$_ac_python" -I -S -B "$_ac_script" "$@"
fi

case $1:$3 in
  hook:--stream) exit 127 ;;
esac
case $1 in
  hook|statusline|usage-event) [ -t 0 ] || cat >/dev/null 2>&1 ;;
esac
case $1 in
  hook)
    case $2:$3 in
{replies}    esac
    exit 0 ;;
  statusline|usage-event) exit 0 ;;
esac
if [ -x "$_ac_python" ]; then _ac_gone=$_ac_script; else _ac_gone=$_ac_python; fi
printf 'agent-connector: %s is gone: %s\\n' "$_ac_gone" {remedy} >&2
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
        'if "%~1"=="usage-event" exit /b 0',
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
