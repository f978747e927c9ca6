"""The server put together: tools, resources, prompts, completion."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from mcp.server.caching import CacheHint
from mcp.server.mcpserver import MCPServer

from . import prompts, resources
from .desk import Desk
from .tools import all_tools

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

NAME: Final = "agent-connector"
INSTRUCTIONS: Final = (
    "Installs connectors (MCP servers, hooks, slash commands, skills, memory) into every AI coding agent on this "
    "machine, finds out why one does not work, and removes them again. Whatever writes takes two calls: the first "
    "returns a plan, show it to the person; the second applies it by its plan_id."
)
_STATIC: Final = CacheHint(ttl_ms=3_600_000, scope="public")


def build(desk: Desk, *, on_start: Callable[[], None] | None = None) -> MCPServer[Desk]:
    """``on_start`` is called when the transport stands and before the first message is read."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[Desk]) -> AsyncIterator[Desk]:
        if on_start is not None:
            on_start()
        yield desk

    server = MCPServer[Desk](
        NAME,
        title=NAME,
        description="One connector, every AI coding agent.",
        instructions=INSTRUCTIONS,
        version=desk.version,
        tools=all_tools(),
        lifespan=lifespan,
        log_level="WARNING",
        cache_hints={"tools/list": _STATIC, "prompts/list": _STATIC, "resources/templates/list": _STATIC},
        middleware=[_after_first_list(desk)],
    )
    resources.add_to(server, desk)
    prompts.add_to(server, desk)
    return server


def _after_first_list(desk: Desk) -> Any:
    async def after_first_list(ctx: ServerRequestContext[Desk, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "tools/list":
            client = ctx.session.client_params
            desk.registration.begin(client.client_info.name if client else "")
        return result

    return after_first_list
