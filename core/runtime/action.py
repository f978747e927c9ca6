"""``action <host> <action> --connector <id>``: an action a person asked for. Unlike a hook it fails loudly."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from .process import data_root_of, fail, value_of
from .records import read_record


def main(argv: list[str]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``action``, host, action, flags."""
    _host, action = [*argv[2:4], "", ""][:2]
    connector = value_of("--connector", argv)
    if not action or not connector:
        fail(2, "usage: agent-connector action <host> <action> --connector <id>")
    fail(1, _refusal(action, connector, Path(data_root_of(argv[0]))))


def _refusal(action: str, connector: str, data_root: Path) -> str:
    try:
        record = read_record(data_root, connector)
    except (ValueError, OSError) as error:
        return f"action: {error}"
    if record is None:
        return f"action: no connector {connector!r} is installed here (in {data_root})"
    return f"action: no such action: {action!r} of connector {connector!r}"
