"""A connector installed by our own command into a home of a real host, and what can be asked of it after a turn."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from host_homes import Home
from host_process import Finished
from hosts_cache import CLAUDE_CODE, CODEX, require
from model_server import Model, ModelRequest

HERE = Path(__file__).parent
ANSWERING = {"handler": "./answering.py:answer"}

Answer = dict[str, Any]


class AnyHost(Protocol):
    """A host in a home of its own."""

    id: ClassVar[str]
    home: Home
    model: Model

    def tool(self, server: str, name: str) -> str: ...

    def turn(self, prompt: str, *options: str) -> Finished: ...


@dataclass(frozen=True)
class Turn:
    """What one run of a host left behind."""

    finished: Finished
    requests: list[ModelRequest]
    """What the model received: the conversation, subagents' conversations, summaries."""
    calls: list[dict[str, Any]]
    """What reached the MCP server: ``tool`` and ``arguments``."""
    told: list[dict[str, Any]]
    """What the hook handlers were told: normalized events with ``raw``."""

    @property
    def events(self) -> list[str]:
        return [event["event"] for event in self.told]

    def payload(self, event: str, where: str = "") -> dict[str, Any]:
        """The first payload of ``event`` that has the text ``where`` in it."""
        return next(one["raw"] for one in self.told if one["event"] == event and where in json.dumps(one["raw"]))

    @property
    def read(self) -> str:
        """Everything any model read in this turn."""
        return "\n".join(request.conversation for request in self.requests)

    @property
    def results(self) -> list[str]:
        """Texts of the tool results in the main conversation, oldest first."""
        return [text for text, _ in self.requests[-1].tool_results] if self.requests else []


@dataclass
class Installed:
    """A definition in ``folder``, installed into the host's home."""

    host: AnyHost
    folder: Path

    @property
    def home(self) -> Home:
        return self.host.home

    @property
    def data_root(self) -> Path:
        return self.home.path / ".agent-connector"

    @property
    def model(self) -> Model:
        return self.host.model

    def define(self, hooks: dict[str, Any], files: dict[str, str] | None = None, **more: Any) -> Installed:
        """Write the definition, and ``files`` beside it, and install it."""
        self.write(hooks, files, **more)
        self.install()
        return self

    def write(self, hooks: dict[str, Any], files: dict[str, str] | None = None, **more: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(HERE / "answering.py", self.folder)
        self.answer()
        for name, text in (files or {}).items():
            (self.folder / name).write_text(text, encoding="utf-8")
        definition = {"id": "acme-db", "version": "1.0.0", "server": self.server, "hooks": hooks, **more}
        self.definition.write_text(json.dumps(definition, indent=2), encoding="utf-8")

    @property
    def definition(self) -> Path:
        return self.folder / "agent-connector.config.json"

    @property
    def server(self) -> dict[str, Any]:
        return {
            "transport": "stdio",
            "command": sys.executable,
            "args": [str(HERE / "logged_server.py")],
            "env": {"CALLS_FILE": str(self.calls_file)},
        }

    def install(self) -> Any:
        return (
            self.agent_connector("install", "--connector", self.definition, "--targets", self.host_id, "--json")
            .succeeded()
            .json
        )

    def agent_connector(self, *arguments: str | Path) -> Finished:
        return agent_connector(self.home, *arguments)

    @property
    def host_id(self) -> str:
        return self.host.id

    def answer(self, *rules: tuple[str, Answer] | tuple[str, Answer, str]) -> None:
        """What the handler answers from now on: (event, answer), or (event, answer, text its payload must have)."""
        written = [dict(zip(("event", "answer", "where"), rule, strict=False)) for rule in rules]
        (self.folder / "answers.json").write_text(json.dumps(written), encoding="utf-8")

    @property
    def calls_file(self) -> Path:
        return self.folder / "calls.jsonl"

    @property
    def told_file(self) -> Path:
        return self.folder / "told.jsonl"

    def tool(self, name: str) -> str:
        """A tool of the connector's server, as the host's model calls it."""
        return self.host.tool("acme-db", name)

    def calls_tool(self, name: str, **arguments: Any) -> str:
        """A line of the model's script: a call of the server's tool."""
        return f"CALL {self.tool(name)} {json.dumps(arguments)}"

    def calls_shell(self, command: str) -> str:
        if self.host_id == "claude-code":
            return f"CALL Bash {json.dumps({'command': command, 'description': 'a command'})}"
        return f"CALL exec_command {json.dumps({'cmd': command})}"

    def converse(self, *script: str) -> Turn:
        """A turn in which reading with acme_query and the shell are granted, writing with acme_write is not."""
        if self.host_id == "claude-code":
            return self.turn("\n".join(script), "--allowedTools", self.tool("acme_query"), "Bash")
        return self.turn("\n".join(script), "--dangerously-bypass-hook-trust")

    def turn(self, prompt: str, *options: str) -> Turn:
        return self.watched(lambda: self.host.turn(prompt, *options))

    def watched(self, run: Callable[[], Finished]) -> Turn:
        """What ``run`` leaves behind, alone."""
        self.model.forget()
        self.calls_file.unlink(missing_ok=True)
        self.told_file.unlink(missing_ok=True)
        finished = run()
        return Turn(finished, list(self.model.requests), self.calls, self.told)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What has reached the MCP server in the turn so far."""
        return lines(self.calls_file)

    @property
    def told(self) -> list[dict[str, Any]]:
        """What the handlers have been told in the turn so far."""
        return lines(self.told_file)

    def log(self, name: str) -> list[Any]:
        """The lines of a log below the data root."""
        return lines(self.data_root / name)


def agent_connector(home: Home, *arguments: str | Path) -> Finished:
    """Our command as a person's shell runs it: the hosts are on PATH, so they are found by binary too."""
    hosts = (require(CLAUDE_CODE) / "bin", require(CODEX) / "bin")
    command = Path(sys.executable).parent / "agent-connector"
    return home.run(command, *arguments, PATH=home.env(*hosts)["PATH"])


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
