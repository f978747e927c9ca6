"""Hosts from the Python package index: each release in a virtual environment of its own in the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import host_process
import pytest
from filelock import FileLock
from host_homes import API_KEY, COMMAND_SECONDS, TURN_SECONDS, Home
from host_process import Finished
from hosts_cache import INSTALL_SECONDS, cache_root
from model_server import Model
from pythons import other_pythons

HERMES = "hermes-agent[mcp]==0.19.0"
OPENHANDS = "openhands==1.16.0"
OPENHANDS_PYTHON = "3.12"
"""With any other, pip takes a release of years ago."""


def required(requirement: str, python: str = "") -> Path:
    """The folder of the release's commands, installed if need be; the test is skipped (in CI: failed) where it cannot
    be had. ``python``: the one version that takes it; without one, ours. A virtual environment cannot be moved, so
    one that is complete carries a mark."""
    interpreter = _interpreter(python)
    name = requirement.replace("[", "-").replace("]", "").replace("==", "-")
    folder = cache_root() / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "complete").exists():
            for command in (
                [str(interpreter), "-m", "venv", "--clear", str(folder)],
                [str(folder / "bin" / "pip"), "install", "--quiet", requirement],
            ):
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False, env=os.environ
                )
                if done.returncode:
                    problem = f"{requirement}: {done.stderr.strip()[-500:]}"
                    if os.environ.get("CI") == "true":
                        pytest.fail(problem, pytrace=False)
                    pytest.skip(problem)
            (folder / "complete").touch()
    return folder / "bin"


def _interpreter(version: str) -> Path:
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if version in ("", ours):
        return Path(sys.executable)
    found = next((path for path in other_pythons() if path.name == f"python{version}"), None)
    if found is None:
        pytest.skip(f"Python {version} is not at hand")
    return found


@dataclass
class Hermes:
    """Hermes Agent with a model of one's own, hooks agreed to for the run."""

    id: ClassVar = "hermes"
    home: Home
    model: Model
    commands: Path = field(init=False)

    def __post_init__(self) -> None:
        self.commands = required(HERMES)
        self.config.parent.mkdir()
        model = f"default: scripted, provider: custom, base_url: {self.model.base_url}/v1, api_key: {API_KEY}"
        self.config.write_text(f"# A person's own.\nmodel: {{{model}}}\n", encoding="utf-8")

    @property
    def config(self) -> Path:
        return self.home.path / ".hermes" / "config.yaml"

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"mcp__{server.replace('-', '_')}__{name}"

    def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> Finished:
        command = [str(self.commands / "hermes"), *arguments]
        return host_process.run(command, env=self.home.env(self.commands), cwd=self.home.project, seconds=seconds)

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        return self.run("--accept-hooks", "--yolo", *options, "-z", prompt, seconds=TURN_SECONDS)


@dataclass
class OpenHands:
    """OpenHands with a model of one's own, its terminal's own server in the home."""

    id: ClassVar = "openhands"
    CONSENT: ClassVar = {"security_risk": "LOW", "summary": "s"}
    """What the model must say of every call."""
    home: Home
    model: Model
    commands: Path = field(init=False)

    def __post_init__(self) -> None:
        self.commands = required(OPENHANDS, OPENHANDS_PYTHON)
        self.servers.parent.mkdir()
        self.servers.write_text('{"mcpServers": {}}\n', encoding="utf-8")

    @property
    def servers(self) -> Path:
        return self.home.path / ".openhands" / "mcp.json"

    @property
    def hooks(self) -> Path:
        return self.home.path / ".openhands" / "hooks.json"

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it: by its own name."""
        del server
        return name

    def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> Finished:
        env = self.home.env(
            self.commands,
            OPENHANDS_SUPPRESS_BANNER="1",
            LITELLM_LOCAL_MODEL_COST_MAP="True",  # without it the start waits for a list from the internet
            LLM_MODEL="openai/scripted",
            LLM_API_KEY=API_KEY,
            LLM_BASE_URL=f"{self.model.base_url}/v1",
            TMUX_TMPDIR=str(self.home.path),
        )
        try:
            command = [str(self.commands / "openhands"), *arguments]
            return host_process.run(command, env=env, cwd=self.home.project, seconds=seconds)
        finally:
            if tmux := shutil.which("tmux"):  # it leaves its terminal's server behind
                subprocess.run([tmux, "-L", "openhands", "kill-server"], env=env, capture_output=True, check=False)

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        arguments = ("--headless", "--json", "--override-with-envs", *options, "-t", prompt)
        return self.run(*arguments, seconds=TURN_SECONDS)
