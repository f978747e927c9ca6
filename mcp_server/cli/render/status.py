"""What is installed where: one line per host."""

from __future__ import annotations

from collections.abc import Iterator

from agent_connector.operations.reports import HookState, HostStatus, StatusReport, SurfaceState

from ..terminal import Look, Role, columns, visible


def lines(report: StatusReport, look: Look) -> Iterator[str]:
    if report.hosts:
        yield from columns([(visible(host.name), visible(host.id), _installed(host, look)) for host in report.hosts])
    else:
        yield "No AI coding agent found, and nothing of ours is installed."
    hooks = [(host, state) for host in report.hosts for state in host.hooks]
    if hooks:
        yield ""
        yield "Hooks:"
        yield from columns(
            [(f"  {visible(host.name)}", visible(state.connector), _hooks(state, look)) for host, state in hooks]
        )
    if report.launcher:
        yield ""
        version = f" (runtime {visible(report.runtime_version)})" if report.runtime_version else ""
        yield f"Launcher: {look.path(report.launcher)}{version}"
    problems = [look.prose(problem) for problem in report.problems]
    problems += [
        _problem(host, state, look) for host in report.hosts for state in host.surfaces if state.state in _SAID
    ]
    if problems:
        yield ""
        yield from (f"{look.paint('!', 'change')} {problem}" for problem in problems)


def _problem(host: HostStatus, state: SurfaceState, look: Look) -> str:
    what = f"{visible(host.name)}: {visible(state.surface)} of {visible(state.connector)}"
    detail = f" ({look.prose(state.detail)})" if state.detail else ""
    return f"{what} {_SAID[state.state]} {look.path(state.path)}{detail}"


def _hooks(state: HookState, look: Look) -> str:
    """``3 events, last PreToolUse at 2026-11-30 16:29 UTC, 2 faults, BROKEN: PreToolUse``"""
    texts = [_counted(len(state.events), "event")]
    if state.last_fired:
        texts.append(f"last {visible(state.last_event)} at {_moment(state.last_fired)}")
    else:
        texts.append(look.paint("none seen to fire yet", "faint"))
    if state.faults:
        texts.append(look.paint(_counted(state.faults, "fault"), "change"))
    if state.broken:
        texts.append(look.paint(f"BROKEN: {', '.join(map(visible, state.broken))}", "bad"))
    return ", ".join(texts)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _moment(iso: str) -> str:
    return f"{visible(iso[:16].replace('T', ' '))} UTC"


_SAID = {
    "changed": "was changed by somebody in",
    "vanished": "has vanished from",
    "unreadable": "cannot be read in",
}


def _installed(host: HostStatus, look: Look) -> str:
    if not host.surfaces:
        return look.paint("nothing of ours" if host.installed else "not found", "faint")
    by_connector: dict[str, list[SurfaceState]] = {}
    for surface in host.surfaces:
        by_connector.setdefault(surface.connector, []).append(surface)
    texts = [f"{visible(connector)}: {_surfaces(states, look)}" for connector, states in by_connector.items()]
    return "; ".join(texts) + ("" if host.installed else "  (host not found)")


_MARKS: dict[str, tuple[str, Role]] = {
    "present": ("", "good"),
    "changed": (" CHANGED", "change"),
    "vanished": (" VANISHED", "bad"),
    "unreadable": (" UNREADABLE", "bad"),
}


def _surfaces(states: list[SurfaceState], look: Look) -> str:
    """``server, hooks x3, memory CHANGED (project)``: equal ones are counted."""
    counted: dict[tuple[str, str, str], int] = {}
    for state in states:
        key = (state.surface, state.state, "" if state.scope == "user" else state.scope)
        counted[key] = counted.get(key, 0) + 1
    texts = []
    for (surface, standing, scope), count in counted.items():
        word, role = _MARKS[standing]
        times = f" x{count}" if count > 1 else ""
        texts.append(look.paint(f"{visible(surface)}{times}{word}", role) + (f" ({scope})" if scope else ""))
    return ", ".join(texts)
