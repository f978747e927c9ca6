"""Official clients have the same conversation with an installed server as with the bare one, word for word.

What is installed is what a person would install; its entry is taken from the host's config and given to the clients.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from host_homes import Home
from hosts_cache import INSPECTOR, MCP_TYPESCRIPT, SERVER_EVERYTHING, node, require
from installed_connector import lines

pytestmark = pytest.mark.real_host

HERE = Path(__file__).parent
AGENT_CONNECTOR = Path(sys.executable).parent / "agent-connector"
ACME = HERE.parents[1] / "examples" / "acme_db" / "agent-connector.config.py"
OF_THE_SHELL = ("PWD", "OLDPWD", "SHLVL", "_")

FULL: list[Any] = [
    ["lists"],
    ["tool", "counting", {"steps": 40}],
    ["tool", "after_asking", {"subject": "écris"}],
    ["broken off", "forever", {"name": "one"}],
    ["tool", "which_were_broken_off", {}],
    ["tool", "table", {"size": 3}],
    ["tool", "table", {"size": 12_000}],
    ["tool", "text", {"size": 1_200_000}],
    ["tool", "text", {"size": 3_000_000}],
    ["tool", "wrong", {}],
    ["tool", "refused", {}],
    ["tool", "no_such_tool", {}],
    ["tool", "table", {"size": "many"}],
    ["resource", "full://text"],
    ["resource", "full://bytes"],
    ["resource", "full://of/Zo%C3%AB"],
    ["resource", "full://nothing"],
    ["prompt", "greet", {"name": "漢"}],
    ["listen"],
]
EVERYTHING: list[Any] = [
    ["lists"],
    ["tool", "echo", {"message": "\u2028 'quoted' \\ 漢字 \u0000"}],
    ["tool", "get-annotated-message", {"messageType": "error", "includeImage": True}],
    ["tool", "get-env", {}],
    ["tool", "get-resource-links", {"count": 5}],
    ["tool", "get-structured-content", {"location": "Chicago"}],
    ["tool", "get-sum", {"a": 1e300, "b": 0.1}],
    ["tool", "get-sum", {"a": "x"}],
    ["tool", "get-tiny-image", {}],
    ["tool", "get-roots-list", {}],
    ["tool", "trigger-sampling-request", {"prompt": "hello", "maxTokens": 5}],
    ["tool", "trigger-elicitation-request", {}],
    ["tool", "trigger-long-running-operation", {"duration": 1, "steps": 4}],
    ["broken off", "trigger-long-running-operation", {"duration": 30, "steps": 2}],
    ["resource", "demo://resource/static/document/features.md"],
    ["prompt", "simple-prompt", {}],
    ["prompt", "args-prompt", {"city": "Zürich"}],
]
ACME_DB: list[Any] = [
    ["lists"],
    ["tool", "acme_query", {"sql": "select * from orders"}],
    ["tool", "acme_query", {"sql": "select randomblob(3000000)"}],
    ["tool", "acme_query", {"sql": "drop table orders"}],
    ["tool", "acme_write", {"sql": "update orders set total_cents = 0"}],
    ["tool", "acme_query", {"sql": "select sum(total_cents) from orders"}],
]


@dataclass(frozen=True)
class Both:
    """A server as its author starts it, and as a host does once it is installed."""

    home: Home
    bare: list[str]
    served: list[str]
    script: list[Any]

    @property
    def data_root(self) -> Path:
        return self.home.path / ".agent-connector"


def _both(tmp_path_factory: pytest.TempPathFactory, definition: dict[str, Any] | Path, script: list[Any]) -> Both:
    home = Home(tmp_path_factory.mktemp("clients") / 'Ada\'s $HOME & (café) "one"').create()
    (home.path / ".codex").mkdir()
    if isinstance(definition, dict):
        file = home.project / "agent-connector.config.json"
        file.write_text(json.dumps({"id": "measured", "version": "1.0.0", **definition}), encoding="utf-8")
    else:
        file = definition
    home.run(AGENT_CONNECTOR, "install", "--connector", file, "--targets", "codex", "--json").succeeded()
    config = tomllib.loads((home.path / ".codex" / "config.toml").read_text(encoding="utf-8"))
    (entry,) = config["mcp_servers"].values()
    return Both(home, entry["args"][entry["args"].index("--") + 1 :], [entry["command"], *entry["args"]], script)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Both:
    server = {"transport": "stdio", "command": sys.executable, "args": [str(HERE / "full_server.py")]}
    return _both(tmp_path_factory, {"server": server}, FULL)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Both:
    program = require(SERVER_EVERYTHING) / "node_modules" / SERVER_EVERYTHING.name / "dist" / "index.js"
    server = {"transport": "stdio", "command": str(node()), "args": [str(program), "stdio"]}
    return _both(tmp_path_factory, {"server": server}, EVERYTHING)


@pytest.fixture(scope="module")
def acme_db(tmp_path_factory: pytest.TempPathFactory) -> Both:
    return _both(tmp_path_factory, ACME, ACME_DB)


def in_python(both: Both, command: list[str], mode: str) -> Any:
    client = (sys.executable, HERE / "python_client.py")
    return both.home.run(*client, mode, json.dumps(both.script), *command, seconds=120).succeeded().json


def in_typescript(both: Both, command: list[str]) -> Any:
    sdk = require(MCP_TYPESCRIPT) / "node_modules" / "@modelcontextprotocol" / "sdk"
    client = (node(), HERE / "typescript_client.mjs", sdk)
    return both.home.run(*client, json.dumps(both.script), *command, seconds=120).succeeded().json


def check(both: Both, talk: Callable[[list[str]], Any]) -> Any:
    """The two conversations are one, and each call of the second is a row."""
    already = len(_rows(both))
    bare, served = _comparable(talk(both.bare)), _comparable(talk(both.served))
    assert served["told"] == bare["told"]
    # What comes beside the answers may overtake them in the client itself; each kind keeps its order.
    _same_but_for_the_end(_by_kind(served["besides"]), _by_kind(bare["besides"]))
    assert len(_rows(both)) - already == sum(step[0] in ("tool", "broken off") for step in both.script) + (
        any(told[0] == "listen" and told[1] for told in served["told"])
    )
    return served


def _rows(both: Both) -> set[tuple[int, int]]:
    files = (both.data_root / "telemetry" / "spool").glob("*.ndjson")
    return {(row["t"], row["u"]) for file in files for row in lines(file) if row["scope"] == "call"}


_AT_THE_END = ("progress", "roots")
"""Kinds of which a client may miss the last ones, or be asked once more: the TypeScript client looks at notifications
later than at an answer that came in the same read, and how much comes in one read is nobody's promise."""


