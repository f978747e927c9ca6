"""Start of our MCP server to the answered ``tools/list``, beside a bare server of the same SDK with six tools.

``python benchmarks/server.py [rounds]``: both are started in turn, in both eras of the protocol; CPU time (user and
system) of the whole process up to the answer, and the ratio. The budget is 1.15.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OURS = [str(Path(sys.executable).parent / "agent-connector"), "mcp"]
BARE = [
    sys.executable,
    "-c",
    """
from mcp.server.mcpserver import MCPServer

server = MCPServer("bare", version="1")


def answer(text: str = "") -> str:
    return text


for name in ("one", "two", "three", "four", "five", "six"):
    server.add_tool(answer, name=name, description="A trivial tool.")
server.run("stdio")
""",
]
META = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
    }
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
ERAS = {
    "handshake": [("initialize", HELLO), ("notifications/initialized", None), ("tools/list", {})],
    "modern": [("tools/list", META)],
}


def start_to_list(command: list[str], era: str, home: Path) -> tuple[float, float]:
    """(CPU, wall) in milliseconds."""
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "AGENT_CONNECTOR_SELF_REGISTER": "off"}
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=home
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for number, (method, params) in enumerate(ERAS[era]):
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}
        if not method.startswith("notifications/"):
            message["id"] = number
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            answer = json.loads(process.stdout.readline())
            assert answer["id"] == number, answer
    assert len(answer["result"]["tools"]) == 6, answer
    wall = time.perf_counter() - began
    process.kill()  # what it does after the answer is not counted
    process.stdin.close()
    process.stdout.close()
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return (used.ru_utime + used.ru_stime) * 1000, wall * 1000


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        print(f"{rounds} rounds; CPU ms (best / median), wall ms (median)")
        for era in ERAS:
            times: dict[str, list[tuple[float, float]]] = {"bare": [], "ours": []}
            for _ in range(rounds):
                times["bare"].append(start_to_list(BARE, era, home))
                times["ours"].append(start_to_list(OURS, era, home))
            best, median = {}, {}
            for name, taken in times.items():
                cpu, wall = zip(*taken, strict=True)
                best[name], median[name] = min(cpu), statistics.median(cpu)
                print(f"{era:10} {name:5} {best[name]:6.0f} / {median[name]:6.0f}   {statistics.median(wall):6.0f}")
            ratios = f"{best['ours'] / best['bare']:.3f} / {median['ours'] / median['bare']:.3f}"
            print(f"{era:10} ratio {ratios}")


if __name__ == "__main__":
    main()
