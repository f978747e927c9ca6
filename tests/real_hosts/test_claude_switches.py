"""What doctor says keeps Claude Code from running hooks, beside what Claude Code does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from host_homes import ClaudeCode, Home
from hosts_cache import CLAUDE_CODE, require

pytestmark = pytest.mark.real_host

AGENT_CONNECTOR = Path(sys.executable).parent / "agent-connector"
SEEN = "Schema twelve is loaded."


@pytest.fixture
def installed(home: Home) -> Home:
    definition = home.path / "agent-connector.config.json"
    hooks = {"UserPromptSubmit": {"additional_context": SEEN}}
    definition.write_text(json.dumps({"id": "acme", "version": "1.0.0", "hooks": hooks}))
    (home.path / ".claude").mkdir()
    agent_connector(home, "install", "--connector", definition, "--targets", "claude-code")
    return home


def agent_connector(home: Home, *arguments: str | Path) -> Any:
    done = home.run(AGENT_CONNECTOR, *arguments, "--json", PATH=home.env(require(CLAUDE_CODE) / "bin")["PATH"])
    assert done.exit_code in (0, 1), str(done)
    return done.json["result"]


def kept_from_running(home: Home) -> dict[str, str]:
    """Doctor's checks of Claude Code's hooks that do not pass: name -> status."""
    checks = agent_connector(home, "doctor", "--connector-id", "acme")["checks"]
    return {
        check["name"]: check["status"]
        for check in checks
        if check["subject"] == "claude-code" and check["status"] != "pass"
    }


def fires(claude: ClaudeCode) -> bool:
    claude.model.forget()
    claude.turn("SAY hello").succeeded()
    return SEEN in claude.model.last.conversation


def edit(path: Path, **values: Any) -> None:
    before = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**before, **values}))


def test_hooks_that_are_switched_off_do_not_run_and_the_nearer_setting_wins(
    installed: Home, claude: ClaudeCode
) -> None:
    assert fires(claude)
    assert kept_from_running(installed) == {}

    edit(claude.settings, disableAllHooks=True)
    assert not fires(claude)
    assert kept_from_running(installed) == {"acme hook settings": "fail"}

    local = installed.project / ".claude" / "settings.local.json"
    edit(local, disableAllHooks=False)
    assert fires(claude)
    assert kept_from_running(installed) == {}

    edit(claude.settings, disableAllHooks=False)
    edit(local, disableAllHooks=True)
    assert not fires(claude)
    assert kept_from_running(installed) == {"acme hook settings": "warn"}, "in this project only"


REFUSED: list[dict[str, Any]] = [
    {"Stop": [{}]},
    {"Stop": [{"hooks": [{"type": "zzz"}]}]},
    {"Stop": [{"matcher": 3, "hooks": []}]},
    {"Stop": [{"hooks": [{"command": "true"}]}]},
    {"Stop": [{"hooks": [{"type": "command"}]}]},
    {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": "3"}]}]},
]
HARMLESS: dict[str, Any] = {
    "Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 2.5, "unknown": 1}]}],
    "PostCompact": "no list",
    "NoSuchEvent": 3,
}


def test_a_settings_file_that_is_refused_whole(installed: Home, claude: ClaudeCode) -> None:
    good = json.loads(claude.settings.read_text())
    for spoil in REFUSED:
        claude.settings.write_text(json.dumps({**good, "hooks": {**good["hooks"], **spoil}}))
        assert not fires(claude), spoil
        assert kept_from_running(installed) == {"acme hook file": "fail"}, spoil
    claude.settings.write_text(json.dumps({**good, "hooks": {**good["hooks"], **HARMLESS}}))
    assert fires(claude)
    assert kept_from_running(installed) == {}