def _same_but_for_the_end(one: dict[str, list[Any]], other: dict[str, list[Any]]) -> None:
    for kind in _AT_THE_END:
        mine, theirs = one.pop(kind, []), other.pop(kind, [])
        both = min(len(mine), len(theirs))
        assert mine[:both] == theirs[:both]
        assert bool(mine) == bool(theirs)
    assert one == other


def _by_kind(besides: list[Any]) -> dict[str, list[Any]]:
    kinds: dict[str, list[Any]] = {}
    for kind, *values in besides:
        kinds.setdefault(kind, []).append(values)
    return kinds


def _comparable(told: Any) -> Any:
    """Without what is different each time: what a shell leaves in the environment, random bytes."""
    for step in told["told"]:
        content = step[1].get("content") if isinstance(step[1], dict) else None
        text = content[0].get("text", "") if content else ""
        if '"PATH"' in text:
            environment = json.loads(text)
            content[0]["text"] = {name: environment[name] for name in environment if name not in OF_THE_SHELL}
    return told


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("server", ["full", "everything", "acme_db"])
def test_the_python_client(server: str, mode: str, request: pytest.FixtureRequest) -> None:
    both: Both = request.getfixturevalue(server)

    told = check(both, lambda command: in_python(both, command, mode))

    modern = mode == "auto" and server != "everything"
    assert dict(map(tuple, told["told"][1:2])) == {"protocol": "2026-07-28" if modern else "2025-11-25"}
    if server != "acme_db":
        assert {"progress", "elicit"} <= _by_kind(told["besides"]).keys()


@pytest.mark.parametrize("server", ["full", "everything", "acme_db"])
def test_the_typescript_client(server: str, request: pytest.FixtureRequest) -> None:
    both: Both = request.getfixturevalue(server)

    told = check(both, lambda command: in_typescript(both, command))

    if server != "acme_db":
        assert {"progress", "elicit"} <= _by_kind(told["besides"]).keys()


def test_the_inspector(everything: Both, acme_db: Both) -> None:
    program = require(INSPECTOR) / "bin" / INSPECTOR.command
    config = everything.home.path / "inspector.json"
    servers = {
        f"{name}-{kind}": {"type": "stdio", "command": command[0], "args": command[1:]}
        for name, both in (("everything", everything), ("acme", acme_db))
        for kind, command in (("bare", both.bare), ("served", both.served))
    }
    config.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    def inspected(server: str, *asked: str) -> Any:
        command = (node(), program.resolve(), "--cli", "--config", config, "--server", server, *asked)
        return everything.home.run(*command).succeeded().json

    listed = inspected("acme-served", "--method", "tools/list")
    assert listed == inspected("acme-bare", "--method", "tools/list")
    assert [tool["name"] for tool in listed["tools"]] == ["acme_query", "acme_write"]
    asked = ("--method", "tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "--tool-arg", "b=3")
    called = inspected("everything-served", *asked)
    assert called == inspected("everything-bare", *asked)
    assert "5" in called["content"][0]["text"]
