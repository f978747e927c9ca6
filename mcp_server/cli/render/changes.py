"""A plan, or what was done, for a person: one line per change, host by host; then diffs, next steps and the tally."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agent_connector.changes.model import Action, Change
from agent_connector.operations.reports import ChangeReport, FileDiff

from ..terminal import Look, Role, visible, visible_lines

MARKS: Mapping[Action, tuple[str, Role]] = {
    "create": ("+", "good"),
    "update": ("~", "change"),
    "remove": ("-", "bad"),
    "skip": ("=", "faint"),
    "warn": ("!", "change"),
    "info": ("i", "faint"),
}

_DONE: Mapping[Action, str] = {
    "create": "created",
    "update": "updated",
    "remove": "removed",
    "skip": "unchanged",
}
_TO_DO: Mapping[Action, str] = {
    "create": "to create",
    "update": "to update",
    "remove": "to remove",
    "skip": "unchanged",
}


def lines(report: ChangeReport, look: Look, names: Mapping[str, str], *, plan: bool = False) -> Iterator[str]:
    """``names``: host id -> the name people know it by. ``plan``: nothing was written yet; also show every
    file's diff and the commands."""
    subject = report.connector or "agent-connector"
    yield look.paint(f"{visible(report.operation)} {visible(subject)}", "strong")
    for host, changes in _by_host(report.changes).items():
        yield ""
        yield look.paint(_heading(host, names), "strong")
        for change in changes:
            yield from _change(change, look)
    if plan:
        yield from _diffs(report.diffs, look)
        yield from _listed("Commands that hosts will run", report.commands)
    yield from _listed("Next steps", report.next_steps)
    yield ""
    yield tally(report, look, plan=plan)


def tally(report: ChangeReport, look: Look, *, plan: bool = False) -> str:
    """One sentence: how it ended, and how many of each."""
    planned = plan or report.outcome == "planned"
    words, outcomes = (_TO_DO, _PLANS) if planned else (_DONE, _OUTCOMES)
    counts = report.counts()
    parts = [f"{counts[action]} {word}" for action, word in words.items() if counts.get(action)]
    warnings = counts.get("warn", 0)
    if warnings:
        parts.append(f"{warnings} warning{'s' if warnings > 1 else ''}")
    sentence, role = outcomes[report.outcome]
    return " ".join([look.paint(sentence, role), *([f"({', '.join(parts)})"] if parts else [])])


_OUTCOMES: Mapping[str, tuple[str, Role]] = {
    "unchanged": ("Nothing to do.", "good"),
    "done": ("Done.", "good"),
    "partial": ("Done in part: the lines marked ! say what is missing.", "bad"),
    "failed": ("Not done: the lines marked ! say why.", "bad"),
}
_PLANS: Mapping[str, tuple[str, Role]] = {
    "unchanged": ("Nothing to do.", "good"),
    "planned": ("This is a plan; nothing was written.", "strong"),
    "done": ("This is a plan; nothing was written.", "strong"),
    "partial": ("This is a plan; nothing was written. The lines marked ! cannot be done.", "bad"),
    "failed": ("This cannot be done; nothing was written. The lines marked ! say why.", "bad"),
}


def _by_host(changes: Sequence[Change]) -> dict[str, list[Change]]:
    """Within a host: what is written first, then what is not."""
    order = list(MARKS)
    hosts: dict[str, list[Change]] = {}
    for change in changes:
        hosts.setdefault(change.host, []).append(change)
    return {host: sorted(group, key=lambda one: max(2, order.index(one.action))) for host, group in hosts.items()}


def _heading(host: str, names: Mapping[str, str]) -> str:
    if not host:
        return "agent-connector"
    name = names.get(host, "")
    return f"{visible(name)} ({visible(host)})" if name else visible(host)


def _change(change: Change, look: Look) -> Iterator[str]:
    mark, role = MARKS[change.action]
    detail = look.prose(change.detail)
    path = look.path(change.path) if change.path else ""
    already_named = not path or path in detail or visible(change.path) in detail
    where = "" if already_named else look.paint(f"  {path}", "faint")
    yield f"  {look.paint(mark, role)} {visible(change.surface):<11} {detail}{where}"
    if change.fix:
        first, *more = visible_lines(change.fix)
        yield f"    {'':<11} fix: {first}"
        yield from (f"    {'':<11}      {line}" for line in more)


def _listed(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield ""
        yield f"{title}:"
        yield from (f"  {visible(item)}" for item in items)


def _diffs(diffs: Sequence[FileDiff], look: Look) -> Iterator[str]:
    for diff in diffs:
        yield ""
        note = " (new file)" if diff.created else " (deleted)" if diff.deleted else ""
        yield look.paint(f"{look.path(diff.path)}{note}", "strong")
        if diff.deleted:
            continue
        lines = list(diff_lines(diff.text, look))
        more = len(lines) - _OF_A_NEW_FILE if diff.created else 0
        yield from lines[:_OF_A_NEW_FILE] if more > 0 else lines
        if more > 0:
            yield look.paint(f"  ... {more} more line{'s' if more > 1 else ''} (--json has them)", "faint")


_OF_A_NEW_FILE = 12
"""Lines that are shown of a file that is wholly ours; of one that people also write, every changed line is shown."""


def diff_lines(text: str, look: Look) -> Iterator[str]:
    """A unified diff without the names of its files (they stand above it)."""
    in_body = False
    for line in visible_lines(text):
        in_body = in_body or line.startswith("@@")
        if in_body and line:
            role = _DIFF_ROLES.get(line[0])
            yield f"  {look.paint(line, role) if role else line}"


_DIFF_ROLES: Mapping[str, Role] = {"+": "add", "-": "drop", "@": "hunk"}
