"""What doctor says of Codex's trust in hooks, beside what Codex itself says of it: never asked, and yet the same."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from codex_app_server import listed_hooks, trust
from host_homes import Codex, Home
from hosts_cache import CODEX, require
from model_server import Model

pytestmark = pytest.mark.real_host

AGENT_CONNECTOR = Path(sys.executable).parent / "agent-connector"

HOOKS: dict[str, Any] = {
    "PreToolUse": {"matcher": "acme_write|^acme-drop$", "decision": "ask", "reason": "Sure?", "timeout_ms": 1500},
    "PostToolUse": {"command": ["true"]},
    "PermissionRequest": {"matcher": "(?i)acme", "decision": "deny", "reason": "no"},
    "SubagentStart": {"matcher": "reviewer", "additional_context": "Be kind."},
    "UserPromptSubmit": {"additional_context": "Zoë says hello."},
    "Stop": {"command": ["true"], "timeout_ms": 90_000},
    "SessionEnd": [{"command": ["true"], "timeout_ms": 10_000}],
    "PreCompact": {"command": ["true"]},
}


@pytest.fixture(params=["home", 'Zoë\'s $HOME & (café) "one"'], ids=["plain-home", "awkward-home"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    home = Home(tmp_path / request.param).create()
    (home.path / ".codex").mkdir()
    return home


@pytest.fixture
def plain(tmp_path: Path, model: Model) -> Codex:
    codex = Codex(Home(tmp_path / "plain").create(), model)
    codex.hooks_file.parent.mkdir()
    return codex


def write_definition(home: Home, hooks: dict[str, Any]) -> Path:
    path = home.path / "agent-connector.config.json"
    native = {"codex": {"native_hooks": {"Interrupt": {"command": ["true"], "matcher": "x"}}}}
    definition = {"id": "acme", "version": "1.0.0", "hooks": hooks, "platforms": native}
    path.write_text(json.dumps(definition), encoding="utf-8")
    return path


def agent_connector(home: Home, *arguments: str | Path) -> Any:
    path = home.env(require(CODEX) / "bin")["PATH"]
    done = home.run(AGENT_CONNECTOR, *arguments, "--json", PATH=path)
    assert done.exit_code in (0, 1), str(done)
    return done.json


def install(home: Home, hooks: dict[str, Any], *flags: str) -> None:
    definition = write_definition(home, hooks)
    found = agent_connector(home, "install", "--connector", definition, "--targets", "codex", *flags)
    assert found["result"]["outcome"] in ("done", "unchanged"), found


def doctor(home: Home) -> dict[str, tuple[str, str]]:
    """What it says of Codex's hooks: check -> (status, message). Looking changes nothing of Codex's."""
    before = {path: content for path, content in home.tree().items() if path.split("/")[0] != ".agent-connector"}
    found = agent_connector(home, "doctor", "--connector-id", "acme")
    after = {path: content for path, content in home.tree().items() if path.split("/")[0] != ".agent-connector"}
    assert after == before
    return {
        check["name"].removeprefix("acme "): (check["status"], check["message"])
        for check in found["result"]["checks"]
        if check["subject"] == "codex"
    }


def statuses(codex: Codex) -> set[str]:
    return {hook["trustStatus"] for hook in listed_hooks(codex)["hooks"]}


def test_untrusted_trusted_and_changed_are_what_codex_says(home: Home, codex: Codex) -> None:
    install(home, HOOKS)
    assert statuses(codex) == {"untrusted"}
    status, text = doctor(home)["hook trust"]
    assert status == "fail"
    assert "nobody has reviewed and trusted" in text
    assert all(event in text for event in (*HOOKS, "Interrupt", "SessionStart"))

    trust(codex)
    assert statuses(codex) == {"trusted"}
    assert "hook trust" not in doctor(home), "counted exactly as Codex counts, for each event there is"

    changed = {**HOOKS, "PreToolUse": {**HOOKS["PreToolUse"], "matcher": "acme_read"}}
    install(home, changed)
    assert [hook["eventName"] for hook in listed_hooks(codex)["hooks"] if hook["trustStatus"] == "modified"] == [
        "preToolUse"
    ]
    status, text = doctor(home)["hook trust"]
    assert (status, text.split(" ")[0]) == ("fail", "PreToolUse")
    assert "changed since it was trusted" in text


def test_a_registration_that_somebody_edits_is_changed_too(plain: Codex) -> None:
    install(plain.home, HOOKS)
    trust(plain)
    text = plain.hooks_file.read_text(encoding="utf-8").replace('"timeout": 90', '"timeout": 91')
    plain.hooks_file.write_text(text, encoding="utf-8")

    assert statuses(plain) == {"trusted", "modified"}
    status, message = doctor(plain.home)["hook trust"]
    assert (status, message.split(" ")[0]) == ("fail", "Stop")


def test_hooks_that_stand_in_config_toml_are_counted_the_same(home: Home, codex: Codex) -> None:
    codex.user_config.write_text('[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n')
    install(home, HOOKS)
    assert not codex.hooks_file.exists()
    assert doctor(home)["hook trust"][0] == "fail"

    trust(codex)

    assert statuses(codex) == {"trusted"}
    assert "hook trust" not in doctor(home)


def test_a_trusted_hook_runs_and_status_knows_when(plain: Codex) -> None:
    install(plain.home, HOOKS)
    plain.turn("SAY hello").succeeded()
    assert hook_state(plain.home)["last_fired"] == ""

    trust(plain)
    plain.turn("SAY hello").succeeded()

    assert "Zoë says hello." in plain.model.last.conversation
    assert hook_state(plain.home)["last_fired"]


def test_trust_that_is_handed_over_with_the_install_is_what_codex_asks_for(home: Home, codex: Codex) -> None:
    install(home, HOOKS, "--trust")
    assert statuses(codex) == {"trusted"}
    assert "hook trust" not in doctor(home)

    agent_connector(home, "uninstall", "acme")
    assert not codex.hooks_file.exists()
    assert not codex.user_config.exists()


def test_a_hook_runs_in_its_first_turn_where_trust_came_with_the_install(plain: Codex) -> None:
    plain.user_config.write_text("# mine\n", encoding="utf-8")
    install(plain.home, HOOKS, "--trust")

    plain.turn("SAY hello").succeeded()

    assert "Zoë says hello." in plain.model.last.conversation
    assert hook_state(plain.home)["last_fired"]
    agent_connector(plain.home, "uninstall", "acme")
    assert plain.user_config.read_text(encoding="utf-8") == "# mine\n"


def test_a_projects_hook_runs_where_trust_came_with_the_install(plain: Codex) -> None:
    install(plain.home, HOOKS, "--scope", "project", "--trust")

    plain.turn("SAY hello").succeeded()

    assert "Zoë says hello." in plain.model.last.conversation


def hook_state(home: Home) -> Any:
    (host,) = agent_connector(home, "status", "--targets", "codex")["result"]["hosts"]
    (state,) = host["hooks"]
    return state


def test_switched_off_in_codex_is_a_failure(plain: Codex) -> None:
    install(plain.home, HOOKS)
    trust(plain)
    config = plain.user_config.read_text(encoding="utf-8")

    plain.user_config.write_text(config.replace("trusted_hash", "enabled = false\ntrusted_hash", 1), "utf-8")
    assert [hook["enabled"] for hook in listed_hooks(plain)["hooks"]].count(False) == 1
    assert "switched off" in doctor(plain.home)["hook trust"][1]

    for feature in ("hooks", "codex_hooks"):
        plain.user_config.write_text(f"{config}\n[features]\n{feature} = false\n", "utf-8")
        assert listed_hooks(plain)["hooks"] == []
        status, text = doctor(plain.home)["hook settings"]
        assert (status, "switched off under [features]" in text) == ("fail", True)

    plain.user_config.write_text(f"{config}\n[features]\nhooks = true\ncodex_hooks = false\n", "utf-8")
    assert statuses(plain) == {"trusted"}
    assert "hook settings" not in doctor(plain.home)


def test_a_project_that_is_not_trusted_is_a_failure_until_it_is(home: Home, codex: Codex) -> None:
    install(home, HOOKS, "--scope", "project")
    assert listed_hooks(codex)["hooks"] == []
    assert doctor(home)["hook settings"][0] == "fail"

    codex.user_config.write_text(f'[projects.{json.dumps(str(home.project))}]\ntrust_level = "trusted"\n', "utf-8")
    assert statuses(codex) == {"untrusted"}
    found = doctor(home)
    assert "hook settings" not in found
    assert found["hook trust"][0] == "fail"

    trust(codex)
    assert "hook trust" not in doctor(home)


REFUSED: list[dict[str, Any]] = [
    {"extra": 1},
    {"description": 3},
    {"hooks": {"PostCompact": {}}},
    {"hooks": {"PostCompact": [{"matcher": 3, "hooks": []}]}},
    {"hooks": {"PostCompact": [{"hooks": [{"command": "x"}]}]}},
    {"hooks": {"PostCompact": [{"hooks": [{"type": "shell", "command": "x"}]}]}},
    {"hooks": {"PostCompact": [{"hooks": [{"type": "command"}]}]}},
    {"hooks": {"PostCompact": [{"hooks": [{"type": "command", "command": "x", "timeout": "3"}]}]}},
    {"hooks": {"PostCompact": [{"hooks": [{"type": "command", "command": "x", "timeout": 3.5}]}]}},
]


def test_a_file_that_codex_refuses_whole_is_a_failure(plain: Codex) -> None:
    install(plain.home, {"PreToolUse": HOOKS["PreToolUse"]})
    good = json.loads(plain.hooks_file.read_text(encoding="utf-8"))
    for spoil in REFUSED:
        content = {**good, **spoil, "hooks": {**good["hooks"], **spoil.get("hooks", {})}}
        plain.hooks_file.write_text(json.dumps(content), encoding="utf-8")

        assert listed_hooks(plain)["hooks"] == [], spoil
        status, text = doctor(plain.home)["hook file"]
        assert status == "fail", spoil
        assert "no hook in it runs" in text


def test_what_codex_takes_is_not_called_refused(plain: Codex) -> None:
    harmless = [
        {},
        {"matcher": None, "hooks": [{"type": "prompt", "prompt": "x"}]},
        {"hooks": [{"type": "command", "command": "x", "timeout": 0, "unknown": 1}]},
    ]
    content = {"description": None, "hooks": {"PostCompact": harmless, "NoSuchEvent": {}}}
    plain.hooks_file.write_text(json.dumps(content), encoding="utf-8")
    install(plain.home, {"PreToolUse": HOOKS["PreToolUse"]})

    assert {"preToolUse", "postCompact"} <= {hook["eventName"] for hook in listed_hooks(plain)["hooks"]}
    assert "hook file" not in doctor(plain.home)
