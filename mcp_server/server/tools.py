"""The tools: what each may be given, and what it tells a model about itself.

Names, descriptions and input schemas are in every model's context, so they are short; a definition is one opaque
object here, and its schema a resource.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from agent_connector.telemetry.words import By
from mcp.server.mcpserver import Resolve
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from .questions import Answered, Ctx, Question, asker, question
from .schemas import OUTPUT
from .wishes import Wish

Source = Annotated[str, Field(description="Installed id, or path of a definition")]
Id = Annotated[str, Field(description="Installed id; default all")]
Definition = Annotated[
    dict[str, Any] | None,
    Field(
        description='Inline: {"id","server":{"transport":"stdio","command","args"}}; '
        "schema: agent-connector://schema/definition"
    ),
]
Targets = Annotated[tuple[str, ...], Field(description="Host ids; default all found")]
Scope = Annotated[Literal["user", "local", "project"] | None, Field(description="Default user")]
Project = str
Inline = Annotated[dict[str, Any] | None, Field(description="Inline definition")]
Since = Annotated[str, Field(description="24h, 7d or a date")]
PlanId = Annotated[str, Field(description="Apply this plan; nothing else is needed")]
Confirm = Annotated[bool, Field(description="The person agreed to this plan")]


def about_install(
    ctx: Ctx,
    *,
    connector: str,
    definition: dict[str, Any] | None,
    targets: tuple[str, ...],
    scope: str | None,
    project: str,
    trust: bool,
    plan_id: str,
) -> Question:
    return question(ctx, "install", Wish(connector, definition, targets, scope or "", project, trust=trust), plan_id)


def about_uninstall(
    ctx: Ctx, *, connector: str, targets: tuple[str, ...], scope: str | None, project: str, purge: bool, plan_id: str
) -> Question:
    wish = Wish(connector, targets=targets, scope=scope or "", project=project, purge=purge)
    return question(ctx, "uninstall", wish, plan_id)


def about_upgrade(
    ctx: Ctx, *, connector: str, targets: tuple[str, ...], scope: str | None, project: str, force: bool, plan_id: str
) -> Question:
    wish = Wish(connector, targets=targets, scope=scope or "", project=project, force=force)
    return question(ctx, "upgrade", wish, plan_id)


def about_doctor(
    ctx: Ctx, *, connector: str, targets: tuple[str, ...], project: str, probe: bool, heal: bool, plan_id: str
) -> Question:
    wish = Wish(connector, targets=targets, project=project, probe=probe, heal=heal)
    return question(ctx, "doctor", wish, plan_id)


def detect(ctx: Ctx, *, targets: Targets = (), project: Project = "") -> CallToolResult:
    from .reading import detect

    return detect(ctx, Wish(targets=targets, project=project))


def install(
    ctx: Ctx,
    *,
    about: Annotated[Question, Resolve(about_install)],
    answered: Annotated[Answered, Resolve(asker(about_install))],
    connector: Source = "",
    definition: Definition = None,
    targets: Targets = (),
    scope: Scope = None,
    project: Project = "",
    trust: Annotated[bool, Field(description="Also make hosts trust it; only if the person wants that")] = False,
    plan_id: PlanId = "",
    confirm: Confirm = False,
) -> CallToolResult:
    return _perform(ctx, about, answered, confirm=confirm)


def uninstall(
    ctx: Ctx,
    *,
    about: Annotated[Question, Resolve(about_uninstall)],
    answered: Annotated[Answered, Resolve(asker(about_uninstall))],
    connector: Source = "",
    targets: Targets = (),
    scope: Scope = None,
    project: Project = "",
    purge: Annotated[bool, Field(description="Also forget its record")] = False,
    plan_id: PlanId = "",
    confirm: Confirm = False,
) -> CallToolResult:
    return _perform(ctx, about, answered, confirm=confirm)


def upgrade(
    ctx: Ctx,
    *,
    about: Annotated[Question, Resolve(about_upgrade)],
    answered: Annotated[Answered, Resolve(asker(about_upgrade))],
    connector: Source = "",
    targets: Targets = (),
    scope: Scope = None,
    project: Project = "",
    force: Annotated[bool, Field(description="Overwrite what the user edited in it")] = False,
    plan_id: PlanId = "",
    confirm: Confirm = False,
) -> CallToolResult:
    return _perform(ctx, about, answered, confirm=confirm)


def status(
    ctx: Ctx, *, connector: Id = "", targets: Targets = (), scope: Scope = None, project: Project = ""
) -> CallToolResult:
    from .reading import status

    return status(ctx, Wish(connector, targets=targets, scope=scope or "", project=project))


def doctor(
    ctx: Ctx,
    *,
    about: Annotated[Question, Resolve(about_doctor)],
    answered: Annotated[Answered, Resolve(asker(about_doctor))],
    connector: Id = "",
    targets: Targets = (),
    project: Project = "",
    probe: Annotated[bool, Field(description="Also talk to its server")] = False,
    heal: Annotated[bool, Field(description="Plan repairs")] = False,
    plan_id: PlanId = "",
    confirm: Confirm = False,
) -> CallToolResult:
    return _perform(ctx, about, answered, confirm=confirm)


def explain(
    ctx: Ctx,
    *,
    connector: Annotated[str, Field(description="Installed id; omit: every hook event")] = "",
    definition: Inline = None,
    targets: tuple[str, ...] = (),
    scope: Scope = None,
) -> CallToolResult:
    from .foretelling import explain

    return explain(ctx, Wish(connector, definition, targets, scope or ""))


def simulate(
    ctx: Ctx,
    *,
    host: str,
    connector: Annotated[str, Field(description="Installed id")] = "",
    definition: Annotated[dict[str, Any] | None, Field(description="Inline; static hooks")] = None,
    event: str = "",
    input: Annotated[dict[str, Any] | None, Field(description="Payload; default a sample")] = None,  # noqa: A002
    surface: Literal["hooks", "statusline"] = "hooks",
) -> CallToolResult:
    from .foretelling import simulate

    return simulate(ctx, Wish(connector, definition), host=host, event=event, payload=input, surface=surface)


def telemetry_report(
    ctx: Ctx,
    *,
    by: By = "tool",
    since: Since = "",
    scope: Literal["call", "tool_defs", "hook", "model_turn"] | None = None,
    connector: Id = "",
    host: str = "",
) -> CallToolResult:
    from .costs import telemetry_report

    return telemetry_report(ctx, by=by, since=since, scope=scope or "", connector=connector, host=host)


def leaderboard(
    ctx: Ctx,
    *,
    by: Literal["mcp", "tool", "surface"] = "mcp",
    since: Since = "",
    connector: Id = "",
    host: str = "",
) -> CallToolResult:
    from .costs import leaderboard

    return leaderboard(ctx, by=by, since=since, connector=connector, host=host)


def _perform(ctx: Ctx, about: Question, answered: Answered, *, confirm: bool) -> CallToolResult:
    from .writing import perform  # all that is heavy comes with the first call

    return perform(ctx, about, answered, confirm=confirm)


_TWO_STEPS = "Returns a plan; call again with its plan_id to apply it."

_TOOLS: tuple[tuple[Callable[..., CallToolResult], str, str, ToolAnnotations], ...] = (
    (
        detect,
        "Find AI agents",
        "Which AI coding agents (hosts) are on this machine, and which one this is.",
        ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
    ),
    (
        install,
        "Install a connector",
        f"Install a connector (MCP server, hooks, commands, skills, memory) into every agent found. {_TWO_STEPS}",
        ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
    ),
    (
        uninstall,
        "Remove a connector",
        f"Remove a connector; files get their bytes of before back. {_TWO_STEPS}",
        ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False),
    ),
    (
        upgrade,
        "Update a connector",
        f"Bring an installed connector up to its definition, or put back what vanished. {_TWO_STEPS}",
        ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False),
    ),
    (
        status,
        "Show what is installed",
        "What is installed in which agent, and whether it still stands there.",
        ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
    ),
    (
        doctor,
        "Find what is wrong",
        f"Why does a server, hook or command not work? Checks everything and says how to fix it. heal: {_TWO_STEPS}",
        ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True),
    ),
    (
        explain,
        "Say what each agent supports",
        "What each agent does with a connector's surfaces and hook answers (deny, ask, modify, context).",
        ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
    ),
    (
        # Of ours nothing is written; but the connector's own code runs, and that may do anything.
        simulate,
        "Try a hook",
        "Call a connector's hook as the host would: is its answer honored, and why?",
        ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True),
    ),
    (
        telemetry_report,
        "Show what tools cost",
        "Tokens, calls, errors and latency of connectors' tools and hooks, measured on this machine.",
        ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
    ),
    (
        leaderboard,
        "Rank who costs most",
        "Which connector, tool or surface takes the most context? Boards per origin, never added up.",
        ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
    ),
)


def all_tools() -> list[Tool]:
    """In the order in which they are listed, always the same."""
    return [_tool(*row) for row in _TOOLS]


def _tool(
    function: Callable[..., CallToolResult], title: str, description: str, annotations: ToolAnnotations
) -> Tool:
    annotations = annotations.model_copy(update={"title": title})
    tool = Tool.from_function(function, title=title, description=description, annotations=annotations)
    tool.parameters = {**slim(tool.parameters), "additionalProperties": False}
    tool.fn_metadata.output_schema = OUTPUT.get(tool.name, OUTPUT["change"])
    return tool


def slim(schema: dict[str, Any]) -> dict[str, Any]:
    """An input schema without what says nothing to a model: titles, empty defaults, "or null"."""
    properties = {}
    for name, given in schema.get("properties", {}).items():
        shown = {key: value for key, value in given.items() if key not in ("title", "default")}
        for branch in shown.pop("anyOf", ()):
            if branch != {"type": "null"}:
                shown = {**branch, **shown}
        shown.pop("additionalProperties", None)
        properties[name] = shown
    required = schema.get("required")
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}
