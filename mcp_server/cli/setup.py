"""``setup``: agent-connector registers itself in every agent found: shown, asked, reversible."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent_connector.operations import requests
from agent_connector.operations.reports import ChangeReport, DetectReport

from .. import itself
from .given import Given, filled
from .output import print_report
from .terminal import is_interactive, say, visible

if TYPE_CHECKING:
    from .commandline import Program


def setup(program: Program, given: Given) -> int:
    if given.remove:
        own = requests.ConnectorSource(id=itself.ID)
        forget = filled(requests.UninstallRequest, given, source=own, purge=True)
        return _plan_ask_apply(program, given, "uninstall", forget)
    if not given.targets:
        detected: DetectReport = program.perform("detect", requests.DetectRequest(project=given.project))
        if not any(host.installed for host in detected.hosts):
            return _nobody_home(detected, given)
    own = requests.ConnectorSource(inline=itself.definition(program.context.machine, program.version))
    register = filled(requests.InstallRequest, given, source=own)
    return _plan_ask_apply(program, given, "install", register)


def _plan_ask_apply(
    program: Program, given: Given, operation: str, request: requests.InstallRequest | requests.UninstallRequest
) -> int:
    """What is applied after a question is exactly the plan that was shown: it goes by its ``plan_id``."""
    if given.yes and not given.dry_run:
        return _answer(program, given, program.perform(operation, request))
    plan: ChangeReport = program.perform(operation, replace(request, dry_run=True))
    exit_code = _answer(program, given, plan, plan=True)
    nothing_to_do = plan.outcome in ("unchanged", "failed")
    if given.dry_run or given.as_json or nothing_to_do or not _agreed(program, given):
        return exit_code
    return _answer(program, given, program.perform(operation, replace(request, plan_id=plan.plan_id)))


def _agreed(program: Program, given: Given) -> bool:
    if not is_interactive():
        undo = " --remove" if given.remove else ""
        say(["", f"To apply this plan: {program.name} setup{undo} --yes"])
        return False
    import click

    agreed = click.confirm("\nRemove it?" if given.remove else "\nRegister it?", default=False)
    if not agreed:
        say(["Nothing was written."])
    return agreed


def _answer(program: Program, given: Given, report: ChangeReport, *, plan: bool = False) -> int:
    print_report("setup", report, program.context, as_json=given.as_json, plan=plan)
    return report.exit_code


def _nobody_home(detected: DetectReport, given: Given) -> int:
    if given.as_json:
        from .output import print_json

        print_json(nothing_to_set_up())
        return 0
    say(["No AI coding agent found on this machine. Looked for:"])
    say(f"  {visible(host.name)} ({visible(host.id)}): {visible(host.reason)}" for host in detected.hosts)
    say(["", "Nothing was written. Run `agent-connector setup` again once one is installed."])
    return 0


def nothing_to_set_up() -> dict[str, object]:
    """The envelope of a setup that found no host."""
    from agent_connector.operations.reports import to_json

    return to_json("setup", ChangeReport("setup", itself.ID, "unchanged", "", ()))
