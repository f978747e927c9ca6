"""The machine as one immutable value: every path of ours and of a host is computed from it.

Nothing else in the project reads ``os.environ``, ``Path.home()`` or ``sys.platform``, so paths of Windows and
macOS are computed, and tested, on Linux.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Literal

from .values import frozen

OperatingSystem = Literal["linux", "macos", "windows"]

DATA_DIR_VARIABLE = "AGENT_CONNECTOR_DATA_DIR"


@frozen
class Machine:
    """Operating system, home folder, environment and working directory.

    ``home`` and ``cwd`` are paths of ``os``'s flavour; on the machine that runs us they are usable as they are.
    """

    os: OperatingSystem
    home: PurePath
    cwd: PurePath
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def current(cls) -> Machine:
        """The machine this process runs on."""
        system: OperatingSystem = (
            "windows" if sys.platform == "win32" else "macos" if sys.platform == "darwin" else "linux"
        )
        return cls(os=system, home=_own_home(), cwd=Path.cwd(), env=MappingProxyType(dict(os.environ)))

    def with_env(self, overlay: Mapping[str, str]) -> Machine:
        """The same machine with some variables set otherwise (an install root beside the usual one)."""
        return replace(self, env=MappingProxyType({**self.env, **overlay})) if overlay else self

    def path(self, text: str) -> PurePath:
        """``text`` as a path of this operating system, relative to ``cwd``, with a leading ``~`` expanded."""
        flavour = PureWindowsPath if self.os == "windows" else PurePosixPath
        if text == "~" or text.startswith(("~/", "~\\")):
            return self.home / text[2:]
        return self.cwd / flavour(text)

    def env_path(self, variable: str) -> PurePath | None:
        """The folder a variable names; unset and empty are the same."""
        value = self.env.get(variable, "")
        return self.path(value) if value else None

    @property
    def data_root(self) -> PurePath:
        """Where everything of ours lives; hosts' own files are never moved there. A relative one starts in the home
        folder: what was installed in one folder must be found from every other."""
        return replace(self, cwd=self.home).env_path(DATA_DIR_VARIABLE) or self.home / ".agent-connector"

    @property
    def launcher(self) -> PurePath:
        """The one command that host configs point at."""
        name = "agent-connector.cmd" if self.os == "windows" else "agent-connector"
        return self.data_root / "bin" / name

    @property
    def config_home(self) -> PurePath:
        """``$XDG_CONFIG_HOME`` or ``~/.config``, on every system (hosts that follow XDG do so everywhere)."""
        return self.env_path("XDG_CONFIG_HOME") or self.home / ".config"

    @property
    def app_data(self) -> PurePath:
        """Where desktop programs keep settings: ``%APPDATA%``, ``~/Library/Application Support``, XDG config."""
        if self.os == "windows":
            return self.env_path("APPDATA") or self.home / "AppData" / "Roaming"
        if self.os == "macos":
            return self.home / "Library" / "Application Support"
        return self.config_home


def _own_home() -> Path:
    """The user's home; an empty ``HOME`` counts as none, else everything would land in the root folder."""
    if sys.platform != "win32" and not os.environ.get("HOME"):
        import pwd

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path.home().absolute()
