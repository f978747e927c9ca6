"""The server put together: tools, resources, prompts, completion."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from mcp.server.caching import CacheHint
from mcp.server.mcpserver import MCPServer

from . import prompts, resources
from .desk import Desk
from .tools import all_tools

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.mcpserver.tools import Tool
    from mcp_types import CallToolResult

NAME: Final = "agent-connector"
INSTRUCTIONS: Final = (
    "Installs connectors (MCP servers, hooks, slash commands, skills, memory) into every AI coding agent on this "
    "machine, finds out why one does not work, and removes them again. Whatever writes takes two calls: the first "
    "returns a plan, show it to the person; the second applies it by its plan_id."
)
_STATIC: Final = CacheHint(ttl_ms=3_600_000, scope="public")


def build(desk: Desk) -> MCPServer[Desk]:
    @asynccontextmanager
    async def lifespan(_: MCPServer[Desk]) -> AsyncIterator[Desk]:
        yield desk

    tools = all_tools()
    server = MCPServer[Desk](
        NAME,
        title=NAME,
        description="One connector, every AI coding agent.",
        instructions=INSTRUCTIONS,
        version=desk.version,
        tools=tools,
        lifespan=lifespan,
        log_level="WARNING",
        cache_hints={"tools/list": _STATIC, "prompts/list": _STATIC, "resources/templates/list": _STATIC},
        middleware=[_refuse_unknown_arguments(tools), _after_first_list(desk)],
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


def _refuse_unknown_arguments(tools: list[Tool]) -> Any:
    """A misspelt argument must not be dropped, as the SDK would: `host` for `targets` would install everywhere."""
    known = {tool.name: list(tool.parameters["properties"]) for tool in tools}

    async def refuse_unknown_arguments(ctx: ServerRequestContext[Desk, Any], call_next: CallNext) -> HandlerResult:
        params = ctx.params or {}
        tool, arguments = str(params.get("name")), params.get("arguments")
        if ctx.method == "tools/call" and tool in known and isinstance(arguments, dict):
            unknown = [str(name) for name in arguments if name not in known[tool]]
            if unknown:
                return _unknown_argument(tool, unknown[0], known[tool])
        return await call_next(ctx)

    return refuse_unknown_arguments


def _unknown_argument(tool: str, argument: str, names: list[str]) -> CallToolResult:
    from difflib import get_close_matches

    from agent_connector.errors import UsageError

    from .answers import refusal

    near = get_close_matches(argument, names, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return refusal(UsageError(f"{tool} has no argument {argument!r}", hint=f"{meant}It has {', '.join(names)}."))
