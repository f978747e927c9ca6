"""The process of a handler whose Python is not the runtime's: one request on standard input, its answer back.

:mod:`.programs` starts this with that other interpreter, which compiles the runtime's modules anew: into the data
root, where the bytecode of handlers is.
"""

from __future__ import annotations

import sys

from .author import python_tag
from .dispatch import Dispatch
from .handlers import say_farewell
from .jsontext import dumps, loads
from .process import leave, read_input, say, system
from .programs import answer_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from .author import Work


def main(data_root: str) -> NoReturn:
    sys.pycache_prefix = None  # what handlers import has a loader of its own, which also looks beside the source
    request = loads(read_input())

    def give_up() -> None:
        say(f'{{"answer":null,"faults":{dumps(dispatch.faults)}}}')
        leave(0)

    dispatch = _work(request, data_root, give_up)
    dispatch.record = {"python": {**request["python"], "tag": python_tag()}, "hosts": {}}
    answer = answer_request(dispatch, request)
    say(answer)
    say_farewell(0)
    leave(0)


def _work(request: dict[str, Any], data_root: str, give_up: Callable[[], None]) -> Work:
    if request["kind"] != "hook":
        from .errand import Errand

        errand = Errand(request["kind"], request["host"], request["connector"], data_root, give_up=give_up)
        if errand.kind == "action":
            errand.output = system.dup(2)  # a person is looking
        return errand
    return Dispatch(request["host"], request["name"], request["connector"], data_root, give_up=give_up)
