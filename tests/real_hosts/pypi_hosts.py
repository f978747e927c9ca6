"""Hosts from the Python package index: each release in a virtual environment of its own in the cache."""

from __future__ import annotations

import os
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

HERMES = "hermes-agent[mcp]==0.19.0"


def required(requirement: str) -> Path:
    """The folder of the release's commands, installed if need be; the test is skipped (in CI: failed) where it cannot
    be had. A virtual environment cannot be moved, so one that is complete carries a mark."""
    name = requirement.replace("[", "-").replace("]", "").replace("==", "-")
    folder = cache_root() / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "complete").exists():
            for command in (
                [sys.executable, "-m", "venv", "--clear", str(folder)],
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
