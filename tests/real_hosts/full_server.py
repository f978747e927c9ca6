"""A server of the official Python SDK with everything a conversation can have in it."""

from __future__ import annotations

from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

server = MCPServer("full", version="1.0.0", instructions="Everything.")
broken_off: list[str] = []


class Confirm(BaseModel):
    ok: bool
    why: str = ""


class Table(BaseModel):
    rows: list[dict[str, str]]


@server.tool()
async def counting(steps: int, ctx: Context) -> str:
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step} ✓")
    return "counted"


@server.tool()
async def forever(name: str) -> str:
    try:
        await anyio.sleep(60)
    finally:
        broken_off.append(name)
    return name


@server.tool()
def which_were_broken_off() -> list[str]:
    return broken_off


def ask_first(subject: str) -> Elicit[Confirm]:
    return Elicit(f"Really {subject}?", Confirm)


@server.tool()
def after_asking(subject: str, confirmed: Annotated[Confirm, Resolve(ask_first)]) -> str:
    return f"{subject}: {confirmed.ok} because {confirmed.why}"


@server.tool()
def table(size: int) -> Table:
    return Table(rows=[{"id": str(number), "name": "Zoë \u2028 漢字"} for number in range(size)])


@server.tool()
def text(size: int) -> str:
    return "line\r\n" * (size // 6)


@server.tool()
def wrong() -> str:
    raise ToolError("it went wrong")


@server.tool()
def refused() -> str:
    raise MCPError(-32050, "refused", {"by": "the server"})


@server.tool()
async def changes(ctx: Context) -> str:
    await ctx.notify_tools_changed()
    await ctx.notify_resources_changed()
    return "changed"


@server.resource("full://text", mime_type="text/plain")
def one() -> str:
    return "one\n" * 100


@server.resource("full://bytes", mime_type="application/octet-stream")
def other() -> bytes:
    return bytes(range(256)) * 50


@server.resource("full://of/{name}")
def of(name: str) -> str:
    return f"of {name}"


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}."


if __name__ == "__main__":
    server.run("stdio")
