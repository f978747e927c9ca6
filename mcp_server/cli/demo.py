"""``demo``: the whole story, for real, in a home that is thrown away."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_connector.machine import DATA_DIR_VARIABLE, Machine
from agent_connector.operations import requests
from agent_connector.operations.context import Context
from agent_connector.operations.detect import detect
from agent_connector.operations.install import install
from agent_connector.operations.reports import ChangeReport
from agent_connector.operations.uninstall import uninstall

from ..composition import context
from . import demo_home
from .output import host_names, report_lines
from .render.changes import diff_lines
from .terminal import Look, look_of, say

_KEPT = ("PATH", "PATHEXT", "SYSTEMROOT", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP")
"""What the throwaway machine keeps of this one's environment: what programs need to start, nothing of a host's."""

_SHOWN = 14
"""Lines of a diff that are shown."""


def demo(machine: Machine | None = None) -> int:
    """0 when every byte came back, 1 when not. ``machine``: this one."""
    here = machine or Machine.current()
    with tempfile.TemporaryDirectory(prefix="agent-connector-demo-") as folder:
        root = Path(folder).resolve()
        return _tell(_throwaway(here, root), look_of(sys.stdout, here.env, str(root / "home")))


def _throwaway(here: Machine, root: Path) -> Context:
    """A machine whose home is ``root/home`` and whose data root is beside it, so that the home holds hosts' files
    only and can be compared whole."""
    home = root / "home"
    project = home / "engine"
    project.mkdir(parents=True)
    demo_home.make(home)
    env = {name: here.env[name] for name in _KEPT if name in here.env}
    return context(Machine(here.os, home, project, {**env, DATA_DIR_VARIABLE: str(root / "data")}))


def _tell(context: Context, look: Look) -> int:
    home = Path(context.machine.home)
    before = demo_home.snapshot(home)
    connector = requests.ConnectorSource(inline=demo_home.CONNECTOR)

    say([f"A throwaway home with three agents in it: {home}", ""])
    _title(look, "1. Which agents are here?")
    detected = detect(requests.DetectRequest(), context)
    _show(f"  {host.name}: {look.prose(host.reason)}" for host in detected.hosts if host.installed)

    _title(look, "2. Install Acme DB: a server, a hook, a slash command, a skill and memory. First only the plan:")
    plan = install(requests.InstallRequest(source=connector, dry_run=True), context)
    _report(plan, context, look)
    untouched = demo_home.snapshot(home) == before

    _title(look, "3. One of the files it would change, as a diff (comments and layout stay):")
    _show(_one_diff(plan, look))

    _title(look, "4. Now for real:")
    done = install(requests.InstallRequest(source=connector, plan_id=plan.plan_id), context)
    installed = demo_home.snapshot(home)
    _show([f"  {line}" for line in _differences(before, installed)])

    _title(look, "5. Uninstall it, by its id alone:")
    undone = uninstall(requests.UninstallRequest(source=requests.ConnectorSource(id="acme-db"), purge=True), context)
    after = demo_home.snapshot(home)
    _show([f"  {line}" for line in _differences(installed, after)])

    _title(look, "6. Is every byte back?")
    return _verdict(before, after, look, went_well=untouched and not (done.exit_code or undone.exit_code))


def _title(look: Look, text: str) -> None:
    say([look.paint(text, "strong")])


def _show(lines: Iterator[str] | list[str]) -> None:
    say([*lines, ""])


def _report(report: ChangeReport, context: Context, look: Look) -> None:
    lines = [line for line in report_lines(report, look, host_names(report, context)) if line]
    _show([f"  {line}" for line in lines[1:]])


def _one_diff(plan: ChangeReport, look: Look) -> Iterator[str]:
    diff = next((diff for diff in plan.diffs if diff.path.endswith("config.toml")), None) or plan.diffs[0]
    lines = list(diff_lines(diff.text, look))
    yield f"  {look.path(diff.path)}"
    yield from lines[:_SHOWN]
    if len(lines) > _SHOWN:
        yield f"  ... {len(lines) - _SHOWN} more lines"


def _differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """``+`` new, ``~`` changed, ``-`` gone: files only."""
    for name in sorted(old.keys() | new.keys()):
        content = (new.get(name) or old[name])[1]
        if old.get(name) == new.get(name) or not content:
            continue
        mark = "+" if name not in old else "-" if name not in new else "~"
        yield f"{mark} ~/{name}"


def _verdict(before: dict[str, Any], after: dict[str, Any], look: Look, *, went_well: bool) -> int:
    files = sum(bool(content) for _mode, content in before.values())
    size = sum(len(content) for _mode, content in before.values())
    if before == after and went_well:
        same = f"{files} files, {size} bytes, every mode and every folder are what they were before."
        say([f"  {look.paint('Yes.', 'good')} {same}"])
        return 0
    say([f"  {look.paint('NO.', 'bad')} This is a fault of ours; please report it:"])
    say(
        f"  differs: ~/{name}" for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)
    )
    return 1
