"""Isolated homes for real hosts, and the commands that drive each host without login or network.

A home holds everything a host reads and writes; the environment is built from nothing, so whatever the person or
the agent running the tests has set cannot leak in.
"""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import host_process
from host_process import Finished
from hosts_cache import CLAUDE_CODE, CODEX, node, require
from model_server import Model

COMMAND_SECONDS = 60
TURN_SECONDS = 120
API_KEY = "dummy-key"


@dataclass
class Home:
    """A home folder with a project in it."""

    path: Path
    extra_env: dict[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Path:
        return self.path / "project"

    def create(self) -> Home:
        self.project.mkdir(parents=True)
        return self

    def env(self, *commands: Path, **variables: str) -> dict[str, str]:
        """The environment of a process of this home; ``commands`` are folders put in front of PATH."""
        folders = [*map(str, commands), str(node().parent), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "HOME": str(self.path),
            "XDG_CONFIG_HOME": str(self.path / ".config"),
            "XDG_CACHE_HOME": str(self.path / ".cache"),
            "XDG_DATA_HOME": str(self.path / ".local" / "share"),
            "XDG_STATE_HOME": str(self.path / ".local" / "state"),
            "PATH": ":".join(dict.fromkeys(folders)),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_PROXY": "127.0.0.1,localhost",
            **self.extra_env,
            **variables,
        }

    def run(self, *command: str | Path, seconds: float = COMMAND_SECONDS, **variables: str) -> Finished:
        """Any command in this home."""
        return host_process.run(
            [str(part) for part in command], env=self.env(**variables), cwd=self.project, seconds=seconds
        )

    def files(self) -> dict[str, bytes]:
        """Every file's bytes by its path in the home."""
        return {
            str(path.relative_to(self.path)): path.read_bytes()
            for path in sorted(self.path.rglob("*"))
            if path.is_file()
        }

    def tree(self) -> dict[str, tuple[str, bytes]]:
        """Everything in the home, folders too: mode (as ``ls`` writes it) and bytes by path."""
        return {
            str(path.relative_to(self.path)): (
                stat.filemode(path.lstat().st_mode),
                path.read_bytes() if path.is_file() else b"",
            )
            for path in sorted(self.path.rglob("*"))
        }


@dataclass
class ClaudeCode:
    """Claude Code in ``home``, talking to ``model``."""

    id: ClassVar = "claude-code"
    package: ClassVar = CLAUDE_CODE
    home: Home
    model: Model
    installation: Path = field(default_factory=lambda: require(CLAUDE_CODE))

    @property
    def user_config(self) -> Path:
        return self.home.path / ".claude.json"

    @property
    def settings(self) -> Path:
        return self.home.path / ".claude" / "settings.json"

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"mcp__{server}__{name}"

    def env(self, **variables: str) -> dict[str, str]:
        return self.home.env(
            self.installation / "bin",
            ANTHROPIC_BASE_URL=self.model.base_url,
            ANTHROPIC_API_KEY=API_KEY,
            DISABLE_TELEMETRY="1",
            DISABLE_AUTOUPDATER="1",
            DISABLE_ERROR_REPORTING="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            **variables,
        )

    def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> Finished:
        return host_process.run(["claude", *arguments], env=self.env(), cwd=self.home.project, seconds=seconds)

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn. The result is a JSON document with ``result``, ``permission_denials``, ``usage``."""
        return self.run("-p", prompt, "--output-format", "json", *options, seconds=TURN_SECONDS)

    def resume(self, session: str, prompt: str, *options: str) -> Finished:
        return self.turn(prompt, "--resume", session, *options)

    @staticmethod
    def session(finished: Finished) -> str:
        """The id of the session that a turn began."""
        return str(finished.json["session_id"])

    def skip_first_questions(self) -> None:
        """Have an interactive start ask nothing: no theme, no key, no trust in the project's folder."""
        config = json.loads(self.user_config.read_text(encoding="utf-8")) if self.user_config.exists() else {}
        config |= {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [API_KEY], "rejected": []},
            "projects": {str(self.home.project): {"hasTrustDialogAccepted": True}},
        }
        self.user_config.write_text(json.dumps(config), encoding="utf-8")


@dataclass
class Codex:
    """Codex in ``home``, talking to ``model``."""

    id: ClassVar = "codex"
    package: ClassVar = CODEX
    home: Home
    model: Model
    installation: Path = field(default_factory=lambda: require(CODEX))

    @property
    def user_config(self) -> Path:
        return self.home.path / ".codex" / "config.toml"

    @property
    def hooks_file(self) -> Path:
        return self.home.path / ".codex" / "hooks.json"

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"mcp__{server.replace('-', '_')}__{name}"

    def env(self) -> dict[str, str]:
        return self.home.env(self.installation / "bin", SCRIPTED_MODEL_KEY=API_KEY)

    def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> Finished:
        return host_process.run(["codex", *arguments], env=self.env(), cwd=self.home.project, seconds=seconds)

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn; stdout is JSON lines (``item.completed``, ``turn.completed``, …)."""
        return self._exec(*options, prompt)

    def resume(self, session: str, prompt: str, *options: str) -> Finished:
        return self._exec(*options, session, prompt, subcommand=("resume",))

    @staticmethod
    def session(finished: Finished) -> str:
        """The id of the session that a turn began."""
        return next(str(line["thread_id"]) for line in finished.json_lines if line["type"] == "thread.started")

    def _exec(self, *arguments: str, subcommand: tuple[str, ...] = ()) -> Finished:
        """The model is named on the command line, so that no test depends on a config file of ours."""
        settings = {
            "model": '"gpt-5"',
            "model_provider": '"scripted"',
            "model_providers.scripted.name": '"scripted"',
            "model_providers.scripted.base_url": f'"{self.model.base_url}/v1"',
            "model_providers.scripted.wire_api": '"responses"',
            "model_providers.scripted.env_key": '"SCRIPTED_MODEL_KEY"',
            "model_providers.scripted.request_max_retries": "0",
            "model_providers.scripted.stream_max_retries": "0",
            "analytics.enabled": "false",
        }
        overrides = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        fixed = ("exec", *subcommand, "--json", "--skip-git-repo-check", *overrides)
        return self.run(*fixed, *arguments, seconds=TURN_SECONDS)
