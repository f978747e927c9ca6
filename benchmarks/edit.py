"""The proven edit of a 10 MB ``~/.claude.json``, beside one ``json.loads`` of the same text.

``python benchmarks/edit.py [rounds]``: both are run in turn; CPU time of each, and the ratio. In memory: no file is
read or written. The budget is 4.5; the exit code is 1 when the best round of a kind is over it.
"""

from __future__ import annotations

import gc
import json
import random
import statistics
import sys
import time
from collections.abc import Callable

from agent_connector.documents.json import JsonDocument
from agent_connector.documents.proof import prove_remove, prove_set

BUDGET = 4.5
PLACE = ("mcpServers", "agent-connector")
LOCAL_PLACE = ("projects", "/home/somebody/src/project-524", "mcpServers", "agent-connector")
ENTRY = {
    "type": "stdio",
    "command": "/home/somebody/.agent-connector/bin/agent-connector",
    "args": ["mcp"],
    "env": {},
}
PROSE = "please look at the failing test in src/server and tell me why “it” hangs after 30 s: {a: [1, 2]} // hm"


def look_alike(projects: int = 525, size: int = 10_000_000) -> str:
    """A Claude Code state file: many projects with their history, the servers last."""
    chance = random.Random(525)

    def prompt() -> dict[str, object]:
        words = chance.choices(PROSE.split(), k=chance.randint(3, 60))
        return {"display": " ".join(words) + chance.choice(["", "\n", '\n\t"quoted"']), "pastedContents": {}}

    def project(number: int) -> dict[str, object]:
        history: list[object] = []
        length = 0
        while length < size / projects * 0.98:
            history.append(prompt())
            length += len(json.dumps(history[-1], ensure_ascii=False)) + 50
        return {
            "allowedTools": ["Bash(git status:*)", "Edit"],
            "history": history,
            "mcpServers": {},
            "lastCost": round(chance.random() * 3, 6),
            "lastTotalInputTokens": chance.randint(1000, 10**7),
            "hasTrustDialogAccepted": number % 2 == 0,
            "lastSessionId": f"{chance.getrandbits(128):032x}",
        }

    state = {
        "numStartups": 1873,
        "userID": f"{chance.getrandbits(256):064x}",
        "tipsHistory": {f"tip-{number}": number for number in range(40)},
        "projects": {f"/home/somebody/src/project-{number}": project(number) for number in range(projects)},
        "mcpServers": {"github": {"type": "http", "url": "https://api.example.com/mcp/"}},
    }
    return json.dumps(state, ensure_ascii=False, indent=2)


def cpu(work: Callable[[], object]) -> float:
    """Milliseconds of CPU, the next collection of garbage included, which pausing the collector only puts off."""
    gc.collect()
    start = time.process_time()
    result = work()
    del result
    gc.collect(0)
    return (time.process_time() - start) * 1000


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    text = look_alike()
    data = text.encode()
    installed = prove_set(JsonDocument.parse(data, comments=False), PLACE, ENTRY).document.data

    def install() -> bytes:
        return prove_set(JsonDocument.parse(data, comments=False), PLACE, ENTRY).document.data

    def install_local() -> bytes:
        return prove_set(JsonDocument.parse(data, comments=False), LOCAL_PLACE, ENTRY).document.data

    def uninstall() -> bytes:
        return prove_remove(JsonDocument.parse(installed, comments=False), PLACE, {}).data

    works: dict[str, Callable[[], object]] = {
        "json.loads": lambda: json.loads(text),
        "set, proven": install,
        "set in a project, proven": install_local,
        "remove, proven": uninstall,
    }
    assert uninstall() == data
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(cpu(work))
    over = False
    print(f"{len(data) / 1e6:.1f} MB, {rounds} rounds, CPU ms (best / median) and times json.loads")
    unit = times["json.loads"]
    for name, taken in times.items():
        best, median = min(taken), statistics.median(taken)
        over |= best / min(unit) > BUDGET
        ratios = f"{best / min(unit):.2f} / {median / statistics.median(unit):.2f}"
        print(f"{name:26} {best:6.0f} / {median:6.0f}   {ratios}")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
