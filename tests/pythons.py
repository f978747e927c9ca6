"""Interpreters of other versions than the one that runs the tests, as far as they are at hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")


def other_pythons() -> list[Path]:
    """One of each supported version that is found in PATH, or where version managers put them."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    found: dict[str, Path] = {}
    for version in SUPPORTED:
        for folder in folders:
            path = Path(folder, f"python{version}")
            ours = f"{sys.version_info[0]}.{sys.version_info[1]}" == version
            if not ours and path.is_file() and "shims" not in path.parts:
                found.setdefault(version, path)
    return list(found.values())
