"""What it costs to start what hosts start, as multiples of an empty interpreter's start, in one run.

    python benchmarks/hook.py [rounds] [--check]

CPU is user + system time of the started process and its children, each command started in turn, many rounds long;
memory is the largest resident set of one start. The launcher, its runtime and a connector are made in a temporary
home from the installation that runs this. ``--check`` exits with 1 where a budget is exceeded.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.machine import Machine
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.requests import ConnectorSource, InstallRequest
from agent_connector.runtime.launcher import read_stamp

UNIT = "python -I -S -c pass"
STATIC = "hook, static response"
PYTHON = "hook, Python handler"
LINE = "statusline, Python"
NODE = "node -e 0"
BUDGETS = {STATIC: 1.25, PYTHON: 1.4, LINE: 1.4}
"""Multiples of the unit, best of all rounds."""
MEMORY_BUDGET = 10.0
"""MiB."""
OF_NODE = 0.5

DEFINITION = """
from agent_connector import Response, define_connector, hook

@hook("PreToolUse", matcher="acme_drop")
def guard(event):
    return Response.deny("never " + event.tool_name)

connector = define_connector(
    id="acme", version="1.0.0",
    hooks=[guard, hook("PreToolUse", matcher="acme_write", response=Response.ask("Confirm the write"))],
    statusline={"render": lambda ctx: f"{ctx.model.display_name} {ctx.context.percent}%"},
)
"""


# A child begins as a copy of what starts it, so memory is measured from a process that is as small as can be.
MEASURE = """
import posix, sys
child = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ, file_actions=[
    (posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0), (posix.POSIX_SPAWN_DUP2, 1, 2)])
print(posix.wait4(child, 0)[2].ru_maxrss)
"""


def memory_of(interpreter: str, command: list[str], data: bytes) -> float:
    """MiB of one start, or what an empty interpreter takes if that is more."""
    path = shutil.which(command[0]) or command[0]
    measured = subprocess.run(
        [interpreter, "-I", "-S", "-c", MEASURE, path, *command[1:]], input=data, capture_output=True, check=True
    )
    return int(measured.stdout) / (1024 * 1024 if sys.platform == "darwin" else 1024)


def cpu_of(command: list[str], data: bytes) -> float:
    """Milliseconds of one start."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert child.stdin is not None
    try:
        child.stdin.write(data)
        child.stdin.close()
    except BrokenPipeError:
        pass
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return (used.ru_utime + used.ru_stime) * 1000


def payload(tool: str) -> bytes:
    event = {
        "session_id": "87dbb517-64be-49ef-ba06-70c9d2e542c6",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-project/87dbb517.jsonl",
        "cwd": "/home/dev/project",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": f"mcp__acme__{tool}",
        "tool_input": {"text": "hi"},
        "tool_use_id": "toolu_fake000010",
    }
    return json.dumps(event).encode()


def status() -> bytes:
    return (resources.files("agent_connector.adapters.claude_code") / "samples" / "StatusLine.json").read_bytes()


def installed(folder: Path) -> Path:
    """A launcher whose data root has a connector with one hook of each kind."""
    home, project = folder / "home", folder / "project"
    (home / ".claude").mkdir(parents=True)
    project.mkdir()
    (project / "agent-connector.config.py").write_text(DEFINITION)
    machine = Machine(os="linux", home=home, cwd=project, env={"PATH": os.defpath, "HOME": str(home)})
    context = Context(machine, BuiltinCatalogue(), "0")
    report = install(InstallRequest(source=ConnectorSource(path=str(project))), context)
    assert report.outcome == "done", report
    return context.data_root / "bin" / "agent-connector"


def measure(rounds: int) -> dict[str, tuple[list[float], float]]:
    """What is started -> (CPU milliseconds of each round, MiB)."""
    with tempfile.TemporaryDirectory() as folder:
        launcher = str(installed(Path(folder)))
        stamp = read_stamp(Path(launcher))
        assert stamp is not None
        hook = [launcher, "hook", "claude-code", "PreToolUse", "--connector", "acme"]
        commands: dict[str, tuple[list[str], bytes]] = {
            UNIT: ([stamp.interpreter, "-I", "-S", "-c", "pass"], b""),
            STATIC: (hook, payload("acme_write")),
            PYTHON: (hook, payload("acme_drop")),
            "hook, nothing fits": (hook, payload("acme_read")),
            "hook, unknown connector": ([*hook[:-1], "x"], payload("acme_read")),
            LINE: ([launcher, "statusline", "claude-code", "--connector", "acme"], status()),
            "statusline, unknown": ([launcher, "statusline", "claude-code", "--connector", "x"], b"{}"),
            "serve -- true": ([launcher, "serve", "--connector", "x", "--", "/bin/true"], b""),
            "--version": ([launcher, "--version"], b""),
        }
        node = shutil.which("node")
        if node:
            commands[NODE] = ([node, "-e", "0"], b"")
        times: dict[str, list[float]] = {name: [] for name in commands}
        memory = {name: memory_of(stamp.interpreter, *command) for name, command in commands.items()}
        for _ in range(rounds):
            for name, (command, data) in commands.items():
                times[name].append(cpu_of(command, data))
    return {name: (times[name], memory[name]) for name in commands}


def exceeded(costs: dict[str, tuple[list[float], float]]) -> list[str]:
    unit = min(costs[UNIT][0])
    faults = []
    for name, budget in BUDGETS.items():
        times, memory = costs[name]
        if min(times) > budget * unit:
            faults.append(f"{name}: {min(times) / unit:.2f} x the unit, the budget is {budget}")
        if memory > MEMORY_BUDGET:
            faults.append(f"{name}: {memory:.1f} MiB, the budget is {MEMORY_BUDGET}")
        if NODE in costs and min(times) > OF_NODE * min(costs[NODE][0]):
            faults.append(f"{name}: more than {OF_NODE} x {NODE}")
    return faults


def main(arguments: list[str]) -> int:
    rounds = next((int(word) for word in arguments if word.isdecimal()), 40)
    costs = measure(rounds)
    unit = costs[UNIT][0]
    print(f"{'':26}{'best ms':>9}{'median':>8}{'x unit: best':>14}{'median':>8}{'MiB':>7}")
    for name, (times, memory) in costs.items():
        best, median = min(times), statistics.median(times)
        print(
            f"{name:26}{best:9.1f}{median:8.1f}{best / min(unit):14.2f}"
            f"{median / statistics.median(unit):8.2f}{memory:7.1f}"
        )
    faults = exceeded(costs)
    print(*faults, sep="\n")
    return 1 if faults and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
