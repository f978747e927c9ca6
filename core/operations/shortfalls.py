"""What a connector asks for and a host does not have: told when it was installed, and by doctor again."""

from __future__ import annotations

from collections.abc import Iterable

from ..changes.ledger import Ledger
from ..errors import AgentConnectorError, UsageError
from .connectors import record_source, stored_record
from .context import Context
from .install import plan_install
from .reports import Check
from .requests import DoctorRequest
from .targets import installed_targets


def shortfalls(connector: str, request: DoctorRequest, ledger: Ledger, context: Context) -> Iterable[Check]:
    """One warning for each. By the record of the install: looking must not run the code of a definition. What became
    of things that were put in place is not told here."""
    try:
        record = stored_record(connector, context)
    except UsageError:
        return  # what is wrong with the file of a record is told before
    if record is None:
        return
    from ..authoring.records import from_record

    source = record_source(record)
    installs = [install for install in ledger.installs() if install.connector == connector]
    targets = installed_targets(installs, request.targets, request.scope, "", context)
    try:
        definition = from_record(record["connector"], source=source)
        plan = plan_install(definition, source, targets, ledger, context, force=False).plan
    except (AgentConnectorError, KeyError) as error:
        yield Check(connector, "record", "fail", f"its record is damaged: {error}", "Install the connector again")
        return
    in_place = {(row.path, row.place) for row in ledger.rows(connector=connector)}
    for change in plan.changes:
        of_a_surface = change.surface not in ("host", "connector", "runtime")
        if change.action == "warn" and of_a_surface and (change.path, change.place) not in in_place:
            taken = "present, but not ours: " if change.surface == "statusline" else ""
            yield Check(change.host, f"{connector} {change.surface}", "warn", taken + change.detail, change.fix)
