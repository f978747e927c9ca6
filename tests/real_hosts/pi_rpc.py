"""Pi as another program drives it: lines of JSON over stdio, dialogs included."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from host_homes import TURN_SECONDS
from node_homes import Pi

END_SECONDS = 20


class Conversation:
    """One session. ``confirms``: what is answered to a dialog with this message."""

    def __init__(self, process: subprocess.Popen[str], confirms: Callable[[str], bool]) -> None:
        self._process = process
        self._confirms = confirms
        self.asked: list[str] = []

    def prompt(self, text: str) -> None:
        """Until the agent has nothing more to do."""
        self._send({"type": "prompt", "message": text})
        self._until(lambda line: line["type"] == "agent_settled")

    def compact(self) -> dict[str, Any]:
        """What Pi answers to ``/compact``."""
        self._send({"type": "compact"})
        return self._until(lambda line: line["type"] == "response" and line["command"] == "compact")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(message)}\n")
        self._process.stdin.flush()

    def _until(self, ends: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            line = json.loads(text)
            if line["type"] == "extension_ui_request" and line["method"] == "confirm":
                self.asked.append(line["message"])
                answer = {"id": line["id"], "confirmed": self._confirms(line["message"])}
                self._send({"type": "extension_ui_response", **answer})
            elif ends(line):
                return line
        raise AssertionError(f"pi --mode rpc ended with {self._process.wait()} before it answered")


@contextmanager
def conversation(pi: Pi, confirms: Callable[[str], bool] = lambda _message: True) -> Iterator[Conversation]:
    """A process of Pi's, which ends with the block; it is killed where it takes too long."""
    command = ["pi", "--mode", "rpc", "--model", "lab/scripted"]
    with subprocess.Popen(
        command,
        env=pi.env(),
        cwd=pi.home.project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        limit = threading.Timer(TURN_SECONDS, process.kill)
        limit.start()
        try:
            yield Conversation(process, confirms)
        finally:
            limit.cancel()
            assert process.stdin is not None
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
