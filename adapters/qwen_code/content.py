"""Commands, skills and subagents of Qwen Code: Markdown with YAML frontmatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import skill_folder
from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import content_drops
from agent_connector.adapters.families.subagents import blocked_tools
from agent_connector.host import ContentFiles

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_HOST = "Qwen Code"
_WRITING_TOOLS = ("edit", "write_file", "notebook_edit", "run_shell_command")


def render_command(command: Command) -> ContentFiles:
    """``{{args}}`` is all that stood behind the command's name; single arguments there are none."""
    head = {"description": command.description or None, **command.extra}
    prompt = command.prompt.replace("$ARGUMENTS", "{{args}}")
    return ContentFiles({f"{command.name}.md": markdown(head, prompt)}, content_drops(_HOST, command))


def render_skill(skill: Skill) -> ContentFiles:
    head = {"disable-model-invocation": True if skill.disable_model_invocation else None}
    return skill_folder(skill, head, notes=content_drops(_HOST, skill))


def render_subagent(subagent: Subagent) -> ContentFiles:
    """``readonly`` takes the tools away that write, and the shell."""
    blocked = blocked_tools(subagent, _WRITING_TOOLS)
    head = {
        "name": subagent.name,
        "description": subagent.description,
        "model": subagent.model or None,
        "tools": list(subagent.tools.allow) or None,
        "disallowedTools": list(blocked) or None,
        **subagent.extra,
    }
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)})
