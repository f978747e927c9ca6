"""Reading TOML, YAML and JSON files of an author's, with line and column where one does not parse."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import ConnectorConfigError, Problem


def unreadable(path: Path, reason: str, line: int = 0, column: int = 0, hint: str = "") -> ConnectorConfigError:
    """The error for a file that cannot be read, parsed or run."""
    where = ":".join([str(path), *(str(number) for number in (line, column) if number)])
    return ConnectorConfigError((Problem(where, reason, hint),), source=str(path), line=line, column=column)


def read_text(path: Path) -> str:
    """The file's text without a byte order mark. Raises :class:`ConnectorConfigError`."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise unreadable(path, f"cannot be read: {fault.strerror or fault}") from fault
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        before = data[: fault.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise unreadable(path, "is not UTF-8 text", line, column, "save the file as UTF-8") from fault


def read_toml(path: Path) -> Any:
    import tomllib

    text = read_text(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        line, column = _toml_position(str(fault), text)
        reason = re.sub(r"\s*\(at [^()]*\)$", "", str(fault))
        raise unreadable(path, f"is not valid TOML: {reason}", line, column) from fault
    except RecursionError as fault:
        raise unreadable(path, "is nested too deeply") from fault


def _toml_position(message: str, text: str) -> tuple[int, int]:
    # tomllib says where only in its message (attributes came with Python 3.14)
    found = re.search(r"\(at line (\d+), column (\d+)\)", message)
    if found:
        return int(found[1]), int(found[2])
    lines = text.split("\n")
    return len(lines), len(lines[-1]) + 1


def read_json(path: Path) -> Any:
    import json

    repeated: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        repeated.extend(name for index, name in enumerate(names) if name in names[:index])
        return dict(pairs)

    text = read_text(path)
    try:
        value = json.loads(text, object_pairs_hook=members)
    except json.JSONDecodeError as fault:
        raise unreadable(path, f"is not valid JSON: {fault.msg}", fault.lineno, fault.colno) from fault
    except RecursionError as fault:
        raise unreadable(path, "is nested too deeply") from fault
    if repeated:
        raise unreadable(path, f'has the key "{repeated[0]}" twice in one object')
    return value


def read_yaml(path: Path) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    text = read_text(path)
    try:
        return YAML(typ="safe", pure=True).load(text)
    except MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        reason = fault.problem or fault.context or "syntax error"
        raise unreadable(path, f"is not valid YAML: {reason}", line, column) from fault
    except (YAMLError, ValueError) as fault:
        raise unreadable(path, f"is not valid YAML: {fault}") from fault
    except RecursionError as fault:
        raise unreadable(path, "is nested too deeply") from fault


READERS: dict[str, Callable[[Path], Any]] = {
    ".toml": read_toml,
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".json": read_json,
}
