"""Every (event, decision) of both hosts: what the adapter's verdict promises is what the real host does.

The verdict is asked of ``format`` with the payload that the host really sent. "honored" means that the promised
effect is seen in what the model read and what reached the MCP server; "dropped" that nothing of the answer is seen
and the turn is as it would be without; "degraded" that the weaker effect named here is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import model_server
import pytest
from honor_scenes import DECISIONS, GRANT_CHANGED, ROWS, Cell, Scenes, Shown
from host_homes import ClaudeCode, Codex, Home
from installed_connector import ANSWERING, Installed

pytestmark = pytest.mark.real_host

AWKWARD = 'Zoë\'s $HOME & (café) "two"'
HOSTS = {"claude-code": ClaudeCode, "codex": Codex}
HOOKS = {host: import_module(f"agent_connector.adapters.{host.replace('-', '_')}.hooks") for host in HOSTS}

IN_A_TERMINAL = "PreToolUse in a terminal"
ONLY_IN_A_TERMINAL = {
    ("claude-code", "PermissionRequest"): "no dialog would open with -p",
    ("claude-code", "Notification"): "nobody is to be notified with -p",
    ("claude-code", IN_A_TERMINAL): "nobody can be asked with -p",
}
"""Rows that no headless run can show: they are seen in an interactive session."""

NOT_HAD = {
    ("codex", "PostToolUse of another tool"): "tools of a server and the shell are all it offers without login",
}
"""Rows that the host has nothing for."""

NOT_SHOWN = {
    ("codex", "PermissionRequest", "ask"): "the dialog of an interactive session: codex exec refuses in its place",
    ("claude-code", "PreCompact", "deny"): "a compaction by itself: the one that a person asked for is stopped",
}
"""Effects of which the cell shows the other half only."""


def cells() -> Iterator[Cell]:
    for host, hooks in HOOKS.items():
        for row, (event, _) in ROWS.items():
            if event in hooks.EVENTS and (host, row) not in NOT_HAD and row != IN_A_TERMINAL:
                yield from (Cell(host, row, decision) for decision in DECISIONS)
        yield Cell(host, "PermissionRequest", GRANT_CHANGED)
    yield Cell("claude-code", IN_A_TERMINAL, "ask")


def scene_of(cell: Cell) -> tuple[str, str]:
    if (cell.host, cell.row) in ONLY_IN_A_TERMINAL:
        return "terminal", ""
    if cell.event == "PreCompact" or (cell.event == "PostCompact" and cell.decision != "deny"):
        return "compaction", cell.decision
    if cell.event == "PostCompact":
        return "after compaction", cell.decision
    if (cell.event, cell.decision) == ("UserPromptSubmit", "deny"):
        return "prompt", cell.decision
    if (cell.host, cell.event, cell.decision) == ("codex", "SessionStart", "deny"):
        return "start", cell.decision
    return "turn", cell.decision


# --- effects -----------------------------------------------------------------------------------------------------


def heard(shown: Shown, cell: Cell) -> bool:
    return cell.said in ("\n".join(shown.children) if cell.event.startswith("Subagent") else shown.main)


def refused(shown: Shown, cell: Cell) -> bool:
    return not normal(shown, cell) and cell.said in "\n".join(shown.results) and not reached(shown, cell)


def reached(shown: Shown, cell: Cell) -> bool:
    """The call as the model made it came to the server."""
    return any(cell.where in call["arguments"]["sql"] for call in shown.turn.calls)


def changed_input_arrived(shown: Shown, cell: Cell) -> bool:
    if cell.row.endswith("a shell"):
        return cell.said in "\n".join(shown.results) and not normal(shown, cell)
    return cell.other_input in [call["arguments"] for call in shown.turn.calls] and not reached(shown, cell)


def asked_with_the_reason(shown: Shown, cell: Cell) -> bool:
    """A dialog about a call that is granted, and the call once the person said yes."""
    return "".join(cell.said.split()) in shown.screen and reached(shown, cell)


def never_read(shown: Shown, _cell: Cell) -> bool:
    return not shown.turn.requests


def went_on(shown: Shown, cell: Cell) -> bool:
    return heard(shown, cell) and not normal(shown, cell) and cell.event in shown.turn.events


def not_compacted(shown: Shown, _cell: Cell) -> bool:
    return "PostCompact" not in shown.turn.events and not shown.turn.requests


def output_replaced(shown: Shown, cell: Cell) -> bool:
    return any(cell.said in text for text in shown.results) and not normal(shown, cell)


def never_started(shown: Shown, _cell: Cell) -> bool:
    return not shown.children


def nothing_new(shown: Shown, cell: Cell) -> bool:
    return cell.said not in shown.read and normal(shown, cell)


Effect = Callable[[Shown, Cell], bool]

PROMISED_OF_DENY: dict[str, Effect] = {
    "PreToolUse": refused,
    "PermissionRequest": refused,
    "UserPromptSubmit": never_read,
    "SessionStart": never_read,
    "PostToolUse": heard,
    "Stop": went_on,
    "SubagentStart": never_started,
    "SubagentStop": went_on,
    "PreCompact": not_compacted,
}


def promised(cell: Cell) -> Effect:
    """What has to be seen where the verdict is "honored"."""
    if cell.decision == "allow":
        return reached if cell.event == "PermissionRequest" else nothing_new
    if cell.decision == "deny":
        return PROMISED_OF_DENY[cell.event]
    if cell.row == IN_A_TERMINAL:
        return asked_with_the_reason
    if cell.decision == "ask":
        # Headless nobody can be asked: Claude Code refuses the call with the reason. A permission request is a
        # question already, and stays one.
        return {"PreToolUse": refused, "PermissionRequest": nothing_new}[cell.event]
    return {
        "modify": changed_input_arrived,
        GRANT_CHANGED: changed_input_arrived,
        "context": heard,
        "output": output_replaced,
    }[cell.decision]


def guides_the_summary(shown: Shown, cell: Cell) -> bool:
    """The model that summarizes reads it; the conversation has it in what a person's /compact printed."""
    return cell.said in shown.turn.read and normal(shown, cell)


