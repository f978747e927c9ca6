"""The status line: what a renderer is handed, what the host reads, and that a fault is told anywhere but there."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pytest
from agent_connector.runtime.statusline import rendered_statusline
from pythons import other_pythons

pytestmark = pytest.mark.xdist_group("runtime")

DEFINITION = """
import os, sys, time
from agent_connector import define_connector
{head}

{kind} render(ctx):
{body}

connector = define_connector(id="acme", version="1.0.0", statusline={{"render": render, {more}}})
"""


def sample(host: str) -> bytes:
    package = f"agent_connector.adapters.{host.replace('-', '_')}"
    return (resources.files(package) / "samples" / "StatusLine.json").read_bytes()


@dataclass(frozen=True)
class Line:
    """An installed status line."""

    hooks: Any

    def call(self, host: str = "claude-code", payload: object = None, **more: Any) -> bytes:
        """What the host reads. Whatever happens it hears of no failure."""
        data = payload if isinstance(payload, bytes) else sample(host) if payload is None else json.dumps(payload)
        data = data if isinstance(data, bytes) else data.encode()
        launcher = self.hooks.root / "bin" / "agent-connector"
        answer = self.hooks.run([launcher, "statusline", host, "--connector", self.hooks.connector], data, **more)
        assert (answer.returncode, answer.stderr) == (0, b"")
        return answer.stdout

    def says(self, host: str = "claude-code", payload: object = None, **more: Any) -> str:
        return self.call(host, payload, **more).decode().removesuffix("\n")

    @property
    def faults(self) -> list[tuple[str, str, str]]:
        return [(line["host"], line["event"], line["fault"]) for line in self.hooks.lines("logs/hooks.ndjson")]


@pytest.fixture
def line(install_hooks) -> Callable[..., Line]:
    """Installs a status line whose renderer has this body."""

    def installing(body: str, *, head: str = "", kind: str = "def", more: str = "") -> Line:
        indented = "\n".join(f"    {text}" for text in body.strip().splitlines())
        return Line(install_hooks(DEFINITION.format(head=head, kind=kind, body=indented, more=more)))

    return installing


def test_a_renderer_says_what_the_host_shows(line):
    assert line("return f'{ctx.model.display_name} {ctx.context.percent}%'").call() == b"Opus 4.8 (1M context) 0%\n"
