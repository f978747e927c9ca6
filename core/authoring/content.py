"""Commands, skills, subagents and memory: content that becomes files, with its rules."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from .fields import Flag, JsonObject, Model, Text, Texts
from .findings import Finding, Path
from .names import KEBAB, kebab_fault, path_clashes, relative_path_fault, same_file_name
from .templates import secret_findings

SKILL_NAME_LIMIT = 64
SKILL_DESCRIPTION_LIMIT = 1024
MEMORY_LIMIT = 16 * 1024
"""Bytes in UTF-8 that a memory entry may have: it is read with every prompt."""
MARKER_TOKENS = ("agent-connector:begin", "agent-connector:end")

Kebab = Annotated[Text, Field(json_schema_extra={"pattern": KEBAB})]


class ToolPolicy(Model):
    """Tools a command, skill or subagent may and may not use."""

    allow: Texts = ()
    deny: Texts = ()


class Command(Model):
    """A slash command; ``name`` is what is typed and the stem of its file."""

    name: Kebab
    prompt: Text
    """The Markdown template of the prompt."""
    description: Text = ""
    """One line for help."""
    argument_hint: Text = ""
    """Such as "[environment]"."""
    tools: ToolPolicy = ToolPolicy.model_construct()
    model: Text = ""
    subtask: Flag = False
    """Run in a context of its own where the host can."""
    extra: JsonObject = Field(default_factory=dict)
    """Verbatim keys of the frontmatter."""


class Skill(Model):
    """An Agent Skill: a folder called ``name`` with SKILL.md and ``resources`` (relative path -> contents)."""

    name: Annotated[Text, Field(json_schema_extra={"pattern": KEBAB, "maxLength": SKILL_NAME_LIMIT})]
    description: Annotated[Text, Field(json_schema_extra={"maxLength": SKILL_DESCRIPTION_LIMIT})]
    body: Text
    """The Markdown of SKILL.md."""
    tools: ToolPolicy = ToolPolicy.model_construct()
    model: Text = ""
    disable_model_invocation: Flag = False
    """Only the user may start it."""
    resources: dict[Text, Text] = Field(default_factory=dict)
    """Files beside SKILL.md: relative path to contents."""
    extra: JsonObject = Field(default_factory=dict)
    """Verbatim keys of the frontmatter."""


class Subagent(Model):
    """A named subagent; ``description`` says when to delegate to it."""

    name: Kebab
    description: Text
    """When to delegate to it."""
    prompt: Text
    """Its instructions."""
    tools: ToolPolicy = ToolPolicy.model_construct()
    model: Text = ""
    """An alias, an id, or "inherit"."""
    readonly: Flag = False
    """It may only read, where the host can say so."""
    extra: JsonObject = Field(default_factory=dict)
    """Verbatim keys of the frontmatter."""


class Memory(Model):
    """Standing guidance. ``name`` is part of the block's marker in the host's file: keep it stable."""

    content: Text
    """Plain Markdown, at most 16 KiB; better below 4 KiB."""
    name: Kebab = "memory"
    description: Text = ""


def command_findings(commands: Sequence[Command], at: Path) -> Iterator[Finding]:
    yield from _name_findings(commands, at)
    for index, command in enumerate(commands):
        yield from _filled_findings(command, ("prompt",), (*at, index))
        yield from secret_findings(command.extra, (*at, index, "extra"))


def skill_findings(skills: Sequence[Skill], at: Path) -> Iterator[Finding]:
    yield from _name_findings(skills, at)
    for index, skill in enumerate(skills):
        place = (*at, index)
        yield from _filled_findings(skill, ("description", "body"), place)
        if len(skill.name) > SKILL_NAME_LIMIT:
            yield Finding((*place, "name"), f"must have at most {SKILL_NAME_LIMIT} characters")
        if len(skill.description) > SKILL_DESCRIPTION_LIMIT:
            yield Finding(
                (*place, "description"),
                f"must have at most {SKILL_DESCRIPTION_LIMIT} characters, has {len(skill.description)}",
                "say what the skill does and when to use it; the rest belongs into the body",
            )
        yield from _resource_findings(skill, (*place, "resources"))
        yield from secret_findings(skill.extra, (*place, "extra"))


def _resource_findings(skill: Skill, at: Path) -> Iterator[Finding]:
    for path in skill.resources:
        fault = relative_path_fault(path)
        if fault:
            yield Finding((*at, path), fault, "a path below the skill's folder, such as scripts/check.py")
        elif same_file_name(path.split("/")[0]) == "skill.md":
            yield Finding((*at, path), "is the skill's own file", "its contents are the skill's body")
    yield from path_clashes(skill.resources, at)


def subagent_findings(subagents: Sequence[Subagent], at: Path) -> Iterator[Finding]:
    yield from _name_findings(subagents, at)
    for index, subagent in enumerate(subagents):
        yield from _filled_findings(subagent, ("description", "prompt"), (*at, index))
        yield from secret_findings(subagent.extra, (*at, index, "extra"))


def memory_findings(entries: Sequence[Memory], at: Path) -> Iterator[Finding]:
    yield from _name_findings(entries, at)
    for index, entry in enumerate(entries):
        place = (*at, index, "content")
        yield from _filled_findings(entry, ("content",), (*at, index))
        size = len(entry.content.encode("utf-8", "surrogatepass"))
        if size > MEMORY_LIMIT:
            yield Finding(
                place,
                f"must have at most {MEMORY_LIMIT} bytes, has {size}",
                "it is read with every prompt: move details into a skill",
            )
        for token in MARKER_TOKENS:
            if token in entry.content:
                yield Finding(place, f'must not contain "{token}", which marks managed blocks')


def _name_findings(items: Sequence[Command | Skill | Subagent | Memory], at: Path) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        fault = kebab_fault(item.name)
        if fault:
            yield Finding((*at, index, "name"), fault)
        if item.name in first and item.name:
            yield Finding((*at, index, "name"), f'"{item.name}" is taken by entry {first[item.name] + 1}')
        first.setdefault(item.name, index)


def _filled_findings(item: Any, names: tuple[str, ...], at: Path) -> Iterator[Finding]:
    for name in names:
        if not getattr(item, name).strip():
            yield Finding((*at, name), "must not be empty")
