"""What the server works with: the machine, the hosts, the policy, the plans that were shown.

Nothing heavy is imported before a tool is called: the answered list of tools is what a host waits for.
"""

from __future__ import annotations

import contextlib
from functools import cached_property
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


class Desk:
    """One per server process; everything that outlives a call is in the data root."""

    def __init__(self, machine: Machine, version: str) -> None:
        self.machine = machine
        self.version = version
        self.data_root = Path(machine.data_root)
        self.log = Log(self.data_root)
        self.plans = PlanStore(self.data_root)
        self.registration = SelfRegistration(machine, version, self.log)

    @cached_property
    def catalogue(self) -> Catalogue:
        return self.context().catalogue

    def policy(self) -> Policy:
        """Read anew for every call: the person may change it while the server runs."""
        return read_policy(self.data_root)

    def context(self, machine: Machine | None = None, progress: Progress | None = None) -> Context:
        from ..composition import context

        return context(machine or self.machine, progress)

    def answer(self, work: Callable[[], CallToolResult]) -> CallToolResult:
        """What ``work`` answers, or its failure as text a model can act on; then what is to be announced."""
        from .answers import add_notice, refusal

        try:
            result = work()
        except AgentConnectorError as error:
            result = refusal(error)
        except Exception as error:  # noqa: BLE001  # the last line of defence: the server goes on
            result = refusal(_unexpected(error, self.log))
        with contextlib.suppress(OSError):
            for notice in self.registration.notices():
                add_notice(result, notice)
        return result


def _unexpected(error: Exception, log: Log) -> AgentConnectorError:
    from agent_connector.masking import mask_line

    where = log.fault(error)
    said = mask_line(f"unexpected {type(error).__name__}: {error}")
    return AgentConnectorError(said, hint=f"This is a fault of ours; details: {where}")
