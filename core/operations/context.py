"""What every operation is handed: the machine, the hosts there are, and a way to say how far it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..host import Catalogue
from ..machine import Machine
from ..values import frozen

Progress = Callable[[int, int, str], None]
"""(done, total, what is being done now)"""


def _silent(_done: int, _total: int, _message: str) -> None:
    return


@frozen
class Context:
    """``version`` is that of the running agent-connector."""

    machine: Machine
    catalogue: Catalogue
    version: str
    progress: Progress = _silent

    @property
    def data_root(self) -> Path:
        return Path(self.machine.data_root)
