"""Which handlers of a connector's hooks cannot run, by a look at what they left behind and at their files.

Nothing of an author's is run to find out.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ..detection import which
from ..machine import Machine
from ..masking import mask_line
from ..runtime.author import python_tag
from ..runtime.handler_places import static_fault
from ..runtime.hook_log import handler_key
from ..values import frozen
from .hook_history import Mark, newest


@frozen
class Broken:
    """``warn``: it may be found from where the host starts it. ``since_ms``: 0 where it was not needed yet."""

    event: str
    what: str
    why: str
    status: Literal["warn", "fail"] = "fail"
    since_ms: int = 0


def broken_handlers(
    record: Mapping[str, Any], host: str, marks: Mapping[str, Mark], folder: str, machine: Machine
) -> Iterator[Broken]:
    """Of one host. ``folder``: the definition's, ``""`` where it has none."""
    for event, index, entry in code_entries(record, host):
        mark = marks.get(handler_key(host, event, index))
        if entry["kind"] == "command":
            status, why, files = _program(entry["command"], folder, machine)
            what = mask_line(shlex.join(entry["command"]))
        else:
            status, why, files = _function(entry["handler"], record["python"])
            what = _name(entry["handler"])
        if mark is not None and (status != "fail") and not _touched_since(mark, files):
            status, why = "fail", why or "it could not be started the last time it was needed"
        if status != "pass":
            yield Broken(event, what, why, status, mark.since_ms if mark else 0)


def code_entries(record: Mapping[str, Any], host: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """(event, index, entry) of every handler that is code."""
    told = record["hosts"].get(host, {"events": {}, "native": {}})
    for event, entries in (*told["events"].items(), *told["native"].items()):
        for index, entry in enumerate(entries):
            if entry["kind"] != "static":
                yield event, index, entry


Finding = tuple[Literal["pass", "warn", "fail"], str, list[str]]
"""(how it looks, why, the files whose change may have mended it)."""


def _program(command: list[str], folder: str, machine: Machine) -> Finding:
    program = command[0]
    found = which(machine, program)
    files = [found or program]
    if not found:
        by_path = len(Path(program).parts) > 1
        where = "is not there, or may not be run" if by_path else "is not on this search path"
        return ("fail" if by_path else "warn"), f"{program} {where}", files
    for word in command[1:]:
        # Files beside the definition were named for good at install; what a program makes itself stands elsewhere.
        if folder and Path(word).is_absolute() and Path(word).is_relative_to(folder):
            files.append(word)
            if not Path(word).exists():
                return "fail", f"{word} does not exist", files
    return "pass", "", files


def _function(handler: Mapping[str, Any], python: Mapping[str, Any]) -> Finding:
    file = str(handler.get("file", ""))
    files = [file, *python["path"], *python["folders"]]
    if not file:
        module = handler.get("module")
        why = f"no module {module} was found" if module else "it was not found"
        return "fail", f"{why} when it was installed", files
    if python["tag"] != python_tag():  # of a Python whose syntax may be another
        if not any(Path(path).exists() for path in (python["executable"], python["base"])):
            return "fail", f"its Python {python['executable']} is gone", [*files, python["executable"]]
        return ("pass", "", files) if Path(file).is_file() else ("fail", f"{file} does not exist", files)
    if not file.endswith(".py"):
        return ("pass", "", files) if Path(file).is_file() else ("fail", f"{file} does not exist", files)
    why = static_fault(file, str(handler.get("name", "")))
    return ("fail", why, files) if why else ("pass", "", files)


def _name(handler: Mapping[str, Any]) -> str:
    where = handler.get("file") or handler.get("module") or "a Python handler"
    name = handler.get("name") or handler.get("qualname") or ""
    return f"{where}:{name}" if name else str(where)


def _touched_since(mark: Mark, files: Iterable[str]) -> bool:
    """Whether anything it needs was changed, or installed, after it last failed."""
    return newest(_changed_ms(file) for file in files if file) > mark.tried_ms


def _changed_ms(path: str) -> int:
    try:
        found = Path(path).stat()
    except OSError:
        return 0
    return max(found.st_mtime_ns, found.st_ctime_ns) // 1_000_000


def missing_folders(record: Mapping[str, Any]) -> list[str]:
    """What of the environment that Python handlers were installed from is gone."""
    used = any(entry["kind"] == "python" for host in record["hosts"] for _, _, entry in code_entries(record, host))
    return [path for path in record["python"]["path"] if not Path(path).exists()] if used else []
