"""What the proxy adds to a server, beside the same server without it and behind a bare two-thread pump, in one run.

    python benchmarks/serve.py [bursts] [--check]

Burst by burst in turn: round trips of 1 KB one at a time; lines of 1 MB pipelined; a result of 1.1 MB made of 18,000
small objects with fifteen small calls right behind it. Beside that the start of the server to its first answer, and
the proxy's peak memory. ``--check`` exits with 1 where a budget is exceeded.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.machine import Machine
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.requests import ConnectorSource, InstallRequest
from agent_connector.runtime.launcher import read_stamp

DIRECT, PUMP, OURS = "no proxy", "two-thread pump", "serve"
ADDED_P99_MS = 1.0
BEHIND_A_BIG_RESULT_MS = 2.0
OF_PUMP_THROUGHPUT = 0.77
"""What 0.6 x direct was of a bare two-thread pump where the budget was made. On two cores a third process that copies
everything once more cannot leave 0.6 of what two reach that do nothing else: the bare pump leaves 0.45."""
OF_BARE_START = 2.0
MEMORY_MIB = 14.0
PAUSE_SECONDS = 0.2
"""Behind every burst: the counter works when it is quiet, and must not do so in the bursts of the others."""

# Answers from prepared bytes, so that what is measured is the way and not the server. A request's id is its last
# member, and the answer's its first.
SERVER = r"""
import os, sys
small = b'"result":{"content":[{"type":"text","text":"' + b"x" * 960 + b'"}]}}\n'
row = b'{"id":"a1b2c3","name":"widget","ok":true,"n":12345,"t":[1,2]},'
rows = (row * 18000)[:-1]
big = b'"result":{"content":[{"type":"text","text":"ok"}],"structuredContent":{"rows":[' + rows + b']}}}\n'
line = b'"result":{"content":[{"type":"text","text":"' + b"y" * 1000000 + b'"}]}}\n'
kinds = {b"s": small, b"b": big, b"l": line}
rest = b""
while True:
    data = os.read(0, 65536)
    if not data: break
    rest += data
    *lines, rest = rest.split(b"\n")
    for text in lines:
        number = text.rpartition(b'"id":')[2].rstrip(b"}")
        kind = text.partition(b'"kind":"')[2][:1]
        answer = memoryview(b'{"jsonrpc":"2.0","id":' + number + b"," + kinds[kind])
        while answer:
            answer = answer[os.write(1, answer):]
"""

TWO_THREADS = r"""
import os, sys, subprocess, threading
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def pump(source, sink, close):
    while data := os.read(source, 65536):
        view = memoryview(data)
        while view:
            view = view[os.write(sink, view):]
    if close: child.stdin.close()
