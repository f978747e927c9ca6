"""``serve --connector <id> [flags] -- <command…>``: starts a connector's MCP server, byte for byte.

What the host starts is this; what runs is the server itself: on POSIX it takes over this very process, so the
stream, the signals and the exit code are its own. Flags that this version does not know are passed over, so that an
entry written by a newer one still starts its server.
"""

from __future__ import annotations

import os
import sys

from .process import default_signals, fail, leave

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

_OPEN = "{env:"


class RefusedError(Exception):
    """The server must not be started; the text says why and what to do."""


def main(argv: list[str]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``serve``, flags, ``--``, the command."""
    flags, command = _split(argv[2:])
    if not command:
        fail(2, "serve: no command after --")
    try:
        environment = child_environment(flags, os.environ)
    except RefusedError as refusal:
        fail(1, f"serve: {refusal}")
    try:
        _start(command, environment)
    except FileNotFoundError:
        fail(127, f"serve: command not found: {command[0]}")
    except OSError as error:
        fail(126, f"serve: cannot start {command[0]}: {error.strerror}")


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def child_environment(flags: list[str], environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` with every ``--env KEY=TEMPLATE`` of ``flags`` resolved from it.

    Raises :class:`RefusedError` for a reference to an unset variable without default, and for anything secret.
    """
    child = dict(environment)
    for flag, value in _settings(flags):
        key, _, template = value.partition("=")
        if flag == "--secret-env":
            raise RefusedError(_secret_refusal(key, template))
        child[key] = resolve(template, environment)
    return child


def _settings(flags: list[str]) -> list[tuple[str, str]]:
    """The ``--env`` and ``--secret-env`` flags in order, in both spellings."""
    found = []
    for index, word in enumerate(flags):
        flag, equals, value = word.partition("=")
        if flag not in ("--env", "--secret-env"):
            continue
        if not equals:
            value = flags[index + 1] if index + 1 < len(flags) else ""
        found.append((flag, value))
    return found


def _secret_refusal(key: str, template: str) -> str:
    name = template.partition("{secret:")[2].partition("}")[0] or key
    return (
        f"{key} needs the secret {name!r}, and secrets are not available yet: "
        f"let the definition take it from the environment (${{env:{key}}}) and set {key} there"
    )


def resolve(template: str, environment: Mapping[str, str]) -> str:
    """``template`` with ``{env:NAME}`` and ``{env:NAME:-default}`` replaced; all other text is literal.

    The dollar sign of a definition's ``${env:NAME}`` is left out in host configs, because hosts would expand it
    themselves, each in its own way. Raises :class:`RefusedError`.
    """
    resolved = ""
    rest = template
    while True:
        literal, opened, after = rest.partition(_OPEN)
        body, closed, tail = after.partition("}")
        name, has_default, default = body.partition(":-")
        resolved += literal
        if not opened:
            return resolved
        if not closed or not (name.isidentifier() and name.isascii()):
            resolved += opened
            rest = after
            continue
        value = environment.get(name, "")
        if not value and not has_default and name not in environment:
            raise RefusedError(f"the environment variable {name} is not set: set it where the host is started")
        resolved += value or default
        rest = tail


def _start(command: list[str], environment: dict[str, str]) -> NoReturn:
    if sys.platform == "win32":
        from .windows import run

        leave(run(command, environment))
    default_signals()
    os.execvpe(command[0], command, environment)  # noqa: S606 - no shell is the point
