"""The acme_db example goes into real hosts and out again; the hosts themselves say what they see.

The homes hold configs as people have them, and one home has a name that every shell would like to misread.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import pytest
from host_homes import ClaudeCode, Codex, Home
from host_process import Finished
from hosts_cache import CLAUDE_CODE, CODEX, require

pytestmark = pytest.mark.real_host

T = TypeVar("T")

AGENT_CONNECTOR = Path(sys.executable).parent / "agent-connector"
DEFINITION = Path(__file__).parents[2] / "examples" / "acme_db" / "agent-connector.config.py"
TARGETS = "claude-code,codex"

THEIR_FILES = {
    ".claude.json": '{\n    "numStartups": 3,\n  "big": 12345678901234567890, "ratio": 1.0,\n'
    '    "mcpServers": { "theirs": {"command": "true", "args": []} },\n    "tipsHistory": {}\n}',
    ".claude/settings.json": '{\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\r\n'
    '\t"cleanupPeriodDays": 99999\r\n}\r\n',
    ".claude/CLAUDE.md": "# Mine\n\nBe brief.",
    ".codex/config.toml": "# my settings\nmodel_reasoning_effort = 'low' # cheap\n\n"
    '[mcp_servers.theirs]\ncommand = "true"   # does nothing\nargs = []\n\n[tui]\nnotifications = false\n',
    ".codex/AGENTS.md": "\ufeff# Mine\r\n\r\nBe brief.\r\n",
}


@pytest.fixture(params=["home", 'Ada\'s $HOME & (café) "one"'], ids=["plain-home", "awkward-home"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    home = Home(tmp_path / request.param).create()
    for name, text in THEIR_FILES.items():
        path = home.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(0o600)
    return home


def agent_connector(home: Home, *arguments: str | Path) -> Finished:
    """Our command as a person's shell runs it: the hosts are on PATH, so they are found by binary too."""
    hosts = (require(CLAUDE_CODE) / "bin", require(CODEX) / "bin")
    return home.run(AGENT_CONNECTOR, *arguments, PATH=home.env(*hosts)["PATH"])


def install(home: Home) -> Any:
    return (
        agent_connector(home, "install", "--connector", DEFINITION, "--targets", TARGETS, "--json").succeeded().json
    )


def uninstall(home: Home) -> Any:
    return (
        agent_connector(home, "uninstall", "--connector-id", "acme-db", "--targets", TARGETS, "--json")
        .succeeded()
        .json
    )


@pytest.fixture
def launcher(home: Home) -> Path:
    """The command that every host entry names, once acme_db is installed."""
    assert install(home)["result"]["outcome"] == "done"
    return home.path / ".agent-connector" / "bin" / "agent-connector"


def test_claude_code_reports_the_server_connected_until_it_is_uninstalled(launcher: Path, claude: ClaudeCode) -> None:
    (line,) = _lines(claude.run("mcp", "list").succeeded(), "acme-db")
    assert "Connected" in line
    assert str(launcher) in line

    uninstall(claude.home)

    after = claude.run("mcp", "list").succeeded()
    assert not _lines(after, "acme-db")
    assert _lines(after, "theirs")


def test_codex_lists_the_launcher_with_the_servers_command_until_it_is_uninstalled(
    launcher: Path, codex: Codex
) -> None:
    transport = _codex_servers(codex)["acme-db"]["transport"]
    assert transport["type"] == "stdio"
    assert transport["command"] == str(launcher)
    flags, served = _split(transport["args"])
    assert flags[0] == "serve"
    assert _value(flags, "--connector") == "acme-db"
    assert _value(flags, "--host") == "codex"
    interpreter, server = map(Path, served)
    assert interpreter.parent == Path(sys.executable).parent
    assert server == DEFINITION.with_name("server.py")

    uninstall(codex.home)

    assert _codex_servers(codex).keys() == {"theirs"}


def test_a_turn_in_claude_code_calls_the_tool_through_the_launcher(launcher: Path, claude: ClaudeCode) -> None:
    tool = "mcp__acme-db__acme_query"
    prompt = f'CALL {tool} {{"sql": "select customer from orders where id = 2"}}\nSAY that was it'

    turn = claude.turn(prompt, "--allowedTools", tool).succeeded()

    assert turn.json["result"] == "that was it"
    text, is_error = claude.model.last.tool_results[-1]
    assert "Grace" in text
    assert not is_error
    assert json.loads(claude.user_config.read_text())["mcpServers"]["acme-db"]["command"] == str(launcher)