threading.Thread(target=pump, args=(0, child.stdin.fileno(), True), daemon=True).start()
pump(child.stdout.fileno(), 1, False)
os._exit(child.wait())
"""


def call(number: int, kind: str, size: int = 0) -> bytes:
    arguments = {"kind": kind, **({"text": "z" * size} if size else {})}
    message = {"method": "tools/call", "params": {"name": "fetch", "arguments": arguments}, "jsonrpc": "2.0"}
    return (json.dumps({**message, "id": number}, separators=(",", ":")) + "\n").encode()


@dataclass
class Way:
    """A server to talk to, over whatever stands in between, and what was measured of it."""

    command: list[str]
    env: dict[str, str]
    cwd: Path
    trips: list[float] = field(default_factory=list)
    """Milliseconds of each round trip."""
    burst_medians: list[float] = field(default_factory=list)
    behind: list[float] = field(default_factory=list)
    throughput: list[float] = field(default_factory=list)
    """MB/s of each burst."""
    starts: list[float] = field(default_factory=list)

    def open(self) -> None:
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env, cwd=self.cwd
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.rest = b""
        self.number = 0

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def send(self, kind: str, size: int = 0) -> None:
        self.number += 1
        data = memoryview(call(self.number, kind, size))
        while data:
            data = data[os.write(self.input, data) :]

    def receive(self) -> int:
        """Bytes of the next answer."""
        size = len(self.rest)
        while True:
            data = os.read(self.output, 1 << 16)
            assert data, "the server is gone"
            end = data.find(b"\n")
            if end >= 0:
                self.rest = data[end + 1 :]
                return size + end + 1
            size += len(data)

    def round_trips(self, count: int) -> None:
        burst = []
        for _ in range(count):
            began = time.perf_counter()
            self.send("s", 900)
            self.receive()
            burst.append((time.perf_counter() - began) * 1000)
        self.trips += burst
        self.burst_medians.append(statistics.median(burst))

    def pipelined(self, count: int) -> None:
        sender = threading.Thread(target=lambda: [self.send("l") for _ in range(count)])
        began = time.perf_counter()
        sender.start()
        size = sum(self.receive() for _ in range(count))
        sender.join()
        self.throughput.append(size / (time.perf_counter() - began) / 1e6)

    def mixed(self, small: int) -> None:
        self.send("b")
        self.receive()
        for _ in range(small):
            began = time.perf_counter()
            self.send("s")
            self.receive()
            self.behind.append((time.perf_counter() - began) * 1000)

    def start(self) -> None:
        began = time.perf_counter()
        self.open()
        self.send("s")
        self.receive()
        self.starts.append((time.perf_counter() - began) * 1000)
        self.close()

    def peak_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def installed(folder: Path) -> tuple[Path, str]:
    """A launcher whose data root has a measured connector, and the interpreter it runs."""
    home, project = folder / "home", folder / "project"
    (home / ".codex").mkdir(parents=True)
    project.mkdir()
    definition = {"id": "acme", "version": "1.0.0", "server": {"transport": "stdio", "command": "acme-server"}}
    machine = Machine(os="linux", home=home, cwd=project, env={"PATH": os.defpath, "HOME": str(home)})
    context = Context(machine, BuiltinCatalogue(), "0")
    report = install(InstallRequest(source=ConnectorSource(inline=definition)), context)
    assert report.outcome == "done", report
    launcher = context.data_root / "bin" / "agent-connector"
    stamp = read_stamp(launcher)
    assert stamp is not None
    return launcher, stamp.interpreter


def measure(folder: Path, bursts: int) -> tuple[dict[str, Way], float, list[float]]:
    """The ways by name, our proxy's peak memory in MiB, and the milliseconds of a bare interpreter's starts."""
    launcher, interpreter = installed(folder)
    env = {"PATH": os.defpath, "HOME": str(folder / "home")}
    server = [interpreter, "-I", "-S", "-c", SERVER]
    commands = {
        DIRECT: server,
        PUMP: [interpreter, "-I", "-S", "-c", TWO_THREADS, *server],
        OURS: [str(launcher), "serve", "--connector", "acme", "--host", "codex", "--", *server],
    }
    ways = {name: Way(command, env, folder / "project") for name, command in commands.items()}
    bare = []
    for _ in range(max(10, bursts // 4)):
        for way in ways.values():
            way.start()
        began = time.perf_counter()
        subprocess.run([interpreter, "-I", "-S", "-c", "pass"], check=True, env=env)
        bare.append((time.perf_counter() - began) * 1000)
    for way in ways.values():
        way.open()
        way.round_trips(20)
    time.sleep(3)  # a counter that has to be loaded is loaded
    for way in ways.values():
        way.trips.clear()
        way.burst_medians.clear()
    for burst in range(bursts):
        for way in ways.values():
            way.round_trips(60)
            time.sleep(PAUSE_SECONDS)
        if burst % 4 == 0:
            for way in ways.values():
                way.pipelined(20)
                time.sleep(PAUSE_SECONDS)
                way.mixed(15)
                time.sleep(PAUSE_SECONDS)
    memory = ways[OURS].peak_mib()
    for way in ways.values():
        way.close()
    return ways, memory, bare


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main(arguments: list[str]) -> int:
    bursts = next((int(word) for word in arguments if word.isdecimal()), 60)
    with tempfile.TemporaryDirectory() as folder:
        ways, memory, bare = measure(Path(folder), bursts)
    direct, pump, ours = ways[DIRECT], ways[PUMP], ways[OURS]
    base_p50, base_p99 = statistics.median(direct.burst_medians), quantile(direct.trips, 0.99)
    print(
        f"{'':18}{'p50 ms':>8}{'added':>8}{'p99':>8}{'added':>8}{'MB/s':>7}"
        f"{'behind 1.1 MB: p50':>20}{'max':>6}{'start':>8}"
    )
    for name, way in ways.items():
        p50, p99 = statistics.median(way.burst_medians), quantile(way.trips, 0.99)
        print(
            f"{name:18}{p50:8.3f}{p50 - base_p50:8.3f}{p99:8.3f}{p99 - base_p99:8.3f}"
            f"{statistics.median(way.throughput):7.0f}{statistics.median(way.behind):20.3f}{max(way.behind):6.1f}"
            f"{statistics.median(way.starts):8.1f}"
        )
    started = statistics.median(ours.starts) - statistics.median(direct.starts)
    of_bare = started / statistics.median(bare)
    print(f"start added {started:.1f} ms = {of_bare:.2f} x a bare interpreter; peak {memory:.1f} MiB")
    added = statistics.median(ours.burst_medians) - base_p50
    of_pump = statistics.median(pump.burst_medians) - base_p50
    budgets = {
        f"added p50 {added:.3f} ms, the bare pump adds {of_pump:.3f}": added <= of_pump,
        f"added p99 above {ADDED_P99_MS} ms": quantile(ours.trips, 0.99) - base_p99 <= ADDED_P99_MS,
        f"a call behind a big result waits more than {BEHIND_A_BIG_RESULT_MS} ms": quantile(ours.behind, 0.99)
        <= BEHIND_A_BIG_RESULT_MS + quantile(direct.behind, 0.99),
        f"1 MB lines below {OF_PUMP_THROUGHPUT} x a bare pump": statistics.median(ours.throughput)
        >= OF_PUMP_THROUGHPUT * statistics.median(pump.throughput),
        f"the start adds more than {OF_BARE_START} x a bare interpreter": started
        <= OF_BARE_START * statistics.median(bare),
        f"more than {MEMORY_MIB} MiB": memory <= MEMORY_MIB,
    }
    faults = [text for text, kept in budgets.items() if not kept]
    print(*faults, sep="\n")
    return 1 if faults and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
