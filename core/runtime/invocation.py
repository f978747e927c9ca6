"""The words after the launcher in what we write into hosts: the other side of the entries' argument parsing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..references import EnvReference, SecretReference, split


def hook_arguments(host: str, event: str, connector: str) -> tuple[str, ...]:
    """``event`` is the canonical name."""
    return "hook", host, event, "--connector", connector


def statusline_arguments(host: str, connector: str) -> tuple[str, ...]:
    return "statusline", host, "--connector", connector


def action_arguments(host: str, action: str, connector: str) -> tuple[str, ...]:
    return "action", host, action, "--connector", connector


def serve_arguments(
    connector: str,
    command: Sequence[str],
    *,
    host: str = "",
    scope: str = "",
    env: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """``env`` are values of the definition whose references ``serve`` shall resolve; each becomes ``--env``, or
    ``--secret-env`` where it holds a secret. Raises ``ValueError`` for a value that :func:`serve_template`
    refuses."""
    words = ["serve", "--connector", connector]
    words += ["--host", host] if host else []
    words += ["--scope", scope] if scope else []
    for key, value in (env or {}).items():
        secret = any(isinstance(part, SecretReference) for part in split(value))
        words += ["--secret-env" if secret else "--env", f"{key}={serve_template(value)}"]
    return (*words, "--", *command)


def serve_template(text: str) -> str:
    """``${env:NAME}`` as ``serve`` takes it: without the dollar sign, which hosts would expand themselves.

    Raises ``ValueError`` where other text of the value would be taken for a reference.
    """
    spelled = ""
    for part in split(text):
        if isinstance(part, EnvReference):
            default = "" if part.default is None else f":-{part.default}"
            spelled += f"{{env:{part.name}{default}}}"
        elif isinstance(part, SecretReference):
            spelled += f"{{secret:{part.name}}}"
        elif "{env:" in part or "{secret:" in part:
            raise ValueError(f"{part!r} looks like a reference without its dollar sign")
        else:
            spelled += part
    return spelled
