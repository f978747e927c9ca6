"""The few system calls of a process that a host starts for one event.

Every import here is paid on every tool call: no ``os``, ``re``, ``json``, ``typing``, ``pathlib``. Paths are text.
"""

from __future__ import annotations

import sys
from time import sleep

__all__ = [
    "claim",
    "data_root_of",
    "default_signals",
    "fail",
    "heard_at",
    "leave",
    "read_input",
    "say",
    "system",
    "tell",
    "value_of",
    "variable",
    "write",
]

if sys.platform == "win32":
    import nt as system
else:
    # Not signal, which makes enums of its numbers: that costs half an interpreter's start. No stubs exist.
    import _signal  # type: ignore[import-not-found]
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

READ_SECONDS = 10
_CHUNK = 65536
_end = system._exit
"""Kept: an author's code finds another one in that place (see :mod:`.author`)."""


class _Late(BaseException):
    pass


def read_input() -> bytes:
    """All of standard input; nothing from a terminal, and what has come so far if its end does not come in time.

    It is read even where it is not needed: a host that finds its pipe closed while writing may take that as a fault.
    """
    chunks: list[bytes] = []
    try:
        if system.isatty(0):
            return b""
        _alarm(READ_SECONDS)
        while chunk := system.read(0, _CHUNK):
            chunks.append(chunk)
    except (OSError, _Late):
        pass
    finally:
        _alarm(0)
    return b"".join(chunks)


def _alarm(seconds: int) -> None:
    if sys.platform != "win32":
        _signal.signal(_signal.SIGALRM, _late)
        _signal.alarm(seconds)


def default_signals() -> None:
    """Undo what the interpreter ignores for itself: what is ignored stays ignored in a program it becomes."""
    if sys.platform != "win32":
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
            _signal.signal(number, _signal.SIG_DFL)


def _late(_number: int, _frame: object) -> None:
    raise _Late


def write(descriptor: int, text: str) -> None:
    """Write all of ``text``; a reader that went away is none of our business."""
    _write(descriptor, text.encode("utf-8", "surrogateescape"))


def _write(descriptor: int, data: bytes) -> bool:
    """Whether there was something to write to, however much of it was read."""
    try:
        while data:
            data = data[system.write(descriptor, data) :]
    except OSError as fault:
        return fault.errno != _NO_DESCRIPTOR
    return True


# --- the reply -------------------------------------------------------------------------------------------------

_NO_DESCRIPTOR = 9  # EBADF, the same number on every system; the module errno is not loaded here

heard_at = [1, 2]
"""Where the host listens: standard output and error, or what they were before they were given to an author's code.
Below 0 in a process that such code forked: what is said there is nobody's reply."""
passed_on: list[bool] = []
"""Filled in a process whose reply another one passes on (see :mod:`.standby`)."""


def say(text: str, code: int = 0) -> bool:
    """Give the reply; whether there was something to write it to. ``code``: what this process will end with."""
    data = text.encode("utf-8", "surrogateescape")
    if passed_on:
        data = b"%d %d\n%b" % (len(data), code, data)
    return _write(heard_at[0], data)


_unsaid = [True]
"""Emptied by whoever gives the reply: the process's own way through, or the watcher of code that does not end."""


def claim() -> None:
    """Take the word to give the reply: one thread of a process may, any other waits here for the end."""
    try:
        _unsaid.pop()
    except IndexError:
        while True:
            sleep(1)


def leave(code: int) -> NoReturn:
    """End at once: nothing is buffered, and tearing the interpreter down costs more than a hook's work."""
    _end(code)


def fail(code: int, message: str) -> NoReturn:
    """End with a message for whoever reads the log of a server or an action."""
    tell("error", message)
    leave(code)


LOG_VARIABLE = "AGENT_CONNECTOR_LOG"
LOG_LEVELS = ("silent", "error", "warn", "info", "debug")


def tell(level: str, message: str) -> None:
    """A line on standard error, unless the person wants to hear less (by default ``info`` and what is graver).
    For processes whose standard error somebody reads: never a hook's."""
    wanted = variable(LOG_VARIABLE)
    most = LOG_LEVELS.index(wanted) if wanted in LOG_LEVELS else LOG_LEVELS.index("info")
    if LOG_LEVELS.index(level) <= most:
        write(2, f"agent-connector: {message}\n")


def variable(name: str) -> str:
    """The value of an environment variable; ``""`` where it is not set."""
    if sys.platform == "win32":
        return system.environ.get(name.upper(), "")
    return system.environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def value_of(flag: str, words: list[str]) -> str:
    """The value of ``--flag value`` or ``--flag=value`` in ``words``; empty where there is none."""
    for index, word in enumerate(words):
        if word == flag and index + 1 < len(words):
            return words[index + 1]
        if word.startswith(flag + "="):
            return word[len(flag) + 1 :]
    return ""


def data_root_of(script: str) -> str:
    """The data root an entry runs in: ``<root>/runtime/<name>/entry/<verb>.py``, in either kind of slash."""
    for _ in range(4):
        script = script[: max(script.rfind("/"), script.rfind("\\"))]
    return script
