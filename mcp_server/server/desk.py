"""What the server works with: the machine, the hosts, the policy, the plans that were shown."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agent_connector.errors import AgentConnectorError

from .log import Log
from .plans import PlanStore
from .policy import Policy, read_policy
from .registration import SelfRegistration

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_connector.host import Catalogue
    from agent_connector.machine import Machine
    from agent_connector.operations.context import Context, Progress
    from mcp_types import CallToolResult


@dataclass(frozen=True)
class Desk:
    """One per server process; everything that outlives a call is in the data root."""

    machine: Machine
    catalogue: Catalogue
    version: str
    registration: SelfRegistration = field(init=False)
    plans: PlanStore = field(init=False)
    log: Log = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "log", Log(self.data_root))
        object.__setattr__(self, "plans", PlanStore(self.data_root))
        object.__setattr__(
            self, "registration", SelfRegistration(self.machine, self.catalogue, self.version, self.log)
        )

    @property
    def data_root(self) -> Path:
        return Path(self.machine.data_root)

    def policy(self) -> Policy:
        """Read anew for every call: the person may change it while the server runs."""
        return read_policy(self.data_root)

    def context(self, machine: Machine | None = None, progress: Progress | None = None) -> Context:
        from agent_connector.operations.context import Context

        here = machine or self.machine
        return (
            Context(here, self.catalogue, self.version, progress)
            if progress
            else Context(here, self.catalogue, self.version)
        )

    def answer(self, work: Callable[[], CallToolResult]) -> CallToolResult:
        """What ``work`` answers, or its failure as text a model can act on; then what is to be announced."""
        from mcp_types import TextContent

        from .answers import refusal

        try:
            result = work()
        except AgentConnectorError as error:
            result = refusal(error)
        except Exception as error:  # noqa: BLE001  # the last line of defence: the server goes on
            result = refusal(_unexpected(error, self.log))
        with contextlib.suppress(OSError):
            for notice in self.registration.notices():
                result.content.append(TextContent(type="text", text=notice))
        return result


def _unexpected(error: Exception, log: Log) -> AgentConnectorError:
    where = log.fault(error)
    return AgentConnectorError(
        f"unexpected {type(error).__name__}: {error}", hint=f"This is a fault of ours; details: {where}"
    )
