"""Plans that were shown and may be applied: kept in the data root for an hour, so that a restarted server still
honours them. Nobody can apply what no earlier call returned."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any, Literal

from agent_connector.errors import PlanChangedError, UsageError
from agent_connector.runtime.records import make_private_folder, write_private
from agent_connector.values import frozen

FOLDER = "plans"
LIFETIME_SECONDS = 3600.0
_ID = re.compile(r"[0-9a-f]{16}")


@frozen
class Plan:
    """``stage`` ``code``: nothing is planned yet, the person shall first agree that ``code`` is run.

    ``arguments``: what was asked for, without what is left at its default; ``cwd`` is the folder that relative
    paths among them start from. ``fingerprint`` is the engine's own plan id. ``code``: definition file -> SHA-256
    of what the person agreed to run. ``files`` are (what happens, path); texts are masked already.
    """

    operation: str
    arguments: Mapping[str, Any]
    cwd: str
    stage: Literal["code", "plan"] = "plan"
    fingerprint: str = ""
    code: Mapping[str, str] = field(default_factory=dict)
    connector: str = ""
    commands: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    diff: str = ""
    id: str = ""
    made_at: float = 0.0
    applied: bool = False

    def require_same(self, operation: str, arguments: Mapping[str, Any]) -> None:
        """A plan is applied as it was shown. Arguments may be left out then, but not changed."""
        if operation != self.operation:
            raise UsageError(f"plan {self.id} is one of {self.operation}, not of {operation}")
        if self.applied:
            raise UsageError(f"plan {self.id} was applied already", hint="Call status to see what stands.")
        other = [name for name, value in arguments.items() if self.arguments.get(name) != value]
        if other:
            raise PlanChangedError(
                f"plan {self.id} was made for other arguments ({', '.join(sorted(other))})",
                hint=f"Call {operation} without plan_id to get a plan for these.",
            )


class PlanStore:
    def __init__(self, data_root: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = data_root / FOLDER
        self._now = now

    def put(self, plan: Plan) -> Plan:
        """The plan with the handle it is kept under. Raises ``OSError``."""
        make_private_folder(self._folder)
        self._drop_expired()
        kept = replace(plan, id=secrets.token_hex(8), made_at=self._now())
        self._write(kept)
        return kept

    def get(self, plan_id: str) -> Plan:
        """Raises :class:`UsageError` for a handle that no call of the last hour returned."""
        self._drop_expired()
        plan = self._read(plan_id) if _ID.fullmatch(plan_id) else None
        if plan is None or self._expired(plan):
            raise UsageError(
                f"no plan {plan_id!r}: plans are returned by a call without plan_id and live for an hour",
                hint="Call again without plan_id, show the person the plan, then pass its plan_id.",
            )
        return plan

    def mark_applied(self, plan: Plan) -> None:
        """What was asked for is forgotten (a definition may hold secrets); what was shown stays readable."""
        self._write(replace(plan, applied=True, arguments={}))

    def ids(self) -> tuple[str, ...]:
        """Handles of plans that can still be read, the newest first."""
        found = [self._read(path.stem) for path in self._folder.glob("*.json") if _ID.fullmatch(path.stem)]
        alive = [plan for plan in found if plan is not None and not self._expired(plan)]
        return tuple(plan.id for plan in sorted(alive, key=lambda plan: -plan.made_at))

    def _expired(self, plan: Plan) -> bool:
        return not 0 <= self._now() - plan.made_at <= LIFETIME_SECONDS

    def _drop_expired(self) -> None:
        for path in self._folder.glob("*.json"):
            plan = self._read(path.stem)
            if plan is None or self._expired(plan):
                path.unlink(missing_ok=True)

    def _path(self, plan_id: str) -> Path:
        return self._folder / f"{plan_id}.json"

    def _write(self, plan: Plan) -> None:
        write_private(self._path(plan.id), json.dumps(asdict(plan)).encode("utf-8"))

    def _read(self, plan_id: str) -> Plan | None:
        try:
            kept = json.loads(self._path(plan_id).read_bytes())
            plan = Plan(**{**kept, "commands": tuple(kept["commands"]), "files": tuple(map(tuple, kept["files"]))})
        except (OSError, ValueError, TypeError, KeyError):  # gone, or of another version of ours
            return None
        return plan if plan.id == plan_id else None
