"""What an agent may do through the MCP server, as the person wrote it in ``policy.toml`` of the data root.

::

    install = "ask"          # ask (default), allow or deny; the same for uninstall, upgrade, doctor (its repairs)
    run_code = "ask"         # running a definition that is Python
    trust = "ask"            # an install that also trusts what it installs; "ask" even where install is "allow"
    self_register = "auto"   # auto (default), ask or off
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from agent_connector.errors import AgentConnectorError
from agent_connector.values import frozen

FILE_NAME = "policy.toml"
RUN_CODE = "run_code"
TRUST = "trust"
SELF_REGISTER = "self_register"

Decision = Literal["ask", "allow", "deny"]
SelfRegister = Literal["auto", "ask", "off"]

_CHOICES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("install", "uninstall", "upgrade", "doctor", RUN_CODE, TRUST), ("ask", "allow", "deny")),
    SELF_REGISTER: ("auto", "ask", "off"),
}


class PolicyError(AgentConnectorError):
    """The policy forbids it, or cannot be understood."""

    code = "policy"


@frozen
class Policy:
    file: Path
    said: Mapping[str, Any] = field(default_factory=dict)

    def decision(self, operation: str) -> Decision:
        decided: Decision = self.said.get(operation, "ask")
        return decided

    def writing(self, operation: str, *, trust: bool) -> Decision:
        """On an operation that writes; one that also trusts what it writes is asked about both."""
        decisions = (self.decision(operation), *((self.decision(TRUST),) if trust else ()))
        return next(said for said in ("deny", "ask", "allow") if said in decisions)

    @property
    def self_register(self) -> SelfRegister:
        said: SelfRegister = self.said.get(SELF_REGISTER, "auto")
        return said

    def refuse_denied(self, operation: str) -> None:
        """Raises :class:`PolicyError` where the person said ``deny``."""
        if self.decision(operation) == "deny":
            what = {RUN_CODE: "running a definition's code", TRUST: "trusting what is installed"}.get(
                operation, operation
            )
            raise PolicyError(
                f"{what} is denied to agents on this machine",
                hint=f"The person can change it in {self.file} or use the agent-connector command themselves.",
            )


def read_policy(data_root: Path) -> Policy:
    """Raises :class:`PolicyError` with file and line for a policy that cannot be understood: a rule that was meant
    to forbid something must not be skipped over."""
    file = data_root / FILE_NAME
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Policy(file)
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(file, f"cannot be read: {error}") from error
    import tomllib

    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unusable(file, f"is not valid TOML: {error}") from error
    for name, value in said.items():
        choices = _CHOICES.get(name)
        line = _line_of(name, text)
        if choices is None:
            raise _unusable(file, f'line {line}: "{name}" is not known; known are {", ".join(_CHOICES)}')
        if value not in choices:
            raise _unusable(file, f"line {line}: {name} must be one of {', '.join(choices)}")
    return Policy(file, said)


def _line_of(name: str, text: str) -> int:
    found = re.search(rf"""^\s*\[?\s*["']?{re.escape(name)}\b""", text, re.MULTILINE)
    return text.count("\n", 0, found.end()) + 1 if found else 1


def _unusable(file: Path, reason: str) -> PolicyError:
    return PolicyError(f"{file}: {reason}", hint="Nothing is written for agents until the person has mended it.")
