"""``hook <host> <event> --connector <id>``: what a host runs on each event.

It answers or it says "no opinion" in the host's own way; it never fails a tool call, never hangs and never writes
to standard error. ``answer`` is where a connector's handlers come in.
"""

from __future__ import annotations

from .neutral import hooks_module, rule_for
from .process import data_root_of, leave, read_input, value_of, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .neutral import Rule

Reply = tuple[str, int]
"""(stdout, exit code)"""


def main(argv: list[str], last_resort: tuple[Rule, ...]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``hook``, host, event, flags.

    ``last_resort`` are the hosts' neutral replies as they were when the runtime was made, for the case that the
    host's own module cannot be loaded.
    """
    words = [*argv[2:4], "", ""]
    host, event = words[0], words[1]
    reply = rule_for(last_resort, host, event)
    try:
        reply = hooks_module(host).neutral(event)
        payload = read_input()
        connector = value_of("--connector", argv)
        reply = answer(host, event, connector, payload, data_root_of(argv[0])) or reply
    except BaseException:  # noqa: BLE001, S110 - whatever went wrong, the host hears "no opinion"
        pass
    write(1, reply[0])
    leave(reply[1])


def answer(host: str, event: str, connector: str, payload: bytes, data_root: str) -> Reply | None:
    """What the connector has to say, or ``None`` for no opinion.

    A connector that has handlers has a record, ``<data_root>/connectors/<connector>/hooks.json``. None is written
    yet, so there is nothing to look for: no connector has an opinion.
    """
    return None
