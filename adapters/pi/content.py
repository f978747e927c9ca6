"""Slash commands of Pi, which are prompt templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import content_drops
from agent_connector.host import ContentFiles

from .server import HOST

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command


def render_command(command: Command) -> ContentFiles:
    head = {
        "description": command.description or None,
        "argument-hint": command.argument_hint or None,
        **command.extra,
    }
    return ContentFiles({f"{command.name}.md": markdown(head, command.prompt)}, content_drops(HOST, command))
