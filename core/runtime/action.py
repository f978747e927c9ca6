"""``action <host> <action> --connector <id>``: an action a person asked for. Unlike a hook it fails loudly.

What the action returns (or its program prints) is the message on standard output; what a Python action prints itself,
or a program writes on standard error, goes to standard error, where the person sees it at once. A failure is exit
code 1 with its message on standard error; the traceback is in the connector's handlers' log.
"""

from __future__ import annotations

import sys

from .errand import Errand, answer_to
from .own_files import read_record
from .process import data_root_of, fail, heard_at, say, system, value_of, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

NO_LIMIT_MS = 30 * 24 * 3_600_000
"""A person waits for an action, and can end it. Waiting functions take no more than this on some systems."""


class RefusedError(Exception):
    """There is nothing to run; the text says why and what to do."""


def main(argv: list[str]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``action``, host, action, flags.

    Ends as every program ends, so that threads and exit functions of the action's are waited for.
    """
    host, action = _words(argv[2:])
    connector = value_of("--connector", argv)
    if not action or not connector:
        fail(2, "usage: agent-connector action <host> <action> --connector <id>")
    errand = Errand("action", host, connector, data_root_of(argv[0]))
    try:
        entry = _entry_of(errand, action)
    except (RefusedError, ValueError, OSError) as refusal:
        fail(1, f"action: {refusal}")
    message, failure = "", ""
    try:
        errand.output = system.dup(2)
        message = message_in(answer_to(errand, entry, _fields(errand)))
    except KeyboardInterrupt:
        sys.exit(130)
    except BaseException as fault:  # noqa: BLE001 - whatever it is, the person is told
        failure = failure_in(fault)
        keep_trace(errand.data_root, connector, fault)
    if failure:
        write(heard_at[1], f"agent-connector: the action {action} of {connector} failed: {_writable(failure)}\n")
    elif message:
        say(_writable(message) + "\n")
    sys.exit(1 if failure else 0)


def _words(words: list[str]) -> tuple[str, str]:
    """Host and action: what is neither a flag nor the value of one."""
    plain = [word for before, word in zip(["", *words], words, strict=False) if before != "--connector"]
    plain = [word for word in plain if not word.startswith("--")]
    return (plain[0], plain[1]) if len(plain) > 1 else ("", "")


def _entry_of(errand: Errand, action: str) -> dict[str, Any]:
    """The code of the action in the host. Raises :class:`RefusedError`, ``ValueError``, ``OSError``."""
    connector = errand.connector
    record = errand.record = read_record(errand.data_root, connector, "actions")
    actions = record.get("actions", {}) if record else {}
    if record is None or not actions:
        raise RefusedError(_why_none(connector, errand.data_root, action))
    if action not in actions:
        raise RefusedError(f"no such action: {action!r} of connector {connector!r}{_nearest(action, actions)}")
    own = record["hosts"].get(errand.caller)
    if own is None:
        near = _nearest(errand.caller, record["hosts"])
        raise RefusedError(f"the connector {connector!r} has no actions for a host {errand.caller!r}{near}")
    return {"timeout_ms": NO_LIMIT_MS, **(own.get(action) or actions[action])}


def _why_none(connector: str, data_root: str, action: str) -> str:
    from pathlib import Path

    from . import records

    if records.read_record(Path(data_root), connector) is not None:
        return f"no such action: {action!r} of connector {connector!r}, which has no actions here"
    known = records.list_records(Path(data_root))
    return f"no connector {connector!r} is installed here (in {data_root}){_nearest(connector, known)}"


def _nearest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return f": did you mean {' or '.join(near)}?"
    return f": there are {', '.join(names)}" if names else ""


def _fields(errand: Errand) -> dict[str, Any]:
    """A person stands in the project's folder, as with every other command of ours. No host tells its session."""
    try:
        folder = system.getcwd()
    except OSError:
        folder = None
    return {"host": errand.caller, "connector": errand.connector, "cwd": folder, "project": folder}


# --- how it ended ----------------------------------------------------------------------------------------------


def message_in(answer: Any) -> str:
    """What an action says it has done: a text, ``{"message": text}``, or nothing. Raises :class:`AnswerError`."""
    from .answers import AnswerError

    if isinstance(answer, dict):
        answer = answer.get("message")
    if answer is None:
        return ""
    if not isinstance(answer, str):
        raise AnswerError(f"it returned a {type(answer).__name__}, not a message")
    return answer.rstrip("\r\n")


def failure_in(fault: BaseException) -> str:
    """What went wrong, for the person; ``""`` where an action ended itself as one that is done."""
    from .author import FailedError, UnavailableError

    if isinstance(fault, UnavailableError):
        cause = fault.__cause__ or fault
        return f"it cannot be started: {type(cause).__name__}: {cause}"
    if isinstance(fault, SystemExit):
        if fault.code is None or fault.code == 0:
            return ""
        return f"ended with {fault.code}" if isinstance(fault.code, int) else str(fault.code)
    try:
        text = str(fault)
    except Exception:  # noqa: BLE001 - an author's exception may do anything
        text = ""
    if isinstance(fault, FailedError) or type(fault).__module__.startswith("agent_connector.runtime."):
        return text
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def keep_trace(data_root: str, connector: str, fault: BaseException) -> None:
    """Where it happened, in the handlers' log; a person is told what."""
    if isinstance(fault, SystemExit) or type(fault).__module__.startswith("agent_connector.runtime."):
        return
    from contextlib import suppress
    from traceback import format_exception

    from .hook_log import open_output

    with suppress(OSError):
        write(open_output(data_root, connector), _writable("".join(format_exception(fault))))


def _writable(text: str) -> str:
    """Half a surrogate pair cannot be written at all."""
    return text.encode("utf-8", "replace").decode()
