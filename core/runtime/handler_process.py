"""The process of a handler whose Python is not the runtime's: one request on standard input, its answer back.

:mod:`.programs` starts this with that other interpreter, which compiles the runtime's modules anew: into the data
root, where the bytecode of handlers is.
"""

from __future__ import annotations

import sys

from .author import python_tag, reply_descriptors
from .dispatch import Dispatch
from .handlers import farewell
from .jsontext import dumps, loads
from .process import leave, read_input, write
from .programs import answer_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main(data_root: str) -> NoReturn:
    sys.pycache_prefix = None  # what handlers import has a loader of its own, which also looks beside the source
    request = loads(read_input())

    def give_up() -> None:
        write(reply_descriptors()[0], f'{{"answer":null,"faults":{dumps(dispatch.faults)}}}')
        leave(0)

    dispatch = Dispatch(request["host"], request["name"], request["connector"], data_root, give_up=give_up)
    dispatch.record = {"python": {**request["python"], "tag": python_tag()}, "hosts": {}}
    answer = answer_request(dispatch, request)
    write(reply_descriptors()[0], answer)
    farewell()
    leave(0)
