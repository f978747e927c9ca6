"""What a process that a host starts has loaded when it ends."""

from __future__ import annotations

import marshal
import sys
from pathlib import Path
from typing import Any

from agent_connector.runtime.pack import START_BYTES

UNCOUNTED = {"__future__", "_json", "_sha256", "_sha2", "marshal", "_thread", "gc"}
"""In C: whether they are built in differs. In a pack nothing needs ``__future__``."""

# Neither a script nor ``-X importtime`` tells all: the process ends without cleaning up, and the pack puts modules
# where they are found without being imported.
_RUN = """
import {system} as system, sys
_, told, *sys.argv = sys.argv
with open(sys.argv[0], "rb") as file:
    code = compile(file.read(), sys.argv[0], "exec")
end = system._exit
def tell(code):
    with open(told, "w") as file:
        file.write(" ".join(sys.modules))
    end(code)
system._exit = tell
exec(code, {{"__name__": "__main__"}})
""".format(system="nt" if sys.platform == "win32" else "posix")


def loaded_by(
    run: Any, interpreter: str | Path, script: list[Any], payload: bytes, folder: Path
) -> tuple[set[str], Any]:
    """The modules beyond an empty interpreter's, as far as it is the same everywhere, and how the process ended."""
    told = folder / "modules"
    nothing = folder / "nothing.py"
    nothing.write_text(f"import {'nt' if sys.platform == 'win32' else 'posix'} as system\nsystem._exit(0)\n")
    python = [interpreter, "-I", "-S", "-B", "-c", _RUN, told]
    run([*python, nothing])
    empty = set(told.read_text().split())
    answer = run([*python, *script], payload)
    return set(told.read_text().split()) - empty - UNCOUNTED, answer


def bundles_of(pack: Path) -> dict[str, list[str]]:
    """Module -> the modules that are read with it, in the order they are loaded in."""
    data = pack.read_bytes()
    behind = START_BYTES + int.from_bytes(data[START_BYTES - 4 : START_BYTES], "little")
    _, places, _ = marshal.loads(data[START_BYTES:behind])
    return {
        name: [module[0] for module in marshal.loads(data[behind + start : behind + start + length])]
        for name, (start, length) in places.items()
    }
