"""What stands between a report and a screen: colour only where it is useful, names that cannot play tricks, and a
reader who may have gone away."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Literal, TextIO

from agent_connector.errors import AgentConnectorError
from agent_connector.values import frozen

Role = Literal["good", "change", "bad", "faint", "strong", "add", "drop", "hunk"]

_CODES: Mapping[Role, str] = {
    "good": "32",
    "change": "33",
    "bad": "31",
    "faint": "2",
    "strong": "1",
    "add": "32",
    "drop": "31",
    "hunk": "36",
}


@frozen
class Look:
    """How text shall look: with colour or without, which folder is written ``~``, and whether there are symbols
    beyond ASCII."""

    colour: bool = False
    home: str = ""
    symbols: bool = True

    def paint(self, text: str, role: Role) -> str:
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.colour and text else text

    def path(self, path: str) -> str:
        """The path as people write it, safe to show."""
        for separator in ("/", "\\"):
            if self.home and path.startswith(self.home + separator):
                return visible("~" + path[len(self.home) :])
        return visible(path)

    def prose(self, text: str) -> str:
        """A sentence that may name such paths, safe to show."""
        for separator in ("/", "\\"):
            text = text.replace(self.home + separator, "~" + separator) if self.home else text
        return visible(text)


def look_of(stream: TextIO | None, env: Mapping[str, str], home: str = "") -> Look:
    """Colour on a terminal, unless the person said no (https://no-color.org) or the terminal cannot."""
    attached = stream is not None and not stream.closed and stream.isatty()
    return Look(attached and not env.get("NO_COLOR") and env.get("TERM") != "dumb", home, _can_write(stream, "✓✗"))


def _can_write(stream: TextIO | None, text: str) -> bool:
    try:
        text.encode((stream.encoding if stream is not None else None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def visible(text: str) -> str:
    """The text in one line, with control characters (also those that reverse the reading direction) written out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _written_out(char) for char in text)


def _written_out(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible_lines(text: str) -> list[str]:
    """Text of several lines, as lines that are safe to show; tabs stay, line ends of either kind go."""
    return [
        "\t".join(visible(part) for part in line.removesuffix("\r").split("\t"))
        for line in text.removesuffix("\n").split("\n")
    ]


def say(lines: Iterable[str]) -> None:
    """Print to standard output. A reader that has gone away (``| head -1``) is no fault of the operation's; a full
    disk raises :class:`AgentConnectorError`."""
    _write(sys.stdout, lines)


def say_aside(lines: Iterable[str]) -> None:
    """Print to standard error."""
    _write(sys.stderr, lines)


def _write(stream: TextIO | None, lines: Iterable[str]) -> None:
    if stream is None or stream.closed:
        return
    text = "".join(f"{line}\n" for line in lines)
    try:
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError as problem:
        _discard(stream)
        reader_is_gone = (
            isinstance(problem, BrokenPipeError) or problem.errno == errno.EINVAL
        )  # the latter on Windows
        if not reader_is_gone:
            raise AgentConnectorError(f"the output cannot be written: {problem.strerror}") from problem


def _discard(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that the interpreter's last flush does not complain."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def is_interactive() -> bool:
    """Whether there is a person to ask: both ends are a terminal."""
    return all(stream is not None and not stream.closed and stream.isatty() for stream in (sys.stdin, sys.stdout))


def columns(rows: Iterable[tuple[str, ...]], gap: int = 2) -> list[str]:
    """Rows as left-aligned columns; the last one runs free."""
    table = list(rows)
    if not table:
        return []
    widths = [max(len(row[index]) for row in table) for index in range(len(table[0]) - 1)]
    return [
        "".join(cell.ljust(width + gap) for cell, width in zip(row[:-1], widths, strict=True)) + row[-1]
        for row in table
    ]
