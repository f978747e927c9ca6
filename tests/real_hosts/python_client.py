"""A conversation of the official Python client with a server over stdio; printed is all that it was told, as JSON.

    python python_client.py <auto|legacy> <script> <command> [arguments...]

``script`` is a JSON list: ["tool", name, arguments], ["resource", uri], ["prompt", name, arguments],
["broken off", tool, arguments], ["listen"] or ["lists"].
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any

import anyio
from mcp import MCPDeprecationWarning, MCPError, StdioServerParameters
from mcp.client import Client
from mcp_types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

warnings.simplefilter("ignore", MCPDeprecationWarning)
NO_CACHE = None


class Conversation:
    def __init__(self) -> None:
        self.told: list[Any] = []
        self.besides: list[Any] = []
        """Notifications and the server's own requests, which come beside the answers."""

    def tell(self, what: str, value: Any) -> None:
        self.told.append([what, plain(value)])

    async def elicited(self, _context: Any, params: Any) -> ElicitResult:
        self.besides.append(["elicit", plain(params)])
        properties = plain(params).get("requestedSchema", {}).get("properties", {})
        return ElicitResult(action="accept", content={"ok": True, "why": "tést"} if "ok" in properties else {})

    async def sampled(self, _context: Any, params: Any) -> CreateMessageResult:
        self.besides.append(["sample", plain(params)])
        return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text="sampled"))

    async def roots(self, _context: Any) -> ListRootsResult:
        self.besides.append(["roots"])
        return ListRootsResult(roots=[Root(uri="file:///somewhere", name="r")])

    async def heard(self, message: Any) -> None:
        self.besides.append(["heard", type(message).__name__, plain(message)])

    async def progressed(self, progress: float, total: float | None, message: str | None) -> None:
        self.besides.append(["progress", progress, total, message])

    async def step(self, client: Client, kind: str, *words: Any) -> None:
        try:
            if kind == "tool":
                self.tell(kind, await client.call_tool(words[0], words[1], progress_callback=self.progressed))
            elif kind == "resource":
                self.tell(kind, await client.read_resource(words[0]))
            elif kind == "prompt":
                self.tell(kind, await client.get_prompt(words[0], words[1]))
            elif kind == "broken off":
                with anyio.move_on_after(0.3):
                    await client.call_tool(words[0], words[1])
                await anyio.sleep(0.2)
            elif kind == "listen" and client.protocol_version >= "2026":
                async with client.listen(tools_list_changed=True, resources_list_changed=True) as events:
                    self.tell(kind, await client.call_tool("changes", {}))
                    self.tell(kind, [repr(await anext(events)), repr(await anext(events))])
            elif kind == "lists":
                for lists in (client.list_tools, client.list_resources, client.list_resource_templates):
                    self.tell(kind, await lists())
                self.tell(kind, await client.list_prompts())
        except MCPError as error:
            self.tell("error", error.error)


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True) if hasattr(value, "model_dump") else value


async def main(mode: str, script: str, command: str, *arguments: str) -> None:
    talk = Conversation()
    server = StdioServerParameters(command=command, args=list(arguments), env={"PATH": os.environ["PATH"]})
    async with Client(
        server,
        mode=mode,
        cache=NO_CACHE,
        elicitation_callback=talk.elicited,
        sampling_callback=talk.sampled,
        list_roots_callback=talk.roots,
        message_handler=talk.heard,
    ) as client:
        talk.tell("server", [plain(client.server_info), plain(client.server_capabilities), client.instructions])
        talk.tell("protocol", client.protocol_version)
        for step in json.loads(script):
            await talk.step(client, *step)
    print(json.dumps({"told": talk.told, "besides": talk.besides}))


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
