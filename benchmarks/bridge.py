"""What an event costs a host that runs hooks inside itself: from the module's call to its answer, in a real Node.

    python benchmarks/bridge.py [events] [--check]

The module is the one that is installed into OpenCode; a call of its hook before a tool is timed, one after the other,
after 50 calls that warm it up. The best of three rounds counts: other work on the machine only ever adds. Beside it
stands what it costs to start a hook process for each event, which is what hosts without such a module do. ``--check``
exits with 1 where a budget is exceeded.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.machine import Machine
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.requests import ConnectorSource, InstallRequest

BUDGET_MS = 2.0
"""p50 of one event, of each kind but programs, which cost what they cost."""
BUDGETED = ("static response", "no entry fits", "Python handler")
ROUNDS = 3

DEFINITION = """
from agent_connector import Response, define_connector, hook

@hook("PreToolUse", matcher="acme_drop")
def guard(event):
    return Response.deny("never " + event.tool_name)

connector = define_connector(id="acme", version="1.0.0", hooks=[
    guard,
    hook("PreToolUse", matcher="acme_write", response=Response.deny("no writes")),
    hook("PreToolUse", matcher="acme_shell", command=["true"]),
])
"""
KINDS = {
    "static response": "acme_write",
    "no entry fits": "acme_read",
    "Python handler": "acme_drop",
    "program": "acme_shell",
}

DRIVER = """
const plugin = await import(process.argv[1]);
const [events, rounds] = process.argv.slice(2, 4).map(Number);
const hooks = await plugin.default({ directory: process.cwd() });
const call = async (tool) => {
  const output = { args: { table: "orders" } };
  const started = performance.now();
  try {
    await hooks["tool.execute.before"]({ tool: "acme_" + tool, sessionID: "s", callID: "c" }, output);
  } catch {}
  return performance.now() - started;
};
const first = await call("acme_write");
for (const tool of process.argv.slice(4)) {
  for (let index = 0; index < 50; index++) await call(tool);
  for (let round = 0; round < rounds; round++) {
    const times = [];
    for (let index = 0; index < events; index++) times.push(await call(tool));
    console.log(JSON.stringify({ tool, times }));
  }
}
console.log(JSON.stringify({ first }));
await hooks.dispose();
"""


def installed(folder: Path) -> tuple[Path, Path]:
    """The module, and the launcher it starts."""
    home, project = folder / "home", folder / "project"
    (home / ".config" / "opencode").mkdir(parents=True)
    project.mkdir()
    (project / "agent-connector.config.py").write_text(DEFINITION)
    machine = Machine(os="linux", home=home, cwd=project, env={"PATH": os.defpath, "HOME": str(home)})
    context = Context(machine, BuiltinCatalogue(), "0")
    request = InstallRequest(source=ConnectorSource(path=str(project)), targets=("opencode",))
    report = install(request, context)
    assert report.outcome == "done", report
    return home / ".config" / "opencode" / "plugin" / "acme.js", Path(machine.launcher)


def by_module(node: str, module: Path, events: int) -> tuple[dict[str, list[list[float]]], float]:
    """Kind -> milliseconds of each event, round by round; and those of the very first one, which starts the child."""
    words = [node, "--input-type=module", "-e", DRIVER]
    words += [module.as_uri(), str(events), str(ROUNDS), *KINDS.values()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=module.parent)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    rounds = {kind: [one["times"] for one in told if one.get("tool") == tool] for kind, tool in KINDS.items()}
    return rounds, told[-1]["first"]


def by_process(launcher: Path, rounds: int = 30) -> float:
    """Milliseconds of one hook process with a static response, the median."""
    payload = json.dumps({"input": {"tool": "acme_acme_write"}, "output": {"args": {}}}).encode()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        words = [launcher, "hook", "opencode", "PreToolUse", "--connector", "acme"]
        subprocess.run(words, input=payload, capture_output=True, check=True)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def main(arguments: list[str]) -> int:
    node = shutil.which("node")
    if node is None:
        print("node is not on PATH")
        return 0
    events = next((int(word) for word in arguments if word.isdecimal()), 1000)
    with tempfile.TemporaryDirectory() as folder:
        module, launcher = installed(Path(folder))
        rounds, first = by_module(node, module, events)
        process = by_process(launcher)
    print(f"{'':18}{'p50 ms':>8}{'p99':>8}{'x process':>11}   ({events} events, best of {ROUNDS})")
    faults = []
    for kind, measured in rounds.items():
        best = min(measured, key=statistics.median)
        middle, late = statistics.median(best), statistics.quantiles(best, n=100)[98]
        print(f"{kind:18}{middle:8.2f}{late:8.2f}{middle / process:11.2f}")
        if kind in BUDGETED and middle > BUDGET_MS:
            faults.append(f"{kind}: p50 of {middle:.2f} ms, the budget is {BUDGET_MS}")
    print(f"{'the first event':18}{first:8.2f}")
    print(f"{'a process for one':18}{process:8.2f}")
    print(*faults, sep="\n")
    return 1 if faults and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
