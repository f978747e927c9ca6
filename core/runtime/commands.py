"""Programs that answer an event: started without ``subprocess``, fed, read, and ended when their time is up."""

from __future__ import annotations

import sys
from time import monotonic

from .limits import LateError
from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

OUTPUT_CAP = 16 << 20
"""Bytes a program may answer."""
_CHUNK = 65536
_LOOK_MS = 50
"""How often a program is looked at whose output is held open: by a child of its own that outlives it."""


class OutputError(Exception):
    """The program's answer is no answer."""


class Finished:
    """How a program ended: its exit code (negative: the signal that ended it) and what it wrote."""

    __slots__ = ("code", "stderr", "stdout")

    def __init__(self, code: int, stdout: bytes, stderr: bytes = b"") -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr


def run_program(
    words: list[str], data: bytes, seconds: float, log: int, *, environment: Any = None, keep_stderr: bool = False
) -> Finished:
    """Run ``words`` (searched in PATH) with ``data`` on its standard input.

    ``log``: the descriptor that takes its standard error, unless ``keep_stderr``. Whatever is left of it and its
    children's process group is killed when ``seconds`` are over. Raises ``OSError`` where it does not start,
    :class:`LateError`, :class:`OutputError`.
    """
    environment = system.environ if environment is None else environment
    if sys.platform == "win32":
        return _run_on_windows(words, data, seconds, log, environment, keep_stderr=keep_stderr)
    with _Program(words, log, environment, keep_stderr=keep_stderr) as program:
        return program.converse(data, monotonic() + seconds)


if sys.platform != "win32":
    import _signal  # type: ignore[import-not-found]  # no stubs

    class _Program:
        """A running program. Leaving the block without its exit code kills it with its process group."""

        def __init__(self, words: list[str], log: int, environment: Any, *, keep_stderr: bool) -> None:
            self._input, self._output, self._errors = -1, -1, -1
            self._code: int | None = None
            # Only noted until we can take the program along: we may be ended the moment it is there. (To block the
            # signal would not do: it would be taken by the thread that watches the time.)
            self._ended_early: list[bool] = []
            _signal.signal(_signal.SIGTERM, lambda *_: self._ended_early.append(True))
            pipes: list[int] = []

            def pipe() -> tuple[int, int]:
                ends = system.pipe()  # closed in every program that is started
                pipes.extend(ends)
                return ends

            try:
                read_input, self._input = pipe()
                self._output, write_output = pipe()
                write_errors = log
                if keep_stderr:
                    self._errors, write_errors = pipe()
                to = system.POSIX_SPAWN_DUP2
                self.pid = system.posix_spawnp(
                    words[0],
                    words,
                    environment,
                    file_actions=[(to, read_input, 0), (to, write_output, 1), (to, write_errors, 2)],
                    setpgroup=0,
                    # What the interpreter ignores for itself would stay ignored.
                    setsigdef=[_signal.SIGPIPE, _signal.SIGXFSZ],
                )
            except BaseException:
                _close(pipes)
                _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
                raise
            mine = {self._input, self._output, self._errors}
            _close(end for end in pipes if end not in mine)

        def __enter__(self) -> _Program:
            return self

        def __exit__(self, *_fault: object) -> None:
            _close(end for end in (self._input, self._output, self._errors) if end >= 0)
            if self._code is None:
                try:
                    system.kill(-self.pid, _signal.SIGKILL)
                    system.waitpid(self.pid, 0)
                except OSError:
                    pass
            _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)

        def converse(self, data: bytes, deadline: float) -> Finished:
            """Feed it and read it until it has ended and nothing more is to be read."""
            import select

            _signal.signal(_signal.SIGTERM, _interrupted)  # ended from outside, we take the program along
            if self._ended_early:
                raise KeyboardInterrupt
            chunks: dict[int, list[bytes]] = {self._output: [], self._errors: []}
            rest = memoryview(data)
            poll = select.poll()
            for end in (self._input, self._output, self._errors):
                if end >= 0:
                    system.set_blocking(end, False)
                    poll.register(end, select.POLLOUT if end == self._input else select.POLLIN)
            reading = {end for end in (self._output, self._errors) if end >= 0}
            while reading:
                ready = poll.poll(_until(deadline))
                for end, _ in ready:
                    if end == self._input:
                        rest = self._feed(rest)
                        if not rest:
                            poll.unregister(end)
                            _close((end,))
                            self._input = -1
                    elif self._read(end, chunks[end]) is None:
                        poll.unregister(end)
                        reading.discard(end)
                if not ready and self._ended():
                    for end in reading:  # what came between the look and the end
                        self._read(end, chunks[end])
                    break
            if self._input >= 0:  # it answered without reading all of it
                _close((self._input,))
                self._input = -1
            self._wait(deadline)
            assert self._code is not None
            return Finished(self._code, b"".join(chunks[self._output]), b"".join(chunks[self._errors]))

        def _feed(self, rest: memoryview) -> memoryview:
            try:
                return rest[system.write(self._input, rest[:_CHUNK]) :] if rest else rest
            except BlockingIOError:
                return rest
            except OSError:  # it does not read its input
                return rest[:0]

        def _read(self, end: int, chunks: list[bytes]) -> bool | None:
            """Take what is there; ``None`` at the end of it."""
            while True:
                try:
                    chunk = system.read(end, _CHUNK)
                except BlockingIOError:
                    return True
                if not chunk:
                    return None
                chunks.append(chunk)
                if sum(map(len, chunks)) > OUTPUT_CAP:
                    raise OutputError("the program's answer is too long")

        def _ended(self) -> bool:
            if self._code is None:
                pid, status = system.waitpid(self.pid, system.WNOHANG)
                if pid:
                    self._code = system.waitstatus_to_exitcode(status)
            return self._code is not None

        def _wait(self, deadline: float) -> None:
            import select

            pause = 1
            while not self._ended():
                select.poll().poll(min(pause, _until(deadline)))
                pause = min(pause * 2, _LOOK_MS)

    def _until(deadline: float) -> int:
        """Milliseconds to wait at a time. Raises :class:`LateError` when the time is up."""
        left = deadline - monotonic()
        if left <= 0:
            raise LateError
        return min(int(left * 1000) + 1, _LOOK_MS)

    def _interrupted(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    def _close(ends: Iterable[int]) -> None:
        for end in ends:
            try:  # noqa: SIM105 - contextlib costs half an interpreter's start
                system.close(end)
            except OSError:
                pass


def _run_on_windows(
    words: list[str], data: bytes, seconds: float, log: int, environment: Any, *, keep_stderr: bool
) -> Finished:
    import subprocess

    try:
        done = subprocess.run(
            words,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keep_stderr else log,
            env=dict(environment),
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LateError from None
    return Finished(done.returncode, done.stdout, done.stderr or b"")
