"""``usage-event <host> --connector <id>``: what a turn cost, as the host tells a hook that was asked for.

One row of the scope ``model_turn``: the host's own numbers, under the model's name. Like a hook it never fails and
has no opinion.
"""

from __future__ import annotations

from time import time

from .neutral import hooks_module
from .own_files import read_record
from .process import data_root_of, leave, read_input, value_of, write
from .spool import append_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def main(argv: list[str]) -> NoReturn:
    """``argv`` as the launcher hands it on: this script, ``usage-event``, host, flags."""
    stdout, code = "", 0
    try:
        host = [*argv[2:3], ""][0]
        module: Any = hooks_module(host)
        stdout, code = module.neutral("")
        _record(host, value_of("--connector", argv), data_root_of(argv[0]), module, read_input())
    except Exception:  # noqa: BLE001, S110 - a host of another version, a damaged record: nothing is counted
        pass
    write(1, stdout)
    leave(code)


def _record(host: str, connector: str, data_root: str, module: Any, data: bytes) -> None:
    from .jsontext import loads

    record = read_record(data_root, connector, "serve")
    turn = module.turn(loads(data)) if record is not None and record["telemetry"] else None
    if record is None or turn is None:
        return
    row = {
        "t": int(time() * 1000),
        "scope": "model_turn",
        "connector": record["connector"],
        "host": host,
        "tool": turn.get("model", ""),
        "session": turn.get("session_id", ""),
        "in": turn["input_tokens"],
        "out": turn["output_tokens"],
        "conf": "host-native",
    }
    append_row(data_root, row, log_only=record["log_only"])
