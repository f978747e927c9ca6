"""For an author's own tests: what hosts would make of a connector, without installing it anywhere.

::

    from agent_connector.testing import explain, simulate

    def test_the_guard_denies_drops():
        result = simulate(connector, host="codex", event="PreToolUse",
                          input={"tool_name": "mcp__acme__drop", "tool_input": {"table": "t"}})
        assert result.honored, result.reason

Packages that add a host hold its description against what holds for every host::

    from agent_connector.testing import host_contract

    @pytest.mark.parametrize("check", host_contract(HOST), ids=str)
    def test_the_contract_of_hosts(check):
        check()

A connector is a definition (``define_connector``), a checked :class:`~agent_connector.Connector`, or the path of a
definition file. Core names no host: the hosts are those of the composed package, which an entry point leads to.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .authoring.raw import Definition
from .faces import composed
from .operations.reports import ExplainRow, HandlerOutcome, HonorRow, SimulateReport
from .vocabulary import Scope

if TYPE_CHECKING:
    from .authoring.models import Connector
    from .contract import ContractCheck
    from .host import Host
    from .operations.context import Context

__all__ = [
    "ExplainRow",
    "HandlerOutcome",
    "HonorRow",
    "SimulateReport",
    "check_host",
    "explain",
    "honor",
    "host_contract",
    "simulate",
]


def explain(
    connector: Connector | Definition | str | os.PathLike[str],
    *,
    hosts: Iterable[str] = (),
    scope: Scope | Literal[""] = "",
) -> tuple[ExplainRow, ...]:
    """One row for each host and declared surface. ``hosts``: by default those of the definition, else all there are.
    ``scope``: by default the one at which it would be installed.

    Raises :class:`~agent_connector.errors.UsageError` for an unknown host,
    :class:`~agent_connector.ConnectorConfigError` for a definition that breaks its rules.
    """
    from .operations.explain import explain_rows, hosts_of

    context = composed()
    checked = _checked(connector, context)
    return explain_rows(checked, hosts_of(checked, hosts, context), context, scope, context.project(""))


def honor(
    connector: Connector | Definition | str | os.PathLike[str], *, hosts: Iterable[str] = ()
) -> tuple[HonorRow, ...]:
    """What each host makes of every decision at the events that the connector has hooks on. Raises as
    :func:`explain` does."""
    from .operations.explain import events_for, hosts_of
    from .operations.honor import honor_rows

    context = composed()
    checked = _checked(connector, context)
    named = hosts_of(checked, hosts, context)
    return tuple(row for host in named for row in honor_rows(host, context.catalogue, events_for(checked, host)))


def simulate(
    connector: Connector | Definition | str | os.PathLike[str],
    *,
    host: str,
    event: str = "",
    input: Any = None,  # noqa: A002  the specification's own word
    surface: Literal["hooks", "statusline"] = "hooks",
) -> SimulateReport:
    """One call as ``host`` would make it: its parsing, the matcher, the handlers, its reply, and whether it does what
    was decided. With ``surface="statusline"``: what its status line shows.

    ``event``: the shared name, or the host's own for native hooks. ``input``: what the host writes: an object, or
    text or bytes as they are; by default a payload that the host once sent. Handlers are called in this process, so
    what a test replaces counts; commands are started. A handler that raises, answers nonsense or takes too long is a
    fault of the result and raises nothing here.

    Raises :class:`~agent_connector.errors.UsageError` for an unknown host or event,
    :class:`~agent_connector.ConnectorConfigError` for a definition that breaks its rules.
    """
    from .operations.live import draw_live, simulate_live
    from .operations.simulate import simulated_host

    context = composed()
    checked = _checked(connector, context)
    caller = simulated_host(host, context)
    if surface == "statusline":
        return draw_live(checked, caller, _bytes(input), context)
    return simulate_live(checked, caller, event, _bytes(input), context)


def host_contract(host: Host, *, files: Mapping[str, str | bytes] | None = None) -> tuple[ContractCheck, ...]:
    """What holds for every host, as one check per promise, scope and system: a plan writes nothing and is the same
    again, a second plan is empty, undoing restores every byte, what is somebody else's survives, a file that does not
    parse is refused, paths are where they belong, committed files name nobody's home. Calling a check raises
    :class:`AssertionError` where the promise is not kept.

    Everything happens in a home in memory. ``files``: configs that are there before, beside those that are made up:
    path (below ``~/``, else below the project) -> content.
    """
    from .contract import host_contract

    return host_contract(host, files=files)


def check_host(host: Host, *, files: Mapping[str, str | bytes] | None = None) -> None:
    """All checks of :func:`host_contract`. Raises :class:`AssertionError` with everything that is not kept."""
    from .contract import check_host

    check_host(host, files=files)


def _checked(connector: Connector | Definition | str | os.PathLike[str], context: Context) -> Connector:
    if isinstance(connector, str | os.PathLike):
        from .authoring.loading import load_definition

        connector = load_definition(Path(connector))
    if isinstance(connector, Definition):
        return connector.resolve(known_hosts=context.catalogue.ids())
    return connector


def _bytes(given: Any) -> bytes | None:
    if given is None or isinstance(given, bytes):
        return given
    return given.encode() if isinstance(given, str) else json.dumps(given).encode()
