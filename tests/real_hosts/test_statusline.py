"""Our status line on Claude Code's own screen."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import terminal
from host_homes import ClaudeCode, Home

pytestmark = pytest.mark.real_host

AGENT_CONNECTOR = Path(sys.executable).parent / "agent-connector"
START_SECONDS = 60
LOOKED_SECONDS = 4
"""Long enough for several refreshes."""

DEFINITION = """
from agent_connector import define_connector

def render(ctx):
    print("noise-of-the-renderer")
    {body}

connector = define_connector(
    id="acme", version="1.0.0", statusline={{"render": render, "options": {{"refresh_interval": 1, "max_lines": 2}}}}
)
"""


@pytest.fixture(params=["home", 'Ada\'s $HOME & (café) "one"'], ids=["plain-home", "awkward-home"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    return Home(tmp_path / request.param).create()


def screen_of(claude: ClaudeCode, body: str, there: Callable[[str], object]) -> str:
    """What Claude Code draws with this renderer installed; ``there`` says of it when it may be looked at."""
    claude.skip_first_questions()
    (claude.home.project / "agent-connector.config.py").write_text(DEFINITION.format(body=body), encoding="utf-8")
    claude.home.run(AGENT_CONNECTOR, "install", "--targets", "claude-code").succeeded()
    with terminal.running(["claude"], env=claude.env(), cwd=claude.home.project) as screen:
        screen.wait(lambda: there(screen.text), START_SECONDS)
        screen.read_for(LOOKED_SECONDS)
        return screen.text


def faults(home: Home) -> list[Any]:
    log = home.path / ".agent-connector" / "logs" / "hooks.ndjson"
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


def test_what_a_renderer_says_is_on_the_screen(claude: ClaudeCode) -> None:
    body = 'return "\\n".join([f"acme|{ctx.host}|{ctx.model.id}|", "second-line", "third-line"])'

    drawn = screen_of(claude, body, lambda text: "acme|claude-code|claude-" in text and "second-line" in text)

    assert "third-line" not in drawn
    assert "noise-of-the-renderer" not in drawn
    assert faults(claude.home) == []


def test_a_renderer_that_raises_leaves_the_screen_alone_and_a_line_in_the_log(claude: ClaudeCode) -> None:
    drawn = screen_of(claude, 'raise RuntimeError("broken-renderer")', lambda _text: faults(claude.home))

    assert "\u276f" in drawn, "the prompt"
    for text in ("broken-renderer", "error", "traceback", "noise-of-the-renderer"):
        assert text not in drawn.lower()
    assert [(line["host"], line["event"], line["fault"]) for line in faults(claude.home)] == [
        ("claude-code", "statusline", "raised")
    ]
