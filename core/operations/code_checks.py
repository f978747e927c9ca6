"""Whether what host processes work by is there, and the code behind a status line and actions what it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..runtime.code_records import KINDS, check_code_record, python_entries
from ..runtime.handler_places import static_fault
from ..runtime.recorded_code import changed_files
from ..runtime.records import read_record
from ..runtime.serve_record import NAME as SERVE
from .context import Context
from .reports import Check

_NAMES = {"statusline": "status line code", "actions": "action code"}


def code_checks(connector: str, context: Context) -> Iterator[Check]:
    """Nothing of an author's is run. Faults first, else what has changed."""
    again = f"agent-connector upgrade {connector}"
    try:
        read_record(context.data_root, connector, name=SERVE)
    except ValueError as error:
        text = f"{error}: its calls are neither counted nor filtered"
        yield Check(connector, "server record", "fail", text, again, healable=True)
    for kind in KINDS:
        try:
            record = read_record(context.data_root, connector, name=kind)
            if record is not None:
                check_code_record(record)
        except ValueError as error:
            yield Check(connector, _NAMES[kind], "fail", f"{error}: none of it runs", again, healable=True)
            continue
        if record is None:
            continue
        faults = sorted({fault for entry in python_entries(record) if (fault := _fault_of(entry))})
        for fault in faults:
            yield Check(connector, _NAMES[kind], "fail", f"it cannot run: {fault}", f"Mend that, or {again}")
        changed = [file for file in changed_files(python_entries(record)) if Path(file).exists()]
        if changed and not faults:
            text = f"changed since it was installed: {', '.join(changed)}; what it is now runs"
            fix = f"{again} refreshes what is known of it"
            yield Check(connector, _NAMES[kind], "warn", text, fix, healable=True)


def _fault_of(entry: Mapping[str, Any]) -> str:
    handler = entry["handler"]
    file = handler.get("file", "")
    if not file:
        return f"no module {handler['module']} was found at install" if handler.get("module") else ""
    if "name" in handler:
        return static_fault(file, handler["name"])
    return "" if Path(file).is_file() else f"{file} does not exist"
