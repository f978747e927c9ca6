"""A connector's stream as a module inside a host uses it, and modules as a host inside Node loads them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

SECONDS = 30

DEFINITION = r"""
import os, signal, sys, time
from agent_connector import Response, define_connector, hook

SHELL = 'cat >/dev/null; echo \'{"decision":"deny","reason":"shell"}\''

@hook("PreToolUse", matcher="acme_drop")
def guard(event):
    print("looked at", event.tool_name)
    return Response.deny("never " + event.tool_input.get("table", "that"))

@hook("PreToolUse", matcher="acme_slow", timeout_ms=1500)
def slow(event):
    time.sleep(60)

@hook("PreToolUse", matcher="acme_die")
def die(event):
    os.kill(os.getpid(), signal.SIGKILL)

@hook("PostToolUse")
def measured(event):
    return Response.output(f"{len(event.tool_output)} letters") if event.tool_name != "acme_acme_quiet" else None

connector = define_connector(id="acme", version="1.0.0", hooks=[
    guard, slow, die, measured,
    hook("PreToolUse", matcher="acme_(write|die)", response=Response.deny("no writes")),
    hook("PreToolUse", matcher="acme_shell", command=["sh", "-c", SHELL]),
])
"""


def call(tool: str, **args: Any) -> dict[str, Any]:
    """What OpenCode's module sends before a tool call."""
    given = {"tool": f"acme_{tool}", "sessionID": "s1", "callID": "c1"}
    return {"hook": "tool.execute.before", "input": given, "output": {"args": args}, "directory": "/home/dev/app"}


def result(tool: str, output: str) -> dict[str, Any]:
    given = {"tool": f"acme_{tool}", "sessionID": "s1", "callID": "c1", "args": {}}
    return {"hook": "tool.execute.after", "input": given, "output": {"output": output}, "directory": "/home/dev/app"}


class Stream:
    """One child. Answers are read as they come and kept by their id."""

    def __init__(self, root: Path, connector: str = "acme", host: str = "opencode", **env: str) -> None:
        words = [root / "bin" / "agent-connector", "hook", host, "--stream", "--connector", connector]
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.defpath, **env},
            start_new_session=True,
        )
        self.answers: dict[Any, Any] = {}
        self.lines: list[bytes] = []
        self.came = threading.Condition()
        self.asked = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.reader.join(SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(BrokenPipeError):
                pipe.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            with self.came:
                self.lines.append(line)
                answer = json.loads(line)
                self.answers[answer["id"]] = answer.get("reply", "left out")
                self.came.notify_all()

    def write(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, event: str, payload: Any, **more: Any) -> int:
        self.asked += 1
        self.write(json.dumps({"id": self.asked, "event": event, **more, "payload": payload}).encode())
        return self.asked

    def answer(self, number: Any, seconds: float = SECONDS) -> Any:
        with self.came:
            assert self.came.wait_for(lambda: number in self.answers, seconds), f"no answer to {number}"
            return self.answers[number]

    def said(self, event: str, payload: Any, **more: Any) -> Any:
        return self.answer(self.ask(event, payload, **more))

    def reason(self, tool: str, **args: Any) -> str | None:
        """Why a call is denied."""
        said = self.said("PreToolUse", call(tool, **args))
        return said and said["reason"]

    def end(self) -> int:
        """Close its input; its exit code."""
        self.process.stdin.close()
        code = self.process.wait(SECONDS)
        self.reader.join(SECONDS)
        return code


DRIVER = """
import {{ readFileSync }} from "node:fs";
const plugin = await import({module});
const made = await plugin.default({{ directory: process.cwd() }});
const hooks = made;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const before = async (tool, args = {{}}) => {{
  const output = {{ args }};
  try {{
    await hooks["tool.execute.before"]({{ tool: "acme_" + tool, sessionID: "s", callID: "c" }}, output);
  }} catch (fault) {{
    return fault.message;
  }}
  return output.args === args ? args : "another object";
}};
const ours = (key) => key.description?.includes("acme");
const state = () => globalThis[Object.getOwnPropertySymbols(globalThis).find(ours)];
const told = (value) => console.log(JSON.stringify(value));
{body}
"""


def in_node(module: Path, body: str, *, cwd: Path, seconds: float = 60, **env: str) -> tuple[list[Any], float]:
    """What ``body`` told with the plugin loaded, line by line, and how long it all took. The process must end by
    itself, without anything on standard error."""
    text = DRIVER.format(module=json.dumps(module.as_uri()), body=body)
    started = time.monotonic()
    done = subprocess.run(
        ["node", "--input-type=module", "-e", text],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={"PATH": os.environ["PATH"], **env},
        timeout=seconds,
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return [json.loads(line) for line in done.stdout.splitlines()], time.monotonic() - started


def children_of(root: Path) -> list[int]:
    """Processes that serve a stream of this data root."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if b"--stream" in words and str(root).encode() in words:
                found.append(int(folder.name))
    return found
