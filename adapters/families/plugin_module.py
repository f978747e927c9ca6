"""The module of hosts that run hooks inside their own process: the bridge, which is the same for all, and a shell."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

BRIDGE = "bridge.js"
SHELL = "shell.js"


def source(package: str) -> Callable[[], str]:
    """``PluginDialect.source`` of a host whose shell is ``shell.js`` in ``package``."""

    def read() -> str:
        bridge = (files(__package__ or "") / BRIDGE).read_text(encoding="utf-8")
        shell = (files(package) / SHELL).read_text(encoding="utf-8")
        return f"{bridge}\n{shell}"

    return read
