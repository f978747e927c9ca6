"""What every operation is handed: the machine, the hosts there are, and a way to say how far it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePath

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

    def project(self, text: str) -> PurePath:
        """The project's folder, by default where we are. It has one name, whatever way leads to it: hosts that keep
        something per project look it up by that, and so does the ledger."""
        folder = self.machine.path(text) if text else self.machine.cwd
        return type(folder)(_one_name(folder))

    def definition_file(self, text: str) -> Path:
        """What a person named as a definition, by one name. A link to a file stays what it is called."""
        path = Path(self.machine.path(text))
        return Path(_one_name(path)) if path.is_dir() else Path(_one_name(path.parent)) / path.name


def _one_name(folder: PurePath) -> str:
    # On Windows a real path may begin with another drive or a share's name, which no host would look up.
    return os.path.normpath(folder) if os.name == "nt" else os.path.realpath(folder)
