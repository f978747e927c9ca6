"""Every example's definition loads, passes the rules, and says what its page claims."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from agent_connector import Connector, Response
from agent_connector.authoring.loading import load_definition
from agent_connector.authoring.raw import Definition

EXAMPLES = Path(__file__).parents[2] / "examples"
DEFINITIONS = sorted(EXAMPLES.rglob("agent-connector.config.*"))


def load(folder: str) -> Definition:
    return load_definition(EXAMPLES / folder)


def resolved(folder: str) -> Connector:
    return load(folder).resolve()


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: str(path.parent.relative_to(EXAMPLES)))
def test_it_passes_every_rule_and_serves_something(path: Path) -> None:
    connector = load_definition(path).resolve()
    assert connector.server is not None
    assert connector.server.command or connector.server.url


def test_the_ids_differ_so_that_all_examples_fit_on_one_machine() -> None:
    ids = [load_definition(path).resolve().id for path in DEFINITIONS]
    assert len(set(ids)) == len(ids) == 5


def test_acme_db_takes_its_name_and_version_from_its_package() -> None:
    connector = resolved("acme_db")
    assert (connector.id, connector.version) == ("acme-db", "1.0.0")


def test_acme_db_starts_its_server_by_absolute_paths() -> None:
    server = resolved("acme_db").server
    assert server is not None
    assert server.command == sys.executable
    (script,) = server.args
    assert Path(script).is_absolute()
    assert Path(script).is_file()


def test_acme_db_asks_before_a_write_and_shows_the_statement() -> None:
    (hook,) = resolved("acme_db").hooks["PreToolUse"]
    assert hook.matcher == "acme_write"

    event = SimpleNamespace(tool_name="acme_write", tool_input={"sql": "delete from orders"})
    handler = load("acme_db").hook_handler("PreToolUse", 0)
    assert handler(event) == Response.ask("Change the Acme database: delete from orders")


def test_acme_db_has_a_command_a_skill_memory_and_a_fixed_context() -> None:
    connector = resolved("acme_db")
    assert [command.name for command in connector.commands] == ["acme-top"]
    assert [skill.name for skill in connector.skills] == ["acme-orders"]
    assert len(connector.memory) == 1
    (context,) = connector.hooks["SessionStart"]
    assert context.decision == "context"


def test_the_remote_server_keeps_its_token_as_a_reference() -> None:
    server = resolved("remote_server").server
    assert server is not None
    assert server.headers == {"Authorization": "Bearer ${env:ACME_SEARCH_TOKEN}"}


@pytest.mark.parametrize(
    ("folder", "start"),
    [
        ("uv_run", ("uv", "run")),
        ("npx", ("npx", "-y")),
        ("cli_serve", ("claude", "mcp", "serve")),
    ],
)
def test_each_launch_shape_starts_as_its_folder_says(folder: str, start: tuple[str, ...]) -> None:
    server = resolved(f"launch_shapes/{folder}").server
    assert server is not None
    assert (server.command, *server.args)[: len(start)] == start


def test_a_program_that_serves_itself_is_not_given_to_itself() -> None:
    connector = resolved("launch_shapes/cli_serve")
    assert connector.server_for("claude-code") is None
    assert connector.server_for("codex") is not None
