"""Mistral Vibe in a home of its own, without login, talking to a scripted model."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import host_process
from host_homes import API_KEY, COMMAND_SECONDS, TURN_SECONDS, Home
from host_process import Finished
from model_server import Model
from pypi_hosts import required

MISTRAL_VIBE = "mistral-vibe==3.0.2"
PYTHON = "3.12"

_CONFIG = """\
# A person's own.
active_model = "scripted" # the only one
enable_telemetry = false
enable_update_checks = false

[[providers]]
name = "scripted"
api_base = "{url}/v1"
api_key_env_var = "SCRIPTED_MODEL_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "scripted"
provider = "scripted"
alias = "scripted"
"""

_SERVERS_CALL = re.compile(r"^CALL (?P<tool>tools\.\S+) (?P<arguments>.*)$", re.MULTILINE)


@dataclass
class MistralVibe:
    """Its model calls a server's tools in programs: a script's ``CALL tools.…`` becomes one."""

    id: ClassVar = "mistral-vibe"
    home: Home
    model: Model
    commands: Path = field(init=False)

    def __post_init__(self) -> None:
        self.commands = required(MISTRAL_VIBE, PYTHON)
        self.config.parent.mkdir()
        self.config.write_text(_CONFIG.format(url=self.model.base_url), encoding="utf-8")

    @property
    def config(self) -> Path:
        return self.home.path / ".vibe" / "config.toml"

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model's program calls it."""
        return f"tools.mcp_{server.replace('-', '_')}.{name}"

    def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> Finished:
        command = [str(self.commands / "vibe"), *arguments]
        env = self.home.env(self.commands, SCRIPTED_MODEL_KEY=API_KEY)
        return host_process.run(command, env=env, cwd=self.home.project, seconds=seconds)

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        script = _SERVERS_CALL.sub(_in_a_program, prompt)
        fixed = ("--auto-approve", "--output", "text")
        return self.run(*fixed, *options, "-p", script, seconds=TURN_SECONDS)


def _in_a_program(call: re.Match[str]) -> str:
    code = f"async function main() {{ return await {call['tool']}({call['arguments']}); }}"
    return f"CALL run_typescript {json.dumps({'code': code})}"
