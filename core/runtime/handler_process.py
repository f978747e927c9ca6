"""The process of a handler whose Python is not the runtime's: one request on standard input, its answer back.

:mod:`.programs` runs this file as a script with that other interpreter, which compiles the runtime's modules anew:
into the data root, where the bytecode of handlers is.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main(data_root: str) -> NoReturn:
    from agent_connector.runtime.author import python_tag, reply_descriptors
    from agent_connector.runtime.dispatch import Dispatch
    from agent_connector.runtime.handlers import farewell
    from agent_connector.runtime.jsontext import dumps, loads
    from agent_connector.runtime.process import leave, read_input, write
    from agent_connector.runtime.programs import answer_request

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


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[0].replace("\\", "/").rsplit("/", 3)[0])
    sys.pycache_prefix = f"{sys.argv[1]}/cache/handlers"
    sys.dont_write_bytecode = False
    main(sys.argv[1])
