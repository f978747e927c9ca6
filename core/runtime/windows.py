"""Starting a program on Windows, where nothing can take over a process and ``npx`` is a batch file."""

from __future__ import annotations

import ntpath
from collections.abc import Mapping, Sequence

from .shell import command_line, windows_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen


def start(command: Sequence[str], environment: Mapping[str, str]) -> Popen[bytes]:
    """``command`` with pipes for its standard input and output.

    Raises ``FileNotFoundError`` where there is no such program.
    """
    import shutil
    import signal
    import subprocess

    program = shutil.which(command[0], path=environment.get("PATH"))
    if program is None:
        raise FileNotFoundError(command[0])
    # Ctrl-C reaches the server too, and the end is the server's to choose.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = process_line([program, *command[1:]], environment.get("COMSPEC", "cmd.exe"))
    return subprocess.Popen(line, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def process_line(argv: Sequence[str], comspec: str) -> str:
    """The line that ``CreateProcess`` takes: through ``comspec`` for a batch file, which is no program of its own."""
    if ntpath.splitext(argv[0])[1].lower() in (".cmd", ".bat"):
        return f'{windows_argument(comspec)} /d /s /c "{command_line(argv, "cmd")}"'
    return " ".join(windows_argument(word) for word in argv)
