"""OpenCode in a home of its own, without login, talking to a scripted model."""

from __future__ import annotations

from typing import ClassVar

import host_process
from host_homes import API_KEY
from host_process import Finished
from hosts_cache import OPENCODE
from node_homes import NodeHost

SECONDS = 180
"""The first turn in a home takes most of a minute."""


class OpenCode(NodeHost):
    """Its prompt comes on standard input: an argument with spaces is put in quotes."""

    id: ClassVar = "opencode"
    package: ClassVar = OPENCODE

    def prepare(self) -> None:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{self.model.base_url}/v1", "apiKey": API_KEY},
            "models": {"scripted": {"name": "Scripted", "limit": {"context": 100000, "output": 8000}}},
        }
        config = {"provider": {"scripted": provider}, "model": "scripted/scripted", "autoupdate": False}
        self.write(".config/opencode/opencode.json", config)

    def variables(self) -> dict[str, str]:
        return {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"{server}_{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn; stdout is JSON lines."""
        script = self.home.path / "prompt.txt"
        script.write_text(prompt, encoding="utf-8")
        words = [self.package.command, "run", "--format", "json", *options]
        command = ["sh", "-c", 'exec "$@" < "$0"', str(script), *words]
        return host_process.run(command, env=self.env(), cwd=self.home.project, seconds=SECONDS)
