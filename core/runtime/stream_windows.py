"""How a stream's events are answered on Windows that need an author's code: each by a hook process of its own.

There are no copies of processes there; threads wait for the hook processes.
"""

from __future__ import annotations

import _thread
import sys

from .commands import run_program
from .dispatch import CodeNeededError
from .hook_log import log_fault
from .limits import LateError
from .process import system
from .stream import NOBODY, answer_without_code, request_in, say_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .stream import Connector, Request

GRACE_SECONDS = 2.0
_CHUNK = 1 << 16

_speaking = _thread.allocate_lock()


def serve(connector: Connector, argv: list[str]) -> None:
    waiting: list[object] = []
    rest = bytearray()
    while data := system.read(0, _CHUNK):
        *lines, last = data.split(b"\n")
        for line in lines:
            rest += line
            whole, rest = bytes(rest), bytearray()
            if whole.strip():
                _take(connector, argv, whole, waiting)
        rest += last
    from time import sleep

    while waiting:
        sleep(0.02)


def _take(connector: Connector, argv: list[str], line: bytes, waiting: list[object]) -> None:
    request = request_in(line)
    connector.look()
    if request is None:
        log_fault(connector.data_root, connector.id, connector.host, "", "bad-payload")
        with _speaking:
            say_answer(NOBODY, "")
        return
    try:
        with _speaking:
            answer_without_code(connector, request)
    except CodeNeededError:
        waiting.append(request)
        _thread.start_new_thread(_by_process, (connector, argv, request, waiting))


def _by_process(connector: Connector, argv: list[str], request: Request, waiting: list[object]) -> None:
    words = [sys.executable, "-I", "-S", "-B", argv[0], "hook", connector.host, request.event]
    nothing = system.open("nul", system.O_RDWR)
    try:
        done = run_program(
            [*words, "--connector", connector.id], request.payload, _seconds(connector, request), nothing
        )
        with _speaking:
            say_answer(request, done.stdout.decode("utf-8", "surrogateescape"))
    except (OSError, LateError) as fault:
        with _speaking:
            answer_without_code(connector, request, ("timeout" if isinstance(fault, LateError) else "exit", ""))
    finally:
        system.close(nothing)
        waiting.remove(request)


def _seconds(connector: Connector, request: Request) -> float:
    times = [entry.get("together_ms", entry.get("timeout_ms", 1000)) for entry in connector.entries(request.event)]
    return float(max(times, default=0)) / 1000 + GRACE_SECONDS
