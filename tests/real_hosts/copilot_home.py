"""Copilot CLI in a home of its own: no login, offline, a model of one's own."""

from __future__ import annotations

from typing import ClassVar

from host_homes import API_KEY, TURN_SECONDS
from host_process import Finished
from hosts_cache import COPILOT_CLI
from node_homes import NodeHost


class CopilotCli(NodeHost):
    """Copilot CLI with a model of one's own."""

    id: ClassVar = "copilot-cli"
    package: ClassVar = COPILOT_CLI

    def variables(self) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{self.model.base_url}/v1",
            "COPILOT_PROVIDER_API_KEY": API_KEY,
            "COPILOT_MODEL": "scripted",
        }

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it."""
        return f"{server}-{name}"

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        return self.run("--allow-all-tools", *options, "-p", prompt, seconds=TURN_SECONDS)
