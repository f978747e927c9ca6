"""What works and what does not: one line per check, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agent_connector.operations.reports import Check, CheckStatus, DoctorReport

from ..terminal import Look, Role, visible, visible_lines

_LABELS: Mapping[CheckStatus, tuple[str, Role]] = {
    "pass": ("[pass]", "good"),
    "warn": ("[warn]", "change"),
    "fail": ("[FAIL]", "bad"),
}


def lines(report: DoctorReport, look: Look) -> Iterator[str]:
    by_subject: dict[str, list[Check]] = {}
    for check in report.checks:
        by_subject.setdefault(check.subject, []).append(check)
    for subject, checks in by_subject.items():
        yield look.paint(f"{visible(subject)}:", "strong")
        for check in checks:
            yield from _check(check, look)
        yield ""
    yield from _healing("Healing", report.healed)
    yield from _healing("Still failing", report.still_failing)
    yield from _healing("Left alone (yours to decide)", report.deferred)
    yield _tally(report.checks, look)


def _check(check: Check, look: Look) -> Iterator[str]:
    label, role = _LABELS[check.status]
    yield f"  {look.paint(label, role)} {visible(check.name)}: {look.prose(check.message)}"
    if check.fix and check.status != "pass":
        first, *more = visible_lines(check.fix)
        yield f"         fix: {first}"
        yield from (f"              {line}" for line in more)


def _healing(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"{title}:"
        yield from (f"  {visible(item)}" for item in items)
        yield ""


def _tally(checks: Sequence[Check], look: Look) -> str:
    counts = {status: sum(check.status == status for check in checks) for status in _LABELS}
    role: Role = "bad" if counts["fail"] else "change" if counts["warn"] else "good"
    warnings = f"{counts['warn']} warning{'' if counts['warn'] == 1 else 's'}"
    text = f"{counts['pass']} passed, {warnings}, {counts['fail']} failed."
    healable = any(check.healable and check.status != "pass" for check in checks)
    return look.paint(text, role) + (" `doctor --heal` can repair some of this." if healable else "")
