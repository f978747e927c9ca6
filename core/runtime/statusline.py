"""``statusline <host> --connector <id>``: the text of the host's status bar.

Whatever goes wrong, the host reads nothing and hears of no failure: a status bar must not wedge it. What went wrong
is a line in ``logs/hooks.ndjson`` (event ``statusline``), and what the renderer printed is in its handlers' log.
"""

from __future__ import annotations

import sys
from time import time

from .errand import Errand, answer_to
from .jsontext import payload_in
from .own_files import is_installed, read_file, read_record
from .process import claim, data_root_of, leave, read_input, say, system, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

EVENT = "statusline"
REPEAT_SECONDS = 60
"""How long the same fault is not told again: a bar is drawn every few hundred milliseconds."""
_TOLD = "statusline.told"


def main(argv: list[str]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``statusline``, host, flags."""
    errand: Errand | None = None
    text = ""

    def finish() -> NoReturn:
        _finish(errand, text)

    try:
        payload = read_input()
        host = [*argv[2:3], ""][0]
        errand = Errand("statusline", host, value_of("--connector", argv), data_root_of(argv[0]), give_up=finish)
        text = rendered(errand, payload)
    except BaseException as fault:  # noqa: BLE001 - whatever went wrong, the host reads nothing
        if errand is not None:
            errand.faults.append(("internal", type(fault).__name__))
    finish()


def rendered_statusline(
    host: str,
    connector: str,
    data_root: str,
    payload: bytes,
    *,
    record: dict[str, Any] | None = None,
    live: Any = None,
) -> tuple[str, list[tuple[str, str]]]:
    """What ``statusline <host> --connector <connector>`` prints for a payload, and its faults as (word, where).

    Runs the connector's code in this process, as that command does; nothing is logged. ``record``: the statusline
    record to go by instead of the one below ``data_root`` (see :mod:`.code_records`); ``live``: as of a
    :class:`.dispatch.Dispatch`. Raises ``OSError`` for a record that cannot be read.
    """
    errand = Errand("statusline", host, connector, data_root)
    errand.record, errand.live = record, live
    return rendered(errand, payload), errand.faults


def rendered(errand: Errand, data: bytes) -> str:
    """The text for a payload as the host wrote it; ``""`` where there is none, or something went wrong."""
    try:
        record = errand.record = errand.record or read_record(errand.data_root, errand.connector, "statusline")
    except ValueError:
        errand.faults.append(("bad-record", ""))
        return ""
    if record is None:
        if is_installed(errand.data_root, errand.connector):
            errand.faults.append(("no-record", ""))
        return ""
    own = record["hosts"].get(errand.caller)
    if own is None:  # it was uninstalled, or has no status line there
        return ""
    payload = payload_in(data, errand.faults)
    if payload is None:
        return ""
    fields = {
        "host": errand.caller,
        "connector": errand.connector,
        **_parser(own["module"])(payload),
        "raw": payload,
    }
    from .author import limited

    entry = own["entry"]
    text: str = limited(
        errand, entry, 0, lambda: _text_of(answer_to(errand, entry, fields), own.get("max_lines")), failed=""
    )
    return text


def _parser(module: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The host's reader of payloads."""
    parse: Callable[[dict[str, Any]], dict[str, Any]] = __import__(module, None, None, ["parse"]).parse
    return parse


def _text_of(answer: Any, max_lines: int | None) -> str:
    """What hosts show of an answer: whole lines, no more than are wanted."""
    from .answers import AnswerError

    if answer is None:
        return ""
    if not isinstance(answer, str):
        raise AnswerError(f"answered a {type(answer).__name__}, not a text")
    # Half a surrogate pair cannot be written at all.
    lines = answer.encode("utf-8", "replace").decode().replace("\r\n", "\n").rstrip("\n").split("\n")
    return "\n".join(lines[:max_lines])


def _finish(errand: Errand | None, text: str) -> NoReturn:
    claim()
    if not say(text and text + "\n") and errand is not None:
        errand.faults.append(("unheard", ""))
    try:
        if errand is not None and errand.faults:
            _leave_behind(errand)
        if "agent_connector.runtime.handlers" in sys.modules:
            from .handlers import say_farewell

            say_farewell(0)
    except BaseException:  # noqa: BLE001, S110 - the host has its text
        pass
    leave(0)


def _leave_behind(errand: Errand) -> None:
    from .hook_log import log_fault

    if _was_told(errand):
        return
    for fault, where in errand.faults:
        log_fault(errand.data_root, errand.connector, errand.caller, EVENT, fault, where)


def _was_told(errand: Errand) -> bool:
    """Whether these very faults were logged a moment ago; from now on they were."""
    if not is_installed(errand.data_root, errand.connector):
        return False
    told = "\n".join([errand.caller, *(f"{fault} {where}" for fault, where in errand.faults)]).encode()
    path = f"{errand.data_root}/connectors/{errand.connector}/{_TOLD}"
    try:
        if time() - system.stat(path).st_mtime < REPEAT_SECONDS and read_file(path) == told:
            return True
    except OSError:
        pass
    flags = system.O_WRONLY | system.O_CREAT | system.O_TRUNC | getattr(system, "O_BINARY", 0)
    descriptor = system.open(path, flags, 0o600)
    try:
        system.write(descriptor, told)
    finally:
        system.close(descriptor)
    return False
