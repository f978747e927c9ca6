"""What can go wrong, as one tree.

::

    AgentConnectorError
    ├── ConnectorConfigError      a definition breaks its rules (all problems at once)
    ├── UsageError                what was asked for cannot be understood: unknown host, unknown connector
    ├── DocumentError             a config file does not parse (line, column)
    ├── ProofError                an edit could not prove itself: nothing was written
    ├── PlanChangedError          what would be done is no longer what was shown
    ├── LedgerError               the ledger is newer than this program, or cannot be used
    │   └── DamagedLedgerError    it cannot be read any more
    ├── TelemetryError            the telemetry database is newer than this program, or cannot be used
    │   └── DamagedTelemetryError it cannot be read any more
    ├── FileError                 a file cannot be read or written (or changed since it was read)
    ├── LockedError               another process is writing
    └── RuntimeBuildError         the home launcher or its runtime could not be made

Every error says what, where and what to do; ``code`` is stable and used in JSON and MCP output.
"""

from __future__ import annotations


class AgentConnectorError(Exception):
    """Base of everything we raise on purpose; ``hint`` says what to do about it."""

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class Problem:
    """One broken rule of a definition: ``path`` as the author spelled it (``server.env.DSN``, ``commands[0].name``),
    what is wrong, and what to do about it."""

    __slots__ = ("hint", "path", "reason")

    def __init__(self, path: str, reason: str, hint: str = "") -> None:
        self.path = _printable(path)
        self.reason = _printable(reason)
        self.hint = _printable(hint)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (self.path, self.reason, self.hint) == (other.path, other.reason, other.hint)

    def __hash__(self) -> int:
        return hash((self.path, self.reason, self.hint))

    def __str__(self) -> str:
        said = f"{self.path}: {self.reason}" if self.path else self.reason
        return f"{said} (hint: {self.hint})" if self.hint else said

    def __repr__(self) -> str:
        return f"Problem({self.path!r}, {self.reason!r}, {self.hint!r})"


def _printable(text: str) -> str:
    """What a definition says may hold anything; on a terminal it must not."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


class ConnectorConfigError(AgentConnectorError):
    """A definition that cannot be used. ``problems`` holds every broken rule, in the order of the definition.

    ``source`` names the file, where there is one; ``line`` and ``column`` count from 1 and are set where the file
    itself could not be read or run.
    """

    code = "definition-invalid"

    def __init__(
        self, problems: tuple[Problem, ...], *, source: str = "", line: int = 0, column: int = 0, hint: str = ""
    ) -> None:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        where = ":".join([source or "definition", *(str(number) for number in (line, column) if number)])
        super().__init__("\n".join([f"{where}: {count}", *(f"  {problem}" for problem in problems)]), hint=hint)
        self.problems = problems
        self.source = source
        self.line = line
        self.column = column


class UsageError(AgentConnectorError):
    code = "usage"


class DocumentError(AgentConnectorError):
    """A config file that does not parse; ``line`` and ``column`` count from 1."""

    code = "document-unparsable"

    def __init__(self, reason: str, *, line: int = 0, column: int = 0, hint: str = "") -> None:
        where = f"line {line}, column {column}: " if line else ""
        super().__init__(f"{where}{reason}", hint=hint)
        self.reason = reason
        self.line = line
        self.column = column


class ProofError(AgentConnectorError):
    code = "edit-unproven"


class PlanChangedError(AgentConnectorError):
    code = "plan-changed"


class LedgerError(AgentConnectorError):
    code = "ledger"


class DamagedLedgerError(LedgerError):
    """It cannot be read any more; ``doctor --heal`` sets it aside."""


class TelemetryError(AgentConnectorError):
    code = "telemetry"


class DamagedTelemetryError(TelemetryError):
    """It cannot be read any more; whoever opens it next sets it aside and reads the spool anew."""


class FileError(AgentConnectorError):
    """A file or folder that cannot be read or written; the message names it and the reason."""

    code = "file"


class FileChangedError(FileError):
    """A file is not any more what it was when the plan was made."""

    code = "file-changed"


class LockedError(AgentConnectorError):
    code = "locked"


class RuntimeBuildError(AgentConnectorError):
    code = "runtime"
