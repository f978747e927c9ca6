"""The scripts that the launcher runs: a few lines each, so that compiling them costs nothing.

All work stands in modules whose bytecode is cached. A script that was compiled ahead would save a twentieth of an
empty interpreter's start, and stop working as soon as the interpreter's path comes to mean another Python.
"""

from __future__ import annotations

import sys

from .launcher import FAST
from .neutral import Rule
from .pack import FILE, START_BYTES

_FAST = """\
import sys
sys.path.insert(0, sys.argv[0][:-{tail}] + "site")
from agent_connector.runtime.{module} import main
main(sys.argv)
"""

# The entries that must not fail even where the runtime is damaged. Only an import can fail here: ``main`` itself
# ends the process. What is rarely needed is text: a script is compiled anew on every call. Bytecode of another Python
# must not be looked at, so the pack (see ``pack``) counts only behind this one's magic number. Collecting garbage
# would cost a tenth of the process, which makes none; it is switched on again for handlers.
_PACKED = """\
import gc, sys
gc.disable()
RULES = {rules!r}
try:
    BASE = sys.argv[0][:-{tail}]
    sys.path.insert(0, BASE + "site")
    try:
        from _frozen_importlib_external import MAGIC_NUMBER
        from marshal import loads
        PACK = BASE + {file!r}
        with open(PACK, "rb", 0) as file:
            start = file.read({start})
            if start.startswith(MAGIC_NUMBER):
                BEHIND = {start} + int.from_bytes(start[len(MAGIC_NUMBER):], "little")
                code, BUNDLES, EXTENSIONS = loads(file.read(BEHIND - {start}))
                exec(code)
    except (ImportError, OSError, ValueError, TypeError, EOFError):
        pass
    from agent_connector.runtime.{verb} import main
    main({arguments})
except BaseException:
    exec({fallback!r})
"""

_FALLBACK = """\
words = sys.argv[2:4]
for host, event, stdout, code in RULES:
    if words[:1] == [host] and event in ("*", *words[1:]):
        sys.stdout.write(stdout)
        sys.exit(code)
sys.exit(0)
"""

_MAIN = """\
import sys
sys.path.append(sys.argv[0][:-{tail}] + "site")
from agent_connector.runtime.command import main
main(sys.argv, {python!r})
"""

# Not for the launcher: a server's proxy starts it by its path.
_COUNTER = """\
import sys
sys.path.append(sys.argv[0][:-{tail}] + "site")
from agent_connector.telemetry.counter import main
main(sys.argv)
"""


def entry_texts(rules: tuple[Rule, ...]) -> dict[str, str]:
    """Verb -> source. ``rules`` are the hosts' neutral replies, spoken where nothing else can be loaded."""
    texts = {verb: _FAST.format(module=verb.replace("-", "_"), tail=_tail(verb)) for verb in FAST}
    texts["hook"] = _packed("hook", "sys.argv, RULES", rules, _FALLBACK)
    texts["statusline"] = _packed("statusline", "sys.argv", (), "sys.exit(0)")
    texts["counter"] = _COUNTER.format(tail=_tail("counter"))
    texts["main"] = _MAIN.format(python=tuple(sys.version_info[:2]), tail=_tail("main"))
    return texts


def _packed(verb: str, arguments: str, rules: tuple[Rule, ...], fallback: str) -> str:
    return _PACKED.format(
        rules=rules,
        tail=_tail(verb),
        file=FILE,
        start=START_BYTES,
        verb=verb,
        arguments=arguments,
        fallback=fallback,
    )


def _tail(name: str) -> int:
    """How much of the script's path is ``entry/<name>.py``, in either kind of slash."""
    return len(f"entry/{name}.py")
