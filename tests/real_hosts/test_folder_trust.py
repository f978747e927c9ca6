"""A project's server is started where its folder's trust came with the install (``--trust``), and nowhere before."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from host_homes import ClaudeCode, Home
from hosts_cache import CLAUDE_CODE, GEMINI_CLI, require
from model_server import Model
from node_homes import GeminiCli

pytestmark = pytest.mark.real_host

AGENT_CONNECTOR = Path(sys.executable).parent / "agent-connector"
SERVER = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        version, about = asked["params"]["protocolVersion"], {"name": "a", "version": "1"}
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    elif "id" in asked:
        result = {"tools": []} if asked["method"] == "tools/list" else {}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home").create()
    (home.project / "server.py").write_text(SERVER, encoding="utf-8")
    server = {"transport": "stdio", "command": "python3", "args": ["server.py"]}
    definition = {"id": "acme", "version": "1.0.0", "server": server}
    (home.path / "acme.json").write_text(json.dumps(definition), encoding="utf-8")
    return home


def agent_connector(home: Home, package: Any, *arguments: str | Path) -> None:
    path = home.env(require(package) / "bin")["PATH"]
    home.run(AGENT_CONNECTOR, *arguments, "--json", PATH=path).succeeded()


def test_claude_code_approves_the_server_of_a_folder_that_came_with_trust(home: Home, model: Model) -> None:
    claude = ClaudeCode(home, model)
    options = ("--connector", home.path / "acme.json", "--targets", "claude-code", "--scope", "project")
    agent_connector(home, CLAUDE_CODE, "install", *options)
    assert "Pending approval" in claude.run("mcp", "list").stdout

    agent_connector(home, CLAUDE_CODE, "install", *options, "--trust")
    assert "Connected" in claude.run("mcp", "list").stdout

    agent_connector(home, CLAUDE_CODE, "uninstall", "acme")
    left = json.loads(claude.user_config.read_text(encoding="utf-8")).get("projects", {})
    assert "hasTrustDialogAccepted" not in left.get(str(home.project), {})
    assert not (home.project / ".claude").exists()


def test_gemini_cli_starts_the_server_of_a_folder_that_came_with_trust(home: Home, model: Model) -> None:
    gemini = GeminiCli(home, model)
    trusted = home.path / ".gemini" / "trustedFolders.json"
    trusted.unlink()
    options = ("--connector", home.path / "acme.json", "--targets", "gemini-cli", "--scope", "project")
    agent_connector(home, GEMINI_CLI, "install", *options)
    assert "Connected" not in str(gemini.run("mcp", "list"))

    agent_connector(home, GEMINI_CLI, "install", *options, "--trust")
    assert "Connected" in str(gemini.run("mcp", "list"))

    agent_connector(home, GEMINI_CLI, "uninstall", "acme")
    assert not trusted.exists()
