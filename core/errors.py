"""What can go wrong, as one tree.

::

    AgentConnectorError
    ├── ConnectorConfigError      a definition breaks its rules (all problems at once)
    ├── UsageError                what was asked for cannot be understood: unknown host, unknown connector
    ├── DocumentError             a config file does not parse (line, column)
    ├── ProofError                an edit could not prove itself: nothing was written
    ├── PlanChangedError          what would be done is no longer what was shown
    ├── LedgerError               the ledger is newer than this program, or damaged
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


class RuntimeBuildError(AgentConnectorError):
    code = "runtime"
