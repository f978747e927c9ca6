"""A host's own screen: the program runs in a pseudo-terminal, and what it draws is waited for."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ENTER = "\r"
ROWS, COLUMNS = 50, 160
LOOK_SECONDS = 0.2
"""How long it is looked at the screen before it is asked again whether what was waited for is there."""

_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_=>]|[\x00-\x08\x0b-\x1f]"
)


class Terminal:
    """What a program draws, and the keys it is given."""

    def __init__(self, master: int) -> None:
        self._master = master
        self._drawn = b""

    @property
    def text(self) -> str:
        """Everything that was drawn so far, frame behind frame, without colours and movements of the cursor. Words
        may stand together: a program may move over blanks."""
        return _CONTROL.sub("", self._drawn.decode("utf-8", "replace"))

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def read_for(self, seconds: float) -> bool:
        """Take what is drawn in that time; false where the program has ended."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self._master], [], [], left)[0]:
                return True
            try:
                chunk = os.read(self._master, 65536)
            except OSError:  # nobody has the other side any more
                return False
            if not chunk:
                return False
            self._drawn += chunk
        return True

    def wait(self, there: Callable[[], object], seconds: float) -> None:
        """Read until ``there`` answers yes."""
        deadline = time.monotonic() + seconds
        while not there():
            if time.monotonic() > deadline or not self.read_for(LOOK_SECONDS):
                raise AssertionError(f"not on the screen after {seconds} s:\n{self.text[-4000:]}")


@contextmanager
def running(command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> Iterator[Terminal]:
    """The program in a terminal of its own; it is ended with all it started when the block is left."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        list(command),
        env={**env, "TERM": "xterm-256color"},
        cwd=cwd,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield Terminal(master)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(master)
