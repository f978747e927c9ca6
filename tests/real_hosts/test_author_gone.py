"""What becomes of installed hooks when the author's side is updated, breaks or goes: hosts go on regardless."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import agent_connector
import pytest
from host_homes import ClaudeCode, Codex, Home
from hosts_cache import CLAUDE_CODE, CODEX, require
from installed_connector import Installed, Turn
from model_server import Model

pytestmark = pytest.mark.real_host

HANDLERS = """
from acme_rules import REASON

def check(event):
    return {"decision": "deny", "reason": REASON}
"""
RULES = "REASON = 'The rules forbid it.'\n"
GUARD_JS = 'console.log(JSON.stringify({ decision: "context", additional_context: "Node was here." }));\n'
FILES = {"handlers.py": HANDLERS, "acme_rules.py": RULES, "guard.js": GUARD_JS}
HOOKS = {
    "PreToolUse": [
        {"matcher": "acme_write", "decision": "deny", "reason": "Orders are closed."},
        {"matcher": "acme_query", "handler": "./handlers.py:check"},
    ],
    "UserPromptSubmit": {"command": ["node", "./guard.js"]},
}
TOLD = "a hook of the connector acme-db does not run"


@pytest.fixture(params=["claude-code", "codex"])
def connector(request: pytest.FixtureRequest, tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    host = (ClaudeCode if request.param == "claude-code" else Codex)(home, model)
    return Installed(host, home.path / "connector")


only_claude_code = pytest.mark.parametrize("connector", ["claude-code"], indirect=True)
only_codex = pytest.mark.parametrize("connector", ["codex"], indirect=True)


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    """An author's virtual environment: our package, and what the connector's handlers need."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    ignored = shutil.ignore_patterns("__editable__*", "_pytest", "mypy*", "ruff*", "__pycache__")
    shutil.copytree(sysconfig.get_path("purelib"), site, copy_function=_link, ignore=ignored, dirs_exist_ok=True)
    package = Path(agent_connector.__file__).parent
    shutil.rmtree(site / "agent_connector", ignore_errors=True)
    shutil.copytree(package, site / "agent_connector", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "acme_rules.py").write_text(RULES, encoding="utf-8")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def install_from(environment: Path, connector: Installed) -> None:
    """``agent-connector install`` of that environment."""
    code = "from agent_connector.mcp_server.main import main; main()"
    python = environment / "bin" / "python"
    hosts = (require(CLAUDE_CODE) / "bin", require(CODEX) / "bin")
    subprocess.run(
        [python, "-I", "-c", code, "install", "--connector", connector.definition, "--targets", connector.host_id],
        env=connector.home.env(*hosts),
        cwd=connector.home.project,
        stdin=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )


def both_tools(connector: Installed) -> Turn:
    return connector.converse(
        connector.calls_tool("acme_query", sql="select 'asked' as marker"),
        connector.calls_tool("acme_write", sql="delete from orders"),
        "SAY done",
    )


def faults(connector: Installed) -> set[tuple[str, str]]:
    return {(line["event"], line["fault"]) for line in connector.log("logs/hooks.ndjson")}


def test_what_needs_nothing_of_a_deleted_environment_goes_on_and_the_rest_is_told(
    connector: Installed, environment: Path
) -> None:
    files = {name: text for name, text in FILES.items() if name != "acme_rules.py"}
    connector.write(HOOKS, files)
    install_from(environment, connector)
    before = both_tools(connector)
    assert before.calls == []
    assert "The rules forbid it." in before.read
    assert TOLD not in before.read

    shutil.rmtree(environment)
    after = both_tools(connector)

    assert [call["tool"] for call in after.calls] == ["acme_query"]
    assert "Orders are closed." in after.results[-1]
    assert "Node was here." in after.read
    assert faults(connector) == {("PreToolUse", "unavailable")}
    following = connector.converse("SAY done")
    assert TOLD in following.read
    assert "PreToolUse" in following.read


@only_codex
def test_an_updated_handler_runs_as_it_is_now_and_it_is_logged(connector: Installed) -> None:
    connector.define(HOOKS, FILES)
    assert "The rules forbid it." in both_tools(connector).read

    updated = HANDLERS.replace("REASON}", '"The new rules forbid it."}')
    (connector.folder / "handlers.py").write_text(updated, encoding="utf-8")
    turn = both_tools(connector)

    assert turn.calls == []
    assert "The new rules forbid it." in turn.read
    assert faults(connector) == {("PreToolUse", "changed")}
    assert TOLD not in connector.converse("SAY done").read


@only_claude_code
def test_a_handler_that_no_longer_parses_lets_the_call_through_and_is_told_until_it_is_mended(
    connector: Installed,
) -> None:
    connector.define(HOOKS, FILES)
    (connector.folder / "handlers.py").write_text("def check(event:\n", encoding="utf-8")

    turn = both_tools(connector)

    assert [call["tool"] for call in turn.calls] == ["acme_query"]
    assert "Orders are closed." in turn.results[-1]
    assert faults(connector) == {("PreToolUse", "unavailable")}
    assert TOLD in connector.converse("SAY done").read

    (connector.folder / "handlers.py").write_text(HANDLERS, encoding="utf-8")
    mended = both_tools(connector)
    assert mended.calls == []
    assert TOLD not in mended.read


def test_a_connector_whose_source_is_deleted_keeps_its_static_answers(connector: Installed) -> None:
    connector.define(HOOKS, FILES)
    for name in (*FILES, connector.definition.name, "answering.py", "answers.json"):
        (connector.folder / name).unlink()

    turn = both_tools(connector)

    assert [call["tool"] for call in turn.calls] == ["acme_query"]
    assert "Orders are closed." in turn.results[-1]
    assert "Node was here." not in turn.read
    assert ("PreToolUse", "unavailable") in faults(connector)
    assert {event for event, _ in faults(connector)} == {"PreToolUse", "UserPromptSubmit"}
    assert TOLD in connector.converse("SAY done").read