WEAKER: dict[tuple[str, str, str], Effect] = {
    ("claude-code", "PostToolUseFailure", "deny"): heard,
    ("claude-code", "SubagentStart", "deny"): heard,
    ("codex", "SubagentStart", "deny"): heard,
    ("claude-code", "PreCompact", "context"): guides_the_summary,
}
"""What has to be seen where the verdict is "degraded"."""


def normal(shown: Shown, cell: Cell) -> bool:
    """What is seen of a row's event where no hook answers."""
    turn = shown.turn
    match cell.row:
        case "SessionStart" | "UserPromptSubmit":
            return bool(shown.main)
        case "PreToolUse":
            return reached(shown, cell)
        case "PreToolUse of a shell" | "PostToolUse of a shell":
            return cell.where in [text.strip().rpartition("\n")[2] for text in shown.results]
        case "PostToolUse":
            return any(f'"rows":[["{cell.where}"]]' in text for text in shown.results)
        case "PostToolUse of another tool" | "PostToolUseFailure":
            return any(cell.where in text for text in shown.results)
        case "PermissionRequest" if cell.host == "codex":
            return any("requires approval" in text for text in shown.results) and not reached(shown, cell)
        case "PermissionRequest":
            return cell.decision in shown.dialogs and reached(shown, cell)
        case "Notification":
            (confirmed,) = (name for name, decision in shown.dialogs.items() if decision == cell.decision)
            return reached(shown, Cell(cell.host, "PermissionRequest", confirmed))
        case "Stop":
            return turn.events.count("Stop") == 1
        case "SubagentStart":
            return bool(shown.children)
        case "SubagentStop":
            return len(shown.children) == 1
        case "PreCompact":
            return "PostCompact" in turn.events
        case "PostCompact" | "SessionEnd":
            return cell.event in turn.events and turn.finished.exit_code == 0
    raise AssertionError(cell.row)


# --- the tests ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Scenes]]:
    """The scenes of a host: one home with an awkward name, into which the connector is installed once."""
    with model_server.serving() as first, model_server.serving() as second:
        models = iter((first, second))
        made: dict[str, Scenes] = {}

        def of(host: str) -> Scenes:
            if host not in made:
                home = Home(tmp_path_factory.mktemp(host) / AWKWARD).create()
                connector = Installed(HOSTS[host](home, next(models)), home.path / "the connector")
                made[host] = Scenes(connector.define(dict.fromkeys(HOOKS[host].EVENTS, ANSWERING)))
            return made[host]

        yield of


def by_scene() -> dict[tuple[str, str, str], list[Cell]]:
    found: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells():
        found.setdefault((cell.host, *scene_of(cell)), []).append(cell)
    return found


@pytest.mark.parametrize(
    ("host", "kind", "decision", "shown_cells"),
    [
        pytest.param(*scene, shown, id="-".join(filter(None, scene)).replace(" ", "-"))
        for scene, shown in sorted(by_scene().items(), key=lambda item: item[0][1] != "terminal")  # the longest first
    ],
)
def test_the_host_does_what_the_verdicts_say(
    host: str, kind: str, decision: str, shown_cells: list[Cell], scenes: Callable[[str], Scenes]
) -> None:
    shown = scenes(host).shown(kind, decision)

    disagreements = {
        f"{cell.decision} at {cell.row}": disagreement
        for cell in shown_cells
        if (disagreement := disagreement_of(cell, shown))
    }

    assert disagreements == {}, f"the models read\n{shown.read[-9000:]}"


def disagreement_of(cell: Cell, shown: Shown) -> str:
    """What the verdict promises and the host did not do, or ``""``."""
    payload = shown.turn.payload(cell.event, cell.where)
    reply = HOOKS[cell.host].format(cell.event, cell.answer, payload)
    if reply.verdict == "dropped":
        effect: Effect = nothing_new
    elif reply.verdict == "degraded":
        effect = WEAKER[cell.host, cell.row, cell.decision]
    else:
        effect = promised(cell)
    return "" if effect(shown, cell) else f"{reply.verdict} ({reply.why}), but not {effect.__name__}"


def test_every_event_and_decision_is_shown_or_said_to_be_not_had() -> None:
    shown = {(cell.host, cell.event, cell.decision) for cell in cells()}
    assert shown >= {
        (host, event, decision) for host, hooks in HOOKS.items() for event in hooks.EVENTS for decision in DECISIONS
    }
    assert {(cell.host, cell.row) for cell in cells()} >= set(ONLY_IN_A_TERMINAL)
    assert {(cell.host, cell.row, cell.decision) for cell in cells()} >= {*NOT_SHOWN, *WEAKER}
