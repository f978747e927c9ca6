"""What an author imports. Light: in a hook process ``define_connector`` merely records.

A definition is checked when something loads it (:mod:`.loading`, then :meth:`.Definition.resolve`), and then all
broken rules are reported at once.
"""

from __future__ import annotations

import sys

from ..response import RESPONSE_FIELDS, Response
from .raw import Definition as Definition
from .shapes import Hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any


def define_connector(config: Mapping[str, Any] | None = None, /, **fields: Any) -> Definition:
    """Record a connector's definition, as one mapping, as keywords, or both (keywords win).

    Names are snake_case or the specification's camelCase. Nothing is checked yet.
    """
    source = sys._getframe(1).f_globals.get("__file__")
    return Definition({**(config or {}), **fields}, source if isinstance(source, str) else "")


def hook(
    event: str,
    *,
    matcher: str = "",
    timeout_ms: int | None = None,
    handler: Callable[..., Any] | str | None = None,
    command: Sequence[str] | None = None,
    response: Response | None = None,
) -> Hook:
    """A hook for ``event``: a decorator, or complete with ``handler``, ``command`` or a fixed ``response``.

    Put the decorated functions, or what this returns, into ``define_connector(hooks=[…])``.
    """
    fields = _said(matcher=matcher or None, timeout_ms=timeout_ms, handler=handler, command=command)
    if response is not None:
        fields.update(
            {name: getattr(response, name) for name in RESPONSE_FIELDS if getattr(response, name) is not None}
        )
    return Hook(event, fields)


def native_hook(
    handler: Callable[..., Any] | str | None = None, *, matcher: str = "", command: Sequence[str] | None = None
) -> dict[str, Any]:
    """A hook on a host's own event, for ``platforms.<host>.native_hooks``: raw payload in, returned value out."""
    return _said(handler=handler, matcher=matcher or None, command=command)


def command(
    name: str,
    prompt: str,
    *,
    description: str | None = None,
    argument_hint: str | None = None,
    tools: Mapping[str, Any] | None = None,
    model: str | None = None,
    subtask: bool | None = None,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A slash command: ``prompt`` is its Markdown template, ``extra`` goes into its frontmatter verbatim."""
    return _said(
        name=name,
        prompt=prompt,
        description=description,
        argument_hint=argument_hint,
        tools=tools,
        model=model,
        subtask=subtask,
        extra=extra,
    )


def skill(
    name: str,
    description: str,
    body: str,
    *,
    tools: Mapping[str, Any] | None = None,
    model: str | None = None,
    disable_model_invocation: bool | None = None,
    resources: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """An Agent Skill: ``body`` is the Markdown of SKILL.md, ``resources`` are files beside it by relative path."""
    return _said(
        name=name,
        description=description,
        body=body,
        tools=tools,
        model=model,
        disable_model_invocation=disable_model_invocation,
        resources=resources,
        extra=extra,
    )


def subagent(
    name: str,
    description: str,
    prompt: str,
    *,
    tools: Mapping[str, Any] | None = None,
    model: str | None = None,
    readonly: bool | None = None,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A named subagent: ``description`` says when to delegate to it, ``prompt`` is its system prompt."""
    return _said(
        name=name, description=description, prompt=prompt, tools=tools, model=model, readonly=readonly, extra=extra
    )


def memory(content: str, *, name: str | None = None, description: str | None = None) -> dict[str, Any]:
    """Standing guidance, put verbatim into a managed block of each host's memory file."""
    return _said(content=content, name=name, description=description)


def statusline(
    render: Callable[..., Any] | str | None = None,
    *,
    command: Sequence[str] | None = None,
    name: str | None = None,
    description: str | None = None,
    options: Mapping[str, Any] | None = None,
    hosts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The status line: ``render(context)`` returns its text."""
    return _said(render=render, command=command, name=name, description=description, options=options, hosts=hosts)


def action(
    id: str,  # noqa: A002  the definition's own word
    run: Callable[..., Any] | str | None = None,
    *,
    command: Sequence[str] | None = None,
    label: str | None = None,
    description: str | None = None,
    icon: str | None = None,
    placement: str | Sequence[str] | None = None,
    confirm: bool | Mapping[str, str] | None = None,
    hosts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A named action that a user triggers: ``run(context)`` may return a message to show."""
    return _said(
        id=id,
        run=run,
        command=command,
        label=label,
        description=description,
        icon=icon,
        placement=placement,
        confirm=confirm,
        hosts=hosts,
    )


def config_patch(key: str, value: Any, reason: str, *, docs_url: str | None = None) -> dict[str, Any]:
    """One key of a host's own settings, for ``platforms.<host>.config_patch``: written only if it is absent."""
    return {"key": key, "value": value, "reason": reason, **_said(docs_url=docs_url)}


def create_connector_cli(
    connector: Definition | str | PathLike[str],
    *,
    package: str = "",
    command: str = "",
    version: str = "",
) -> Callable[[Iterable[str] | None], int]:
    """A command line under the author's own name, scoped to one connector. Call it from the package's script.

    ``package`` is the installed distribution whose metadata gives name, version and command; without it the
    definition's pyproject.toml or package.json does. ``command`` and ``version`` override what was found. The
    returned callable takes arguments (``None``: those of the process) and returns the exit code.
    """
    from .branded import branded_command_line

    return branded_command_line(connector, package=package, command=command, version=version)


def _said(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