def test_a_turn_in_codex_calls_the_tool_through_the_launcher(launcher: Path, codex: Codex) -> None:
    # Codex refuses tools without readOnlyHint here, so this also shows that annotations come through the launcher.
    codex.turn('CALL mcp__acme_db__acme_query {"sql": "select customer from orders where id = 2"}').succeeded()

    assert "Grace" in codex.model.last.tool_results[-1][0]


def test_what_the_model_is_told_includes_memory_skill_and_command(
    launcher: Path, claude: ClaudeCode, codex: Codex
) -> None:
    claude.turn("SAY hello").succeeded()
    told = claude.model.last.conversation
    assert "stored in cents" in told
    assert "Be brief." in told
    assert "acme-orders" in told
    assert "acme-top" in told

    codex.model.forget()
    codex.turn("SAY hello").succeeded()
    told = codex.model.last.conversation
    assert "stored in cents" in told
    assert "Be brief." in told
    assert "acme-orders" in told


def test_the_slash_command_reaches_the_model_of_claude_code(launcher: Path, claude: ClaudeCode) -> None:
    claude.turn("/acme-top five").succeeded()
    assert "list the five customers" in claude.model.last.conversation


def test_installed_hooks_do_not_disturb_a_turn(launcher: Path, claude: ClaudeCode, codex: Codex) -> None:
    assert "acme-db" in claude.settings.read_text()
    turn = claude.turn('CALL Bash {"command": "echo from-the-shell"}\nSAY done', "--allowedTools", "Bash").succeeded()
    assert turn.json["result"] == "done"
    assert "from-the-shell" in claude.model.last.tool_results[-1][0]

    codex.model.forget()
    assert "acme-db" in codex.hooks_file.read_text()
    codex.turn(
        'CALL exec_command {"cmd": "echo from-the-shell"}\nSAY done', "--dangerously-bypass-hook-trust"
    ).succeeded()
    assert "from-the-shell" in codex.model.last.tool_results[-1][0]


def test_uninstall_gives_the_whole_tree_back_where_no_host_ran(home: Home) -> None:
    before = home.tree()
    install(home)
    uninstall(home)
    assert _without_data_root(home.tree()) == before


def test_uninstall_takes_exactly_our_keys_out_of_what_the_hosts_rewrote(
    home: Home, claude: ClaudeCode, codex: Codex
) -> None:
    before = home.files()
    install(home)
    installed = _without_data_root(home.files())
    claude.run("mcp", "list").succeeded()
    claude.turn("SAY hello").succeeded()
    codex.turn("SAY hello").succeeded()
    used = _without_data_root(home.files())
    rewritten_by_hosts = {name for name in used if used[name] != installed.get(name)}

    uninstall(home)

    after = _without_data_root(home.files())
    for name, content in before.items():
        if name not in rewritten_by_hosts:
            assert after[name] == content, name
    assert after.keys() - before.keys() <= rewritten_by_hosts
    assert _meaning(after, ".claude.json") == _without_server(_meaning(used, ".claude.json"), "mcpServers")
    assert _meaning(after, ".codex/config.toml") == _without_server(
        _meaning(used, ".codex/config.toml"), "mcp_servers"
    )
    for name in rewritten_by_hosts - {".claude.json", ".codex/config.toml"}:
        assert after[name] == used[name], name


def _lines(printed: Finished, word: str) -> list[str]:
    return [line for line in printed.stdout.splitlines() if line.startswith(word)]


def _codex_servers(codex: Codex) -> dict[str, Any]:
    return {entry["name"]: entry for entry in codex.run("mcp", "list", "--json").succeeded().json}


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and behind ``--`` the command that is served."""
    cut = arguments.index("--")
    return arguments[:cut], arguments[cut + 1 :]


def _value(flags: list[str], name: str) -> str:
    return flags[flags.index(name) + 1]


def _without_data_root(entries: dict[str, T]) -> dict[str, T]:
    return {name: entry for name, entry in entries.items() if name.split("/")[0] != ".agent-connector"}


def _meaning(files: dict[str, bytes], name: str) -> Any:
    return tomllib.loads(files[name].decode()) if name.endswith(".toml") else json.loads(files[name])


def _without_server(config: dict[str, Any], key: str) -> dict[str, Any]:
    servers = {name: entry for name, entry in config[key].items() if name != "acme-db"}
    return {**config, key: servers}
