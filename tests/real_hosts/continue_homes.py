"""Continue's command line in a home of its own, without login, talking to a scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from host_homes import API_KEY, TURN_SECONDS
from host_process import Finished
from hosts_cache import NpmPackage
from node_homes import NodeHost

CONTINUE = NpmPackage("@continuedev/cli", "1.5.47", "cn", ("@continuedev/cli/dist/cn.js",))

_CONFIG = """\
name: Mine # a person's own
version: 1.0.0
schema: v1
models:
  - name: Scripted
    provider: openai
    model: scripted
    apiBase: {url}/v1
    apiKey: {key}
    capabilities: [tool_use]
"""


class Continue(NodeHost):
    id: ClassVar = "continue"
    package: ClassVar = CONTINUE

    @property
    def config(self) -> Path:
        return self.home.path / ".continue" / "config.yaml"

    def prepare(self) -> None:
        self.config.parent.mkdir()
        self.config.write_text(_CONFIG.format(url=self.model.base_url, key=API_KEY), encoding="utf-8")

    @staticmethod
    def tool(server: str, name: str) -> str:
        """A server's tool, as the model calls it: by its bare name."""
        del server
        return name

    def turn(self, prompt: str, *options: str) -> Finished:
        """One headless turn in which every tool is granted."""
        return self.run("-p", "--auto", *options, prompt, seconds=TURN_SECONDS)
