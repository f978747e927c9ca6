"""Which code of an author's an operation would run before anything is planned: definitions that are Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agent_connector.errors import FileError, PlanChangedError

if TYPE_CHECKING:
    from agent_connector.operations.context import Context
    from agent_connector.operations.requests import ConnectorSource

    from .wishes import Wish


def code_to_run(operation: str, wish: Wish, meant: ConnectorSource, context: Context) -> dict[str, str]:
    """File -> SHA-256 of each Python definition that would be run. Reading only."""
    from agent_connector.authoring.loading import executes_code

    files = (path for path in _definitions(operation, wish, meant, context) if executes_code(path))
    return {str(path): digest(path) for path in sorted(set(files)) if path.is_file()}


def _definitions(operation: str, wish: Wish, meant: ConnectorSource, context: Context) -> Iterable[Path]:
    from agent_connector.authoring.loading import find_definition
    from agent_connector.runtime.records import list_records

    installed = list_records(context.data_root)
    if operation == "doctor":
        # Repairs load the connectors they are about; looking, also with a live probe, does not.
        return _recorded([meant.id] if meant.id else installed, context) if wish.heal else ()
    if meant.inline is not None or (meant.id and operation == "uninstall"):
        return ()
    if meant.id:
        return _recorded([meant.id], context)
    given = Path(context.machine.path(meant.path)) if meant.path else Path(context.machine.cwd)
    found = find_definition(given) if given.is_dir() else given
    return [found] if found else _recorded(installed, context)


def _recorded(connectors: Iterable[str], context: Context) -> list[Path]:
    from agent_connector.operations.connectors import record_source, stored_record

    records = [stored_record(connector, context) for connector in connectors]
    sources = [record_source(record) for record in records if record is not None]
    return [Path(source) for source in sources if source]


def digest(path: Path) -> str:
    from hashlib import sha256

    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from error


def require_unchanged(code: Mapping[str, str]) -> None:
    """What is run is what was agreed to. Raises :class:`PlanChangedError`."""
    changed = [path for path, agreed in code.items() if digest(Path(path)) != agreed]
    if changed:
        raise PlanChangedError(
            f"{', '.join(changed)} changed since it was agreed to", hint="Call again without plan_id."
        )
