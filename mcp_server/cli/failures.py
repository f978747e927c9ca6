"""Every way a command can fail, as what the person sees: what, where and what to do. Never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agent_connector.errors import AgentConnectorError, ConnectorConfigError, UsageError

from .terminal import look_of, say_aside, visible, visible_lines

if TYPE_CHECKING:
    from agent_connector.machine import Machine

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended, as shells give it."""


def guarded(action: Callable[[], int], *, program: str, operation: str, as_json: bool, machine: Machine) -> int:
    """Run ``action``; whatever goes wrong is reported on standard error, or as an envelope under ``--json``."""
    try:
        return action()
    except (AgentConnectorError, KeyboardInterrupt, Exception) as problem:  # noqa: BLE001  # the last line of defence
        exit_code, error = _described(problem, machine)
    if as_json:
        from .output import print_json

        print_json({"version": 1, "operation": operation, "exit_code": exit_code, "error": error})
    else:
        look = look_of(sys.stderr, machine.env)
        first, *more = visible_lines(error["message"])
        say_aside([f"{look.paint(f'{program}:', 'bad')} {first}", *(f"  {line}" for line in more)])
        hint = error["hint"]
        if hint:
            first, *more = visible_lines(hint)
            say_aside([f"  hint: {first}", *(f"        {line}" for line in more)])
    return exit_code


def _described(problem: BaseException, machine: Machine) -> tuple[int, dict[str, Any]]:
    """Exit code and ``{code, message, hint}`` (and, for a definition, ``problems``)."""
    if isinstance(problem, AgentConnectorError):
        error: dict[str, Any] = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        if isinstance(problem, ConnectorConfigError):
            error["problems"] = [
                {"path": rule.path, "reason": rule.reason, "hint": rule.hint} for rule in problem.problems
            ]
        return (2 if isinstance(problem, UsageError) else 1), error
    if isinstance(problem, KeyboardInterrupt):
        return INTERRUPTED, {"code": "interrupted", "message": "interrupted", "hint": ""}
    usage = _understood_by_click(problem)
    if usage is not None:
        return usage
    return 1, {
        "code": "unexpected",
        "message": f"unexpected {type(problem).__name__}: {visible(str(problem))}",
        "hint": _written_to_log(problem, machine),
    }


def _understood_by_click(problem: BaseException) -> tuple[int, dict[str, Any]] | None:
    click = sys.modules.get("click")
    if click is None:
        return None
    if isinstance(problem, click.Abort):
        return INTERRUPTED, {"code": "interrupted", "message": "interrupted", "hint": ""}
    if not isinstance(problem, click.ClickException):
        return None
    context = getattr(problem, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context is not None else ""
    return 2, {"code": "usage", "message": problem.format_message(), "hint": hint}


def _written_to_log(problem: BaseException, machine: Machine) -> str:
    import os
    import time
    import traceback
    from pathlib import Path

    from agent_connector.runtime.records import make_private_folder, write_private

    path = Path(machine.data_root) / "logs" / f"error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    try:
        make_private_folder(path.parent)
        write_private(path, "".join(traceback.format_exception(problem)).encode("utf-8", "backslashreplace"))
    except OSError as unwritable:
        return f"this is a fault of ours; its details could not be written to {path}: {unwritable.strerror}"
    return f"this is a fault of ours; please report it with {path}"
