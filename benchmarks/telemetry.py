"""What a report over a million rows takes, and how fast the spool is folded.

    python benchmarks/telemetry.py [rows] [--check]

Rows are those of sessions of a hundred calls over ninety days: five connectors of eight tools each, three hosts.
Times are CPU time, the best of several rounds; each report is the whole command in a fresh process. Beside them
stands a peer: what ``json.loads`` takes for the same lines, measured in turn with folding. The budget of folding is a
multiple of that: where a line takes it 2.5 us, folding does 200,000 rows a second. Those of reports are for a machine
where it takes 3 us, and grow with it. ``--check`` exits with 1 where a budget is exceeded.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from agent_connector.telemetry import fold as folding
from agent_connector.telemetry.store import Store

FOLD_BUDGET = 2.0
"""Multiples of ``json.loads``."""
REPORT_BUDGET = 0.3
"""Seconds."""
MEMORY_BUDGET = 60.0
"""MiB."""
PEER = 3.0
"""Microseconds that ``json.loads`` takes for a line on the machine that the budgets are for."""
SPAN = 90 * 86_400_000
PER_SESSION = 100
HOSTS = {"claude-code": "tokenizer-approx", "codex": "tokenizer-exact", "cursor": "tokenizer-approx"}
REPORTS = (
    ("telemetry", "report"),
    ("telemetry", "report", "--since", "7d"),
    ("telemetry", "report", "--since", "80d", "--by", "connector"),
    ("telemetry", "report", "--by", "day"),
    ("telemetry", "report", "--by", "project"),
    ("leaderboard",),
)

# A child begins as a copy of what starts it, so memory is measured from a process that is as small as can be.
MEASURE = """
import os, posix, sys, time
began = time.perf_counter()
child = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ, file_actions=[
    (posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0)])
_, status, used = posix.wait4(child, 0)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss, status)
"""


def write_spool(data_root: Path, count: int) -> None:
    """A file per day, as proxies write them."""
    dice = Random(1)
    spool = data_root / "telemetry" / "spool"
    spool.mkdir(mode=0o700, parents=True)
    tools = [(f"connector-{c}", f"tool_{c}_{t}") for c in range(5) for t in range(8)]
    now = int(time.time() * 1000)
    days: dict[str, list[str]] = {}
    for n in range(count):
        session, call = divmod(n, PER_SESSION)
        if call == 0:
            host = list(HOSTS)[session % 3]
            used = dice.sample(tools, 8)
            name, project = f"{dice.getrandbits(128):032x}", f"{dice.randrange(40):016x}"
        t = min(now, now - SPAN + SPAN * session * PER_SESSION // count + call * 30_000)
        connector, tool = dice.choice(used)
        error = ',"error":1' if dice.random() < 0.02 else ""
        days.setdefault(time.strftime("%Y-%m-%d", time.gmtime(t / 1000)), []).append(
            f'{{"t":{t},"u":{dice.getrandbits(62)},"scope":"call","connector":"{connector}","host":"{host}",'
            f'"tool":"{tool}","session":"{name}","project":"{project}","client":"{host}",'
            f'"inb":{dice.randrange(20, 2000)},"outb":{dice.randrange(20, 20000)},"in":{dice.randrange(5, 500)},'
            f'"out":{dice.randrange(5, 5000)},"conf":"{HOSTS[host]}","ms":{dice.lognormvariate(4, 1):.3f}{error}}}\n'
        )
    for day, lines in days.items():
        (spool / f"{day}.ndjson").write_text("".join(lines), encoding="utf-8")


def peer(lines: list[bytes]) -> float:
    """Microseconds of ``json.loads`` for a line, now."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        for line in lines:
            json.loads(line)
        best = min(best, time.process_time() - began)
    return best / len(lines) * 1e6


def some_lines(data_root: Path) -> list[bytes]:
    path = next((data_root / "telemetry" / "spool").iterdir())
    return path.read_bytes().splitlines()[:10_000]


def fold(data_root: Path, rounds: int) -> tuple[int, list[tuple[float, float]]]:
    """(rows, (microseconds a row, microseconds of the peer a line) of each round); the last database stays."""
    folder = data_root / "telemetry"
    lines = some_lines(data_root)
    measured = []
    for _ in range(rounds):
        for file in folder.glob("telemetry.db*"):
            file.unlink()
        before = peer(lines)
        with Store.open(data_root) as store:
            worked = time.process_time()
            done = folding.fold(store.connection, folder, now=0)  # in 1970 no file is old, so none is removed
            each = (time.process_time() - worked) / done.rows * 1e6
        measured.append((each, (before + peer(lines)) / 2))
    return done.rows, measured


def report(data_root: Path, arguments: tuple[str, ...], rounds: int) -> tuple[float, float, float]:
    """(seconds, CPU seconds, MiB) of the command: the best of its rounds, the most memory."""
    command = shutil.which("agent-connector", path=str(Path(sys.executable).parent)) or "agent-connector"
    env = {"AGENT_CONNECTOR_DATA_DIR": str(data_root), "HOME": str(data_root), "PATH": os.defpath}
    measured = []
    for _ in range(rounds):
        read, write = os.pipe()
        child = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", "-c", MEASURE, command, *arguments],
            env,
            file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)],
        )
        os.close(write)
        with os.fdopen(read) as output:
            wall, cpu, memory, status = output.read().split()
        os.waitpid(child, 0)
        assert status == "0", f"{arguments} failed"
        measured.append((float(wall), float(cpu), int(memory) / (1024 * 1024 if sys.platform == "darwin" else 1024)))
    walls, cpus, memories = zip(*measured, strict=True)
    return min(walls), min(cpus), max(memories)


def main(arguments: list[str]) -> int:
    count = next((int(word) for word in arguments if word.isdecimal()), 1_000_000)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_spool(root, count)
        rows, rounds = fold(root, rounds=3)
        each, loads = min(rounds, key=lambda one: one[0] / one[1])
        slower = max(1.0, min(loads for _, loads in rounds) / PEER)
        size = (root / "telemetry" / "telemetry.db").stat().st_size / (1 << 20)
        print(f"fold: {each:.1f} us a row, {each / loads:.2f} x json.loads ({loads:.1f} us a line)")
        print(f"      {1e6 / each:,.0f} rows/s; {rows:,} rows take {size:.0f} MiB")
        if each > FOLD_BUDGET * loads:
            faults.append(f"folding: {each / loads:.2f} x json.loads, the budget is {FOLD_BUDGET}")
        print(f"{'':44}{'seconds':>8}{'CPU':>8}{'MiB':>8}")
        for command in REPORTS:
            wall, cpu, memory = report(root, command, rounds=5)
            name = " ".join(command)
            print(f"{name:44}{wall:8.3f}{cpu:8.3f}{memory:8.1f}")
            if cpu > REPORT_BUDGET * slower:
                faults.append(f"{name}: {cpu:.3f} s of CPU, the budget is {REPORT_BUDGET * slower:.3f}")
            if memory > MEMORY_BUDGET:
                faults.append(f"{name}: {memory:.1f} MiB, the budget is {MEMORY_BUDGET}")
    print(*faults, sep="\n")
    return 1 if faults and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
