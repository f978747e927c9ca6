"""What it costs to start what hosts start, as multiples of an empty interpreter's start, in one run.

    python benchmarks/hook.py [rounds]

CPU is user + system time of the started process and its children. The launcher and its runtime are made in a
temporary folder from the installation that runs this.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from agent_connector.runtime.builder import refresh
from agent_connector.runtime.launcher import read_stamp

PAYLOAD = b'{"session_id": "s", "hook_event_name": "preToolUse", "tool_name": "MCP:acme_write", "tool_input": {}}'


def cpu_of(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=PAYLOAD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        launcher = str(refresh(Path(folder, "root"), environment=os.environ).launcher)
        stamp = read_stamp(Path(launcher))
        assert stamp is not None
        unit = "python -I -S -c pass"
        commands = {
            unit: [stamp.interpreter, "-I", "-S", "-c", "pass"],
            "hook cursor PreToolUse": [launcher, "hook", "cursor", "PreToolUse", "--connector", "x"],
            "hook codex PreToolUse": [launcher, "hook", "codex", "PreToolUse", "--connector", "x"],
            "statusline claude-code": [launcher, "statusline", "claude-code", "--connector", "x"],
            "serve -- true": [launcher, "serve", "--connector", "x", "--", "/bin/true"],
            "--version": [launcher, "--version"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                times[name].append(cpu_of(command))
    print(f"{'':26}{'best ms':>9}{'median ms':>11}{'x empty (median)':>18}")
    for name, values in times.items():
        ratio = statistics.median(values) / statistics.median(times[unit])
        print(f"{name:26}{min(values):9.1f}{statistics.median(values):11.1f}{ratio:18.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
