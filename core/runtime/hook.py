"""``hook <host> <event> --connector <id>``: what a host runs on each event.

It answers or it says "no opinion" in the host's own way; it never fails a tool call and never hangs. What went wrong
is a line in ``logs/hooks.ndjson``, which ``status`` and ``doctor`` read.
"""

from __future__ import annotations

import sys
from time import monotonic, time

from .neutral import hooks_module, rule_for
from .process import claim, data_root_of, heard_at, leave, read_input, say, value_of, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from .dispatch import Dispatch
    from .neutral import Rule
    from .reply import Reply


def main(argv: list[str], last_resort: tuple[Rule, ...]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``hook``, host, event, flags.

    ``last_resort`` are the hosts' neutral replies as they were when the runtime was made, for the case that the
    host's own module cannot be loaded.
    """
    words = [*argv[2:4], "", ""]
    host, event = words[0], words[1]
    if event == "--stream":
        from .stream import main as stream

        stream(argv)
    answer(lambda: _dispatch(host, event, argv), host, event, rule_for(last_resort, host, event))


def answer(made: Callable[[], Dispatch], host: str, event: str, neutral: tuple[str, int]) -> NoReturn:
    """Read the payload, give the reply and end this process. ``neutral``: what is said where the host's own module
    cannot be had."""
    started = monotonic()
    work: Dispatch | None = None
    reply: Reply | None = None
    payload = b""

    def finish() -> NoReturn:
        _finish(work, reply or (work.said_so_far() if work is not None else None), neutral, len(payload), started)

    try:
        try:  # noqa: SIM105 - contextlib costs half an interpreter's start
            neutral = hooks_module(host).neutral(event)
        except Exception:  # noqa: BLE001, S110 - a host of another package, or a damaged runtime
            pass
        payload = read_input()
        work = made()
        work.give_up = finish
        reply = work.answer(payload)
    except BaseException as fault:  # noqa: BLE001 - whatever went wrong, the host hears what there is to say
        if work is not None:
            work.faults.append(("internal", type(fault).__name__))
    finish()


def _dispatch(host: str, event: str, argv: list[str]) -> Dispatch:
    from .dispatch import Dispatch

    only = value_of("--entry", argv)
    return Dispatch(
        host,
        event,
        value_of("--connector", argv),
        data_root_of(argv[0]),
        only=int(only) if only.isdecimal() else None,
    )


def _finish(
    work: Dispatch | None, reply: Reply | None, neutral: tuple[str, int], size: int, started: float
) -> NoReturn:
    claim()
    if reply is not None:
        stdout, stderr, code = reply.stdout, reply.stderr, reply.exit_code
    else:
        stdout, stderr, code = _neutral_of_caller(work, neutral)
    if stderr:
        write(heard_at[1], stderr)
    if not say(stdout, code) and work is not None:
        work.faults.append(("unheard", ""))
    try:
        if work is not None:
            leave_behind(work, reply, (size, len(stdout.encode("utf-8", "surrogateescape"))), started)
        if "agent_connector.runtime.handlers" in sys.modules:
            from .handlers import say_farewell

            say_farewell(code)
    except BaseException:  # noqa: BLE001, S110 - the host has its answer
        pass
    leave(code)


def _neutral_of_caller(work: Dispatch | None, neutral: tuple[str, int]) -> tuple[str, str, int]:
    try:
        if work is not None and work.module is not None:
            neutral = work.module.neutral(work.event)
    except Exception:  # noqa: BLE001, S110
        pass
    return neutral[0], "", neutral[1]


def leave_behind(work: Dispatch, reply: Reply | None, sizes: tuple[int, int], started: float) -> None:
    """The faults in the log, and a row that counts the call. ``sizes``: bytes of the payload and of the reply."""
    if work.faults:
        from .hook_log import log_fault

        for fault, where in work.faults:
            log_fault(work.data_root, work.connector, work.host, work.event, fault, where)
    record = work.record
    if record is None or not record.get("telemetry", True) or work.module is None or work.muted:
        return
    from .spool import append_row

    row = {
        "t": int(time() * 1000),
        "scope": "hook",
        "connector": work.connector,
        "host": work.caller,
        "event": work.event,
        "tool": work.tool,
        "session": work.session,
        "inb": sizes[0],
        "outb": sizes[1],
        "verdict": reply.verdict if reply is not None else "none",
        "ms": round((monotonic() - started) * 1000, 3),
    }
    append_row(work.data_root, row, log_only=record.get("log_only", False))
