"""Running a host's command: closed stdin, a time limit, and nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Finished:
    command: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """stdout as one JSON document."""
        return json.loads(self.stdout)

    @property
    def json_lines(self) -> list[Any]:
        return [json.loads(line) for line in self.stdout.splitlines() if line.startswith("{")]

    def succeeded(self) -> Finished:
        """Itself, after asserting exit code 0 with everything that was printed in the message."""
        assert self.exit_code == 0, str(self)
        return self

    def __str__(self) -> str:
        return (
            f"$ {' '.join(self.command)}\nexit {self.exit_code}"
            f"\n--- stdout\n{self.stdout[-4000:]}\n--- stderr\n{self.stderr[-4000:]}"
        )


def run(command: Sequence[str], *, env: Mapping[str, str], cwd: Path, seconds: float) -> Finished:
    """Run to the end in a process group of its own; the group's leftovers (daemons of the host) are ended too."""
    with subprocess.Popen(
        list(command),
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            _end_group(process.pid)
            stdout, stderr = process.communicate()
            printed = f"--- stdout\n{stdout[-4000:]}\n--- stderr\n{stderr[-4000:]}"
            raise AssertionError(f"no end after {seconds} s: {' '.join(command)}\n{printed}") from None
        finally:
            _end_group(process.pid)
    return Finished(tuple(command), process.returncode, stdout, stderr)


def _end_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
