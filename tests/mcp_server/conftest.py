"""An agent that talks to the server in memory, in either era of the protocol.

Every call is a new connection to a new server over the same home, so nothing can depend on a session or on what one
process remembers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from agent_connector.machine import Machine
from agent_connector.mcp_server.server import app
from agent_connector.mcp_server.server.app import build
from agent_connector.mcp_server.server.desk import Desk
from agent_connector.mcp_server.server.registration import VARIABLE
from agent_connector.mcp_server.server.schemas import OUTPUT
from agent_connector.mcp_server.server.tools import all_tools
from agent_connector.operations.context import Context
from mcp import Client
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, Implementation

VERSION = "0.1.0"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _tools_are_described_once() -> Iterator[None]:
    """Tools hold no state, and describing them takes longer than most calls: once will do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "all_tools", cache(all_tools))
        yield


@cache
def output_of(tool: str) -> Any:
    """What an answer of the tool has to fit; the schema itself is one."""
    schema = OUTPUT.get(tool, OUTPUT["change"])
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """The client's mode: the newest revision (2026-07-28), or the handshake of those before."""
    return str(request.param)


class Agent:
    """``person``: what the person answers when the client asks; ``None`` for a client that cannot ask."""

    def __init__(self, machine: Machine, era: str) -> None:
        self.machine = machine
        self.era = era
        self.name = "a-test"
        self.person: str | None = None
        self.questions: list[str] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self.progress: list[tuple[float, str | None]] = []

    @property
    def data_root(self) -> Path:
        return Path(self.machine.data_root)

    @asynccontextmanager
    async def connected(self, desk: Desk | None = None) -> AsyncIterator[Client]:
        asking = {} if self.person is None else {"elicitation_callback": self._ask}
        server = build(desk or Desk(self.machine, VERSION))
        info = Implementation(name=self.name, version="1")
        async with Client(server, mode=self.era, client_info=info, read_timeout_seconds=60, **asking) as client:
            yield client

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """The tool's answer, which fits the tool's output schema."""
        async with self.connected() as client:
            result = await client.call_tool(tool, arguments, progress_callback=self._progress)
        assert isinstance(result, CallToolResult)
        if result.structured_content is not None:
            output_of(tool).validate(result.structured_content)
            assert result.structured_content.keys() <= output_of(tool).schema["properties"].keys()
        return result

    async def plan(self, tool: str, /, **arguments: Any) -> str:
        """The handle of a plan."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, text(result)
        return str(content(result)["plan_id"])

    async def apply(self, tool: str, plan_id: str, **arguments: Any) -> CallToolResult:
        return await self.call(tool, plan_id=plan_id, confirm=True, **arguments)

    async def _ask(self, _context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.questions.append(params.message)
        self.meanwhile()
        assert self.person is not None
        return ElicitResult(action=self.person, content={} if self.person == "accept" else None)  # type: ignore[arg-type]

    async def _progress(self, done: float, total: float | None, message: str | None) -> None:
        assert total is None
        self.progress.append((done, message))


def text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def content(result: CallToolResult) -> dict[str, Any]:
    assert result.structured_content is not None, text(result)
    return result.structured_content


@pytest.fixture
def agent(context: Context, hosts: Path, era: str) -> Agent:
    """In a home with three hosts. It does not register itself: that is a matter of its own tests."""
    return Agent(context.machine.with_env({VARIABLE: "off"}), era)


@pytest.fixture
def told() -> Callable[[CallToolResult], str]:
    """All the text of an answer."""
    return text


@pytest.fixture
def facts() -> Callable[[CallToolResult], dict[str, Any]]:
    """The structured content of an answer."""
    return content
