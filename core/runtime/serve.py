"""``serve --connector <id> [flags] -- <command…>``: starts a connector's MCP server and passes its bytes on.

The server is started before anything else is looked at; then every byte goes where it would have gone without us, and
is counted after (:mod:`.pump`, :mod:`.meter`). Where nothing is to be counted or filtered the server takes over this
very process. Flags that this version does not know are passed over, so that an entry written by a newer one still
starts its server.

Flags that count: ``--connector`` and ``--host``; ``--env KEY=TEMPLATE`` and ``--secret-env KEY=TEMPLATE`` for the
server's environment, repeatable; ``--cwd FOLDER``; ``--fill`` where the command's own words are templates too; and
from the launcher ``--was KEY[=VALUE]``, what the host had set (or not) before the interpreter changed it.
"""

from __future__ import annotations

import os
import sys

from .process import fail, leave, tell, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import NoReturn

    from .pump import Pump
    from .pump_threads import ThreadedPump


class RefusedError(Exception):
    """The server must not be started; the text says why and what to do."""


def main(argv: list[str]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``serve``, flags, ``--``, the command."""
    flags, command = _split(argv[2:])
    if not command:
        fail(2, "serve: no command after --")
    try:
        environment = child_environment(flags, os.environ)
        if "--fill" in flags:
            command = [resolve(word, os.environ) for word in command]
    except RefusedError as refusal:
        fail(1, f"serve: {refusal}")
    folder = value_of("--cwd", flags)
    try:
        if folder:
            os.chdir(folder)
    except OSError as error:
        fail(1, f"serve: cannot go to the folder {folder}: {error.strerror}")
    try:
        _serve(command, environment, flags, argv[0])
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
        if flag == "--was":
            child.pop(key, None)
            child.update({key: template} if "=" in value else {})
            continue
        if flag == "--secret-env":
            raise RefusedError(_secret_refusal(template.partition("{secret:")[2].partition("}")[0] or key))
        child[key] = resolve(template, environment)
    return child


def _settings(flags: list[str]) -> Iterator[tuple[str, str]]:
    """The flags about the environment in order, in both spellings (``--env K=T``, ``--env=K=T``)."""
    for index, word in enumerate(flags):
        flag, equals, value = word.partition("=")
        if flag in ("--env", "--secret-env", "--was"):
            yield flag, value if equals else "".join(flags[index + 1 : index + 2])


def _secret_refusal(name: str) -> str:
    return (
        f"the server needs the secret {name!r}, and secrets are not available yet: let the definition take it from "
        "the environment (${env:NAME}) instead, and set it where the host is started"
    )


def resolve(template: str, environment: Mapping[str, str]) -> str:
    """``template`` with ``{env:NAME}`` and ``{env:NAME:-default}`` replaced; all other text is literal.

    The dollar sign of a definition's ``${env:NAME}`` is left out in host configs, because hosts would expand it
    themselves, each in its own way. Raises :class:`RefusedError`.
    """
    resolved = ""
    rest = template
    while True:
        literal, brace, after = rest.partition("{")
        resolved += literal
        if not brace:
            return resolved
        body, closed, tail = after.partition("}")
        kind, _, reference = body.partition(":")
        name, has_default, default = reference.partition(":-")
        if closed and kind == "secret":
            raise RefusedError(_secret_refusal(reference))
        if not (closed and kind == "env" and name.isidentifier() and name.isascii()):
            resolved += brace
            rest = after
            continue
        value = environment.get(name)
        if value is None and not has_default:
            raise RefusedError(f"the environment variable {name} is not set: set it where the host is started")
        resolved += value or default
        rest = tail


def _serve(command: list[str], environment: dict[str, str], flags: list[str], script: str) -> NoReturn:
    """Raises ``OSError`` where the command cannot be started."""
    if sys.platform == "win32":
        from .pump_threads import ThreadedPump
        from .windows import start

        threaded = ThreadedPump(start(command, environment))
        finish = _look_on(threaded, flags, script)
        code = threaded.run()
        finish()
        leave(code)
    from .child import end_as, start

    child = start(command, environment)
    from .pump import Pump

    pump = Pump(child)
    finish = _look_on(pump, flags, script)
    status = pump.run()
    finish()
    end_as(status)


def _look_on(pump: Pump | ThreadedPump, flags: list[str], script: str) -> Callable[[], None]:
    """Have calls counted and tools filtered, as far as the connector's record says so; never a reason to fail.
    Returns what is to be called at the end."""
    try:
        from .serving import look_on

        return look_on(pump, flags, script) or _nothing
    except Exception as fault:  # noqa: BLE001 - the server runs, whatever is wrong with us
        connector = value_of("--connector", flags)
        tell(
            "warn", f"calls of {connector} are neither counted nor filtered ({type(fault).__name__}): doctor says why"
        )
        return _nothing


def _nothing() -> None:
    return
