"""The server's log in the data root, for what nobody can be told otherwise. Standard output belongs to the
protocol."""

from __future__ import annotations

import contextlib
import time
import traceback
from pathlib import Path

from agent_connector.runtime.records import make_private_folder

FILE_NAME = "mcp-server.log"
LONGEST = 1_000_000
"""Bytes; then the log is put aside (in place of the one that was put aside before) and a new one begun."""


class Log:
    def __init__(self, data_root: Path) -> None:
        self.file = data_root / "logs" / FILE_NAME

    def fault(self, error: BaseException) -> str:
        """Keep a traceback; answers where it is kept."""
        return self.write("".join(traceback.format_exception(error)))

    def write(self, text: str) -> str:
        """One entry; answers the file, or why there is none. A log that cannot be written stops nothing."""
        try:
            make_private_folder(self.file.parent)
            with contextlib.suppress(FileNotFoundError):
                if self.file.stat().st_size > LONGEST:
                    self.file.replace(self.file.with_suffix(".log.1"))
            self.file.touch(mode=0o600)
            with self.file.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text.rstrip()}\n")
        except OSError as unwritable:
            return f"{self.file} ({unwritable.strerror})"
        return str(self.file)
