"""Guided conversations, from the Markdown files in ``prompts/``; hosts offer them as slash commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import TYPE_CHECKING

from agent_connector.values import frozen
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import PromptArgument
from mcp_types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from .. import itself
from . import resources

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from .desk import Desk

FILES = ("install-everywhere.md", "find-the-fault.md")


@frozen
class PromptFile:
    """``arguments``: name -> description; in ``body`` they stand as ``{name}``."""

    name: str
    title: str
    description: str
    arguments: dict[str, str]
    body: str


def add_to(server: MCPServer[Desk], desk: Desk) -> None:
    for file_name in FILES:
        prompt = parse((files("agent_connector.prompts") / file_name).read_text(encoding="utf-8"))
        server.add_prompt(
            Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    PromptArgument(name=name, description=text, required=False)
                    for name, text in prompt.arguments.items()
                ],
                fn=_renderer(prompt),
                context_kwarg=None,
            )
        )

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK's decorator has no types
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        _context: CompletionContext | None,
    ) -> Completion:
        matching = [value for value in _known(desk, ref, argument.name) if value.startswith(argument.value)]
        return Completion(values=matching[:100], total=len(matching), has_more=len(matching) > 100)


def _known(desk: Desk, ref: PromptReference | ResourceTemplateReference, name: str) -> Iterable[str]:
    if isinstance(ref, ResourceTemplateReference):
        if ref.uri == resources.PLAN_URI:
            return desk.plans.ids()
        return desk.catalogue.ids() if ref.uri == resources.HOST_URI else ()
    if name == "connector":
        from agent_connector.runtime.records import list_records

        return sorted({itself.ID, *list_records(desk.data_root)})
    return desk.catalogue.ids() if name == "host" else ()


def parse(text: str) -> PromptFile:
    """A Markdown file with a head of ``key: value`` lines between ``---``; arguments are indented below theirs."""
    found = re.fullmatch(r"---\n(.*?)\n---\n+(.*)", text, re.DOTALL)
    assert found is not None, "a prompt begins with its head"
    head: dict[str, str] = {}
    arguments: dict[str, str] = {}
    for line in found[1].splitlines():
        key, _, value = line.strip().partition(": ")
        if line.startswith(" "):
            arguments[key] = value
        else:
            head[key] = value
    return PromptFile(head["name"], head["title"], head["description"], arguments, found[2])


def _renderer(prompt: PromptFile) -> Callable[..., str]:
    def render(**given: str) -> str:
        """What was not given is told to be open; braces in what was given stay what they are."""
        words = {name: given.get(name, "").strip() or "(not said)" for name in prompt.arguments}
        return re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[0]), prompt.body).strip()

    return render
