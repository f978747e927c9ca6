"""What whole commands cost, as multiples of an empty interpreter's start, measured in turn in one run.

    python benchmarks/commands.py [rounds]

CPU is user + system time of the console script beside this interpreter, and of what it starts. Homes are made for it,
with the config files of a person who uses three hosts. The exit code is 1 when a median is over its budget.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from agent_connector.mcp_server.cli import demo_home

UNIT = "python -I -S -c pass"
HOSTS = "claude-code,codex,cursor"
BINARIES = ("claude", "codex", "cursor-agent")

DEFINITION = """\
id = "acme-db"
display_name = "Acme DB"
version = "1.2.0"

[server]
transport = "stdio"
command = "npx"
args = ["-y", "@acme/acme-db-mcp"]
env = { ACME_DB_DSN = "${env:ACME_DB_DSN:-postgres://localhost/acme}" }

[hooks.PreToolUse]
matcher = "acme_write"
decision = "ask"
reason = "Confirm the write to Acme DB"

[hooks.SessionStart]
decision = "context"
additional_context = "The Acme schema is at version 12."

[[commands]]
name = "acme-report"
description = "A report from Acme DB"
argument_hint = "[subject]"
prompt = "Query Acme DB and report on: $ARGUMENTS"

[[skills]]
name = "acme-queries"
description = "Writes queries for Acme DB. Use it when a question needs data from Acme DB."
body = "Read the schema first; then query with a LIMIT."

[[memory]]
content = "Acme DB holds the orders. Its times are UTC."
"""


def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return measure(commands(Path(folder)), rounds)


def commands(folder: Path) -> dict[str, tuple[list[str], dict[str, str], float]]:
    """Name -> (command line, environment, budget as a multiple of the unit; 0: none)."""
    ours = str(Path(sys.executable).with_name("agent-connector"))
    fresh, used = home(folder / "fresh"), home(folder / "used")
    (folder / "acme.toml").write_text(DEFINITION, encoding="utf-8")
    (folder / "acme.json").write_text(json.dumps(demo_home.CONNECTOR), encoding="utf-8")
    install = [ours, "install", "--targets", HOSTS, "--connector"]
    subprocess.run([*install, str(folder / "acme.toml")], env=used, check=True, stdout=subprocess.DEVNULL)
    return {
        UNIT: ([interpreter(), "-I", "-S", "-c", "pass"], fresh, 0),
        "detect": ([ours, "detect"], fresh, 20),
        "install --dry-run (TOML)": ([*install, str(folder / "acme.toml"), "--dry-run"], fresh, 30),
        "install --dry-run (JSON)": ([*install, str(folder / "acme.json"), "--dry-run"], fresh, 30),
        "... of what is installed": ([*install, str(folder / "acme.toml"), "--dry-run"], used, 30),
        "status": ([ours, "status"], used, 0),
    }


def interpreter() -> str:
    """The one that the virtual environment of this run was made of; the unit is a bare start of it."""
    return str(Path(sys.executable).resolve())


def home(folder: Path) -> dict[str, str]:
    """Make a home with three hosts, their programs and our data root; the environment that leads there."""
    demo_home.make(folder)
    (folder / ".agent-connector").mkdir(mode=0o700)
    programs = folder / "bin"
    programs.mkdir()
    for name in BINARIES:
        (programs / name).write_text("#!/bin/sh\necho 1.2.3\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    return {"HOME": str(folder), "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def measure(works: Mapping[str, tuple[list[str], dict[str, str], float]], rounds: int) -> int:
    for command, env, _ in works.values():  # bytecode and the versions of hosts are there from now on
        cpu(command, env)
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, (command, env, _) in works.items():
            times[name].append(cpu(command, env))
    over = 0
    unit = times[UNIT]
    print(f"{rounds} rounds{'':16}{'ms best':>9}{'median':>9}{'x best':>9}{'median':>9}{'budget':>9}")
    for name, taken in times.items():
        best, median = min(taken), statistics.median(taken)
        ratio = median / statistics.median(unit)
        budget = works[name][2]
        over |= bool(budget and ratio > budget)
        print(f"{name:25}{best:9.1f}{median:9.1f}{best / min(unit):9.1f}{ratio:9.1f}{budget or '':>9}")
    return int(over)


def cpu(command: list[str], env: Mapping[str, str]) -> float:
    """Milliseconds of CPU of one run. A command that fails is not a measurement."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        files = [(os.POSIX_SPAWN_DUP2, nowhere, 0), (os.POSIX_SPAWN_DUP2, nowhere, 1)]
        process = os.posix_spawn(command[0], command, dict(env), file_actions=files)
        _, status, usage = os.wait4(process, 0)
    finally:
        os.close(nowhere)
    if status:
        raise SystemExit(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}")
    return (usage.ru_utime + usage.ru_stime) * 1000


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 21))
