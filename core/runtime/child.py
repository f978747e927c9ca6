"""A server as a child of this process: started before anything else is looked at, its end handed on as our own."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # not signal, which makes enums of its numbers; no stubs
import os

from .process import leave, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import NoReturn

_NOT_A_PROGRAM = 8  # ENOEXEC, the same number on every POSIX system; the module errno is not loaded here
_LEAVES_A_CORE = ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGQUIT", "SIGSEGV", "SIGSYS", "SIGTRAP")


class Child:
    """A running server: ``stdin`` and ``stdout`` are our ends of its pipes; standard error is the host's own."""

    __slots__ = ("pid", "stdin", "stdout")

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout


def start(command: list[str], environment: Mapping[str, str]) -> Child:
    """Raises ``OSError`` as the system gives it, ``FileNotFoundError`` where there is no such program."""
    _take_standard_places()
    its_input, ours = system.pipe()  # closed in every program that is started
    mine, its_output = system.pipe()
    pid = _spawned(
        command,
        dict(environment),
        [(system.POSIX_SPAWN_DUP2, its_input, 0), (system.POSIX_SPAWN_DUP2, its_output, 1)],
    )
    system.close(its_input)
    system.close(its_output)
    return Child(pid, ours, mine)


def _take_standard_places() -> None:
    """A host that gave no standard input or output left a place for the first file that is opened: no pipe of ours
    may land there."""
    for number in (0, 1, 2):
        try:
            system.fstat(number)
        except OSError:
            system.open("/dev/null", system.O_RDWR)  # the lowest place that is free


def _spawned(command: list[str], environment: dict[str, str], actions: list[tuple[int, int, int]]) -> int:
    refused: OSError | None = None
    for path in places(command[0], environment):
        try:
            return _spawn(path, command, environment, actions)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            if error.errno == _NOT_A_PROGRAM:
                # A script without a first line that names its interpreter: what starts programs gives it to sh.
                return _spawn("/bin/sh", ["/bin/sh", path, *command[1:]], environment, actions)
            refused = refused or error
    raise refused or FileNotFoundError(command[0])


def _spawn(path: str, command: list[str], environment: dict[str, str], actions: list[tuple[int, int, int]]) -> int:
    # What the interpreter ignores for itself would stay ignored.
    ours = [_signal.SIGPIPE, _signal.SIGXFSZ]
    return system.posix_spawn(path, command, environment, file_actions=actions, setsigdef=ours)


def become(command: list[str], environment: dict[str, str]) -> NoReturn:
    """Turn this process into the command. Raises ``OSError`` as the system gives it."""
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
    refused: OSError | None = None
    for path in places(command[0], environment):
        try:
            os.execve(path, command, environment)  # noqa: S606 - no shell is the point
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            if error.errno == _NOT_A_PROGRAM:
                os.execve("/bin/sh", ["/bin/sh", path, *command[1:]], environment)  # noqa: S606
            refused = refused or error
    raise refused or FileNotFoundError(command[0])


def places(name: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Where the system looks for a program of this name, in order."""
    if "/" in name:
        yield name
        return
    for folder in environment.get("PATH", os.defpath).split(":"):
        yield f"{folder or '.'}/{name}"


def end_as(status: int) -> NoReturn:
    """End as the child did: with its exit code, or by the signal that ended it."""
    code = system.waitstatus_to_exitcode(status)
    if code >= 0:
        leave(code)
    number = -code
    if number in [getattr(_signal, name, 0) for name in _LEAVES_A_CORE]:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number != _signal.SIGKILL:
        _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [number])
    system.kill(system.getpid(), number)
    leave(128 + number)
