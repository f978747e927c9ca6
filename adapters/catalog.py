"""The hosts there are. Each is imported when it is asked for; packages may add hosts of their own.

A package adds a host through the entry-point group ``agent_connector.hosts``: the name is the host's id, the value
``module:HOST``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from agent_connector.errors import UsageError
from agent_connector.host import HOSTS_GROUP, Host

# In the order in which a process asks "which host am I in": a host that others start, or whose marks they also set,
# comes later. Cursor sets a variable of Claude Code's, and Claude Code's shell is where Codex is often started.
_BUILT_IN = {
    "antigravity-cli": "agent_connector.adapters.antigravity_cli.host",
    "antigravity": "agent_connector.adapters.antigravity.host",
    "codebuddy": "agent_connector.adapters.codebuddy.host",
    "qwen-code": "agent_connector.adapters.qwen_code.host",
    "gemini-cli": "agent_connector.adapters.gemini_cli.host",
    "droid": "agent_connector.adapters.droid.host",
    "kimi": "agent_connector.adapters.kimi.host",
    "jetbrains-copilot": "agent_connector.adapters.jetbrains_copilot.host",
    "vscode-copilot": "agent_connector.adapters.vscode_copilot.host",
    "copilot-cli": "agent_connector.adapters.copilot_cli.host",
    "cline": "agent_connector.adapters.cline.host",
    "zed": "agent_connector.adapters.zed.host",
    "warp": "agent_connector.adapters.warp.host",
    "opencode": "agent_connector.adapters.opencode.host",
    "openclaw": "agent_connector.adapters.openclaw.host",
    "pi": "agent_connector.adapters.pi.host",
    "crush": "agent_connector.adapters.crush.host",
    "hermes": "agent_connector.adapters.hermes.host",
    "mistral-vibe": "agent_connector.adapters.mistral_vibe.host",
    "continue": "agent_connector.adapters.continue_.host",
    "goose": "agent_connector.adapters.goose.host",
    "openhands": "agent_connector.adapters.openhands.host",
    "cursor": "agent_connector.adapters.cursor.host",
    "codex": "agent_connector.adapters.codex.host",
    "claude-code": "agent_connector.adapters.claude_code.host",
}


class BuiltinCatalogue:
    """Our hosts first, then those of other packages, which can add but not replace.

    ``skipped`` says, per entry-point name, why a host of another package is not there (after :meth:`ids`).
    """

    def __init__(self) -> None:
        self._hosts: dict[str, Host] = {}
        self._others: dict[str, Host] | None = None
        self.skipped: dict[str, str] = {}

    def ids(self) -> tuple[str, ...]:
        return (*_BUILT_IN, *self._from_packages())

    def built_in_ids(self) -> tuple[str, ...]:
        """Those that come with agent-connector."""
        return tuple(_BUILT_IN)

    def get(self, host_id: str) -> Host:
        if host_id not in self._hosts:
            self._hosts[host_id] = self._load(host_id)
        return self._hosts[host_id]

    def _load(self, host_id: str) -> Host:
        if host_id in _BUILT_IN:
            return _import(_BUILT_IN[host_id], "HOST")
        others = self._from_packages()
        if host_id in others:
            return others[host_id]
        raise UsageError(f'unknown host "{host_id}"', hint=self._advice(host_id))

    def _from_packages(self) -> dict[str, Host]:
        if self._others is None:
            self._others = {}
            if any(_names_the_group(path) for path in _entry_point_files()):
                self._scan(self._others)
        return self._others

    def _scan(self, found: dict[str, Host]) -> None:
        from importlib.metadata import entry_points  # costs four empty interpreters, so only when there is something

        for entry in entry_points(group=HOSTS_GROUP):
            if entry.name in _BUILT_IN:
                self.skipped[entry.name] = f"{entry.value}: the id belongs to a host that comes with agent-connector"
                continue
            if entry.name in found:
                self.skipped[entry.name] = f"{entry.value}: another package already adds this host"
                continue
            try:
                host = entry.load()
            except Exception as error:  # noqa: BLE001 - another package's code may fail in any way; ours goes on
                self.skipped[entry.name] = f"{entry.value}: {type(error).__name__}: {error}"
                continue
            if not isinstance(host, Host) or host.id != entry.name:
                self.skipped[entry.name] = f"{entry.value}: not a Host with the id {entry.name!r}"
                continue
            found[entry.name] = host

    def _advice(self, host_id: str) -> str:
        from difflib import get_close_matches

        known = self.ids()
        asked = host_id.lower()
        near = [asked] if asked in known else get_close_matches(asked, known)
        near = near or [name for name in known if asked and asked in name]
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
        broken = f" It is not loaded: {self.skipped[host_id]}." if host_id in self.skipped else ""
        return f"{meant}Known hosts: {', '.join(known)}.{broken}"


def _import(module: str, name: str) -> Host:
    host = getattr(__import__(module, fromlist=[name]), name)
    assert isinstance(host, Host)
    return host


def _entry_point_files() -> Iterator[str]:
    """Every installed distribution's list of entry points, found without reading any metadata."""
    for folder in dict.fromkeys(sys.path):
        try:
            entries = os.scandir(folder or ".")
        except OSError:  # not a folder (a zip), or gone
            continue
        with entries:
            for entry in entries:
                if entry.name.endswith((".dist-info", ".egg-info")):
                    yield os.path.join(entry.path, "entry_points.txt")  # noqa: PTH118 - no pathlib for a hot listing


def _names_the_group(path: str) -> bool:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return HOSTS_GROUP.encode() in file.read()
    except OSError:
        return False


CATALOG = BuiltinCatalogue()
