"""There and back again: a connector is put into one host among a person's own files, looked at, and taken out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from homes import Desk, snapshot


def trip(desk: Desk, host: str, scope: str, definition: dict[str, Any], before: Mapping[str, str]) -> dict[str, str]:
    """The home's files while the connector is in ``host``: relative path -> text, of those that changed or are new.

    ``before``: relative path -> text of a person's files, which are there again, byte for byte, in the end.
    Installing twice changes nothing the second time.
    """
    home = Path(desk.context.machine.home)
    for path, text in before.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(text.encode())
    found = snapshot(home)
    assert desk.install(definition, targets=(host,), scope=scope).exit_code == 0
    installed = snapshot(home)
    assert desk.install(definition, targets=(host,), scope=scope).exit_code == 0
    assert snapshot(home) == installed
    assert desk.uninstall(definition["id"], targets=(host,), scope=scope).exit_code == 0
    assert snapshot(home) == found
    texts = {path: data.decode() for path, (data, _) in installed.items() if found.get(path, (b"",))[0] != data}
    return {path: _without_the_launcher(text, str(desk.context.machine.launcher)) for path, text in texts.items()}


def _without_the_launcher(text: str, launcher: str) -> str:
    """``LAUNCHER`` in its place, however it is quoted."""
    for spelled in (shlex.quote(launcher), launcher.replace("$", "\\$"), launcher):
        text = text.replace(json.dumps(spelled, ensure_ascii=False)[1:-1], "LAUNCHER").replace(spelled, "LAUNCHER")
    return text
