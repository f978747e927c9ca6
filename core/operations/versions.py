"""Versions of the hosts' programs, asked once per binary: the answer is kept with the binary's modification time.

The cache lives in the data root and is written only where that exists already: looking creates nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .context import Context

TIMEOUT_SECONDS = 10.0


def host_versions(context: Context, binaries: Mapping[str, str]) -> dict[str, str]:
    """``binaries``: host id -> where its program is. Unknown versions are ``""``.

    Some hosts make their folder in the home at any call (Codex 0.171 does). Looking must not: the variable that moves
    a host's folder sends it to one that is gone afterwards.
    """
    cache_file = context.data_root / "cache" / "host-versions.json"
    cache = _read(cache_file)
    versions: dict[str, str] = {}
    missing: dict[str, list[str]] = {}
    overrides: set[str] = set()
    for host_id, binary in binaries.items():
        detection = context.catalogue.get(host_id).detection
        known = cache.get(binary)
        if known and known["mtime"] == _mtime(binary):
            versions[host_id] = known["version"]
        elif detection.version:
            missing[host_id] = [binary, *detection.version[1:]]
            overrides |= {detection.home_override} - {""}
    if missing:
        for host_id, version in _ask(missing, overrides, context).items():
            versions[host_id] = version
            binary = missing[host_id][0]
            cache[binary] = {"mtime": _mtime(binary), "version": version}
        if context.data_root.is_dir():
            _write(cache_file, cache)
    return versions


def _mtime(binary: str) -> int:
    """Of what the path leads to: package managers put links on the search path."""
    try:
        return os.stat(binary).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


def _ask(commands: Mapping[str, list[str]], overrides: Iterable[str], context: Context) -> dict[str, str]:
    import re
    import subprocess
    from concurrent.futures import ThreadPoolExecutor
    from tempfile import TemporaryDirectory

    def ask(command: list[str]) -> str:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                env={**context.machine.env, **dict.fromkeys(overrides, folder)},
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        found = re.search(rb"\d+\.\d+[\w.+-]*", done.stdout)
        return found[0].decode("ascii", "replace") if found else ""

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip(commands, pool.map(ask, commands.values()), strict=True))


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        cache = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return cache if isinstance(cache, dict) else {}


def _write(path: Path, cache: Mapping[str, Mapping[str, object]]) -> None:
    from ..changes.files import replace_file

    replace_file(path, json.dumps(cache, indent=1).encode(), mode=0o600)
