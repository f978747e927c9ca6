"""Logs of hosts with known totals, each of the traps that real ones have a switch.

``python tests/usage_logs.py FOLDER MEGABYTES`` writes a large set, for benchmarks.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

TRAPS = (
    "growing",  # a reply is a line for each of its blocks, with growing output
    "copies",  # resumed and forked sessions tell their parent's replies again
    "subagents",
    "asides",  # a subagent's log that tells the parent's replies with other request ids
    "repeats",  # totals told again, though nothing moved
    "restarts",  # totals that begin anew
    "odd",  # byte order marks, CR, spaces, numbers in quotes, null
    "torn",  # a line that is being written
    "noise",  # other lines: prompts, results with numbers in them, damage
)
MODELS = ("claude-opus-4-8", "claude-sonnet-4-5-20250929")


@dataclass(frozen=True)
class Reply:
    """What is true of one reply."""

    host: str
    session: str
    model: str
    project: str
    t: int
    input: int
    output: int
    cache_read: int
    cache_write: int
    reasoning: int = 0
    subagent: bool = False


@dataclass
class Logs:
    """Writes below ``home`` and remembers the truth."""

    home: Path
    traps: frozenset[str] = frozenset(TRAPS)
    seed: int = 1
    padding: int = 0
    """Bytes of text in every line of noise."""
    truth: list[Reply] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)
    """Server -> calls of its tools."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.now = datetime(2026, 11, 1, 8, tzinfo=UTC)

    # --- Claude Code ---------------------------------------------------------------------------------------------

    def claude_session(self, replies: int = 12, project: str = "/home/dev/shop") -> None:
        folder = self.home / ".claude" / "projects" / project.replace("/", "-")
        session = self._uuid()
        own = [line for _ in range(replies) for line in self._claude_reply(session, project)]
        self._write(folder / f"{session}.jsonl", own)
        if "subagents" in self.traps:
            agent = f"a{self.random.getrandbits(64):016x}"
            lines = [line for _ in range(replies // 3) for line in self._claude_reply(session, project, agent)]
            self._write(folder / session / "subagents" / f"agent-{agent}.jsonl", lines)
        if "asides" in self.traps:
            told = [json.loads(line) for line in own if line.endswith("}")]
            aside = [
                json.dumps({**line, "isSidechain": True, "agentId": "b1", "requestId": f"req_{self._uuid()}"})
                for line in told
                if line["type"] == "assistant" and line["message"]["model"] != "<synthetic>"
            ]
            self._write(folder / session / "subagents" / "agent-aside_question-b1.jsonl", aside)
        if "copies" in self.traps:
            fork = self._uuid()
            copied = [line.replace(session, fork) for line in own]
            new = [line for _ in range(3) for line in self._claude_reply(fork, project)]
            self._write(folder / f"{fork}.jsonl", [*copied, *new])

    def _claude_reply(self, session: str, project: str, agent: str = "") -> Iterator[str]:
        t = self._tick()
        usage = {
            "input_tokens": self.random.randrange(1, 400),
            "cache_creation_input_tokens": self.random.randrange(0, 2000),
            "cache_read_input_tokens": self.random.randrange(0, 50_000),
            "output_tokens": self.random.randrange(1, 900),
        }
        long = self.random.randrange(0, usage["cache_creation_input_tokens"] + 1)
        usage["cache_creation"] = {
            "ephemeral_5m_input_tokens": usage["cache_creation_input_tokens"] - long,
            "ephemeral_1h_input_tokens": long,
        }
        model = self.random.choice(MODELS)
        number = self._uuid()
        line = {
            "parentUuid": self._uuid(),
            "isSidechain": bool(agent),
            **({"agentId": agent} if agent else {}),
            "type": "assistant",
            "sessionId": session,
            "cwd": project,
            "requestId": f"req_{number}",
            "timestamp": t,
            "message": {"id": f"msg_{number}", "model": model, "role": "assistant", "usage": usage, "content": []},
        }
        steps = [0.01, 0.4, 1.0] if "growing" in self.traps else [1.0]
        for step in steps:
            said = {**usage, "output_tokens": max(1, int(usage["output_tokens"] * step))}
            tool = {"type": "tool_use", "id": f"toolu_{number}", "name": "mcp__acme__query", "input": {}}
            block = tool if step == 1.0 else {"type": "text", "text": "é" * 20}
            message = {**line["message"], "usage": self._odd_numbers(said), "content": [block]}
            yield self._json({**line, "uuid": self._uuid(), "message": message})
        self.calls["acme"] = self.calls.get("acme", 0) + 1
        self._true("claude-code", session, model, project, t, usage, agent)
        yield from self._claude_noise(session, project, t)

    def _claude_noise(self, session: str, project: str, t: str) -> Iterator[str]:
        if "noise" not in self.traps:
            return
        about = {"sessionId": session, "cwd": project, "timestamp": t}
        result = {"usage": {"input_tokens": 9_999_999}, "totalTokens": 9_999_999}
        text = "x" * self.padding
        yield self._json({**about, "type": "user", "message": {"role": "user", "content": text}})
        yield self._json({**about, "type": "user", "toolUseResult": result, "message": {"content": text}})
        own_words = {"id": self._uuid(), "model": "<synthetic>", "usage": {"output_tokens": 0}, "content": []}
        yield self._json({**about, "type": "assistant", "message": own_words})
        yield '{"type":"assistant","message":{"usage":{"input_tokens":'

    def _true(self, host: str, session: str, model: str, project: str, t: str, usage: dict, agent: str) -> None:
        self.truth.append(
            Reply(
                host=host,
                session=f"{session}/{agent}" if agent else session,
                model=model,
                project=project,
                t=_milliseconds(t),
                input=usage["input_tokens"],
                output=usage["output_tokens"],
                cache_read=usage["cache_read_input_tokens"],
                cache_write=usage["cache_creation_input_tokens"],
                subagent=bool(agent),
            )
        )

    # --- Codex ---------------------------------------------------------------------------------------------------

    def codex_session(self, replies: int = 12, project: str = "/home/dev/shop", *, style: str = "records") -> None:
        """``style``: ``records`` (a line for each reply), or running totals with forks that tell the parent's events
        again, ``copied`` with their time stamps or ``restamped``."""
        parent = self._thread({"cwd": project, "thread_source": "user", "source": "exec"}, style)
        events = list(parent.events(replies))
        self._rollout(parent, events)
        if "copies" in self.traps:
            fork = self._thread({"cwd": project, "forked_from_id": parent.id, "thread_source": "user"}, style)
            fork.totals = dict(parent.totals)
            history = (
                [] if style == "records" else self._told_again(events, fork.started, restamp=style == "restamped")
            )
            self._rollout(fork, [*history, *fork.events(4)])
        if "subagents" in self.traps:
            spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent.id, "depth": 1}}}
            child = self._thread({"cwd": project, "source": spawn, "thread_source": "subagent"}, style, subagent=True)
            self._rollout(child, list(child.events(3)))

    def _thread(self, meta: dict, style: str, *, subagent: bool = False) -> Thread:
        return Thread(self, self._uuid(), meta, style, subagent, self._tick())

    def _rollout(self, thread: Thread, events: list[str]) -> None:
        day = datetime.fromisoformat(thread.started)
        folder = self.home / ".codex" / "sessions" / day.strftime("%Y/%m/%d")
        meta = {"id": thread.id, "model_provider": "openai", **thread.meta, "base_instructions": "i" * 3000}
        head = self._json({"timestamp": thread.started, "type": "session_meta", "payload": meta})
        self._write(folder / f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{thread.id}.jsonl", [head, *events])

    def _told_again(self, events: list[str], t: str, *, restamp: bool) -> list[str]:
        told = [json.loads(line) for line in events if line.endswith("}")]
        return [self._json({**line, "timestamp": t} if restamp else line) for line in told]

    # --- what both have ------------------------------------------------------------------------------------------

    def _uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def _tick(self) -> str:
        self.now += timedelta(seconds=self.random.randrange(1, 4000), milliseconds=self.random.randrange(1000))
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _json(self, value: object) -> str:
        if "odd" in self.traps and self.random.random() < 0.3:
            return json.dumps(value, separators=(" , ", " : "))
        return json.dumps(value, separators=(",", ":"))

    def _odd_numbers(self, usage: dict) -> dict:
        if "odd" in self.traps and self.random.random() < 0.2:
            return {**usage, "input_tokens": str(usage["input_tokens"]), "server_tool_use": None}
        return usage

    def _write(self, path: Path, lines: list[str]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        odd = "odd" in self.traps and self.random.random() < 0.5
        data = ("\r\n" if odd else "\n").join([*lines, ""]).encode()
        if odd:
            data = b"\xef\xbb\xbf" + data
        if "torn" in self.traps:
            data += b'{"type":"assistant","message":{"usage":{"output_tok'
        path.write_bytes(data)


@dataclass
class Thread:
    logs: Logs
    id: str
    meta: dict
    style: str
    subagent: bool
    started: str
    totals: dict[str, int] = field(default_factory=dict)

    def events(self, replies: int) -> Iterator[str]:
        logs, random_ = self.logs, self.logs.random
        model = "gpt-5"
        yield logs._json({"timestamp": self.started, "type": "turn_context", "payload": {"model": model}})
        for number in range(replies):
            if number == replies // 2:
                model = "gpt-5-codex"
                yield logs._json({"timestamp": self.started, "type": "turn_context", "payload": {"model": model}})
            if "restarts" in logs.traps and self.style != "records" and number == replies - 2:
                self.totals = {}
            t = logs._tick()
            cached = random_.randrange(0, 20_000)
            last = {
                "input_tokens": cached + random_.randrange(1, 900),
                "cached_input_tokens": cached,
                "output_tokens": random_.randrange(60, 900),
                "reasoning_output_tokens": random_.randrange(0, 60),
            }
            last["total_tokens"] = last["input_tokens"] + last["output_tokens"]
            self.totals = {name: self.totals.get(name, 0) + count for name, count in last.items()}
            yield from self._told(t, last)
            logs.truth.append(
                Reply(
                    host="codex",
                    session=self.id,
                    model=model,
                    project=self.meta["cwd"],
                    t=_milliseconds(t),
                    input=last["input_tokens"] - cached,
                    output=last["output_tokens"],
                    cache_read=cached,
                    cache_write=0,
                    reasoning=last["reasoning_output_tokens"],
                    subagent=self.subagent,
                )
            )

    def _told(self, t: str, last: dict[str, int]) -> Iterator[str]:
        logs = self.logs
        if self.style == "records":
            record = {
                "thread_id": self.id,
                "response_id": f"resp_{logs._uuid()}",
                "usage": last,
                "thread_token_usage": self.totals,
            }
            yield logs._json({"timestamp": t, "type": "token_usage_record", "payload": record})
        info = {"total_token_usage": dict(self.totals), "last_token_usage": last}
        event = {"type": "token_count", "info": info}
        for _ in range(3 if "repeats" in logs.traps else 1):
            yield logs._json({"timestamp": t, "type": "event_msg", "payload": event})
        if "noise" in logs.traps:
            text = "token_count " + "y" * logs.padding
            message = {"type": "message", "content": [{"type": "input_text", "text": text}]}
            yield logs._json({"timestamp": t, "type": "response_item", "payload": message})
            yield logs._json({"timestamp": t, "type": "event_msg", "payload": {"type": "token_count", "info": None}})
            yield '{"type":"event_msg","payload":{"type":"token_count","info":{'


def _milliseconds(t: str) -> int:
    return int(datetime.fromisoformat(t).timestamp() * 1000)


def write_large(home: Path, megabytes: int) -> list[Reply]:
    """About as many megabytes, half of each host's."""
    logs = Logs(home, padding=6000)
    styles = ("records", "copied", "restamped")
    turn = 0
    while sum(path.stat().st_size for path in home.rglob("*.jsonl")) < megabytes << 20:
        for _ in range(20):
            logs.claude_session(60, f"/home/dev/project-{turn % 7}")
            logs.codex_session(60, f"/home/dev/project-{turn % 7}", style=styles[turn % 3])
            turn += 1
    return logs.truth


if __name__ == "__main__":
    target = Path(sys.argv[1])
    (target / "truth.json").write_text(json.dumps([asdict(reply) for reply in write_large(target, int(sys.argv[2]))]))
