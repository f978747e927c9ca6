"""What becomes of a connector in each host, told before anything is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.authoring.events import HOOK_EVENTS
from agent_connector.errors import UsageError
from agent_connector.operations.context import Context
from agent_connector.operations.explain import explain
from agent_connector.operations.honor import DECISIONS, honor_rows
from agent_connector.operations.honor_grid import grid
from agent_connector.operations.reports import ExplainReport, ExplainRow, HonorRow
from agent_connector.operations.requests import ConnectorSource, ExplainRequest
from homes import ACME, Desk, snapshot

HOSTS = ("claude-code", "codex", "cursor")
EVERYTHING: dict[str, Any] = {
    **ACME,
    "actions": [{"id": "sync", "command": ["sync"]}, {"id": "wipe", "command": ["wipe"]}],
    "platforms": {
        "claude-code": {
            "config_patch": [{"key": "env.ACME_TEAM", "value": "1", "reason": "Acme needs its team mode"}],
        },
        "codex": {"native_hooks": {"Interrupt": {"command": ["log"]}}, "skills": False, "hooks": False},
        "cursor": {"server": False},
    },
}


@pytest.fixture
def explained(context: Context):
    def ask(definition: dict[str, Any] = EVERYTHING, **wishes: Any) -> ExplainReport:
        return explain(ExplainRequest(source=ConnectorSource(inline=definition), **wishes), context)

    return ask


@pytest.fixture
def row(explained):
    """The only row of a host's surface."""

    def find(host: str, surface: str, **wishes: Any) -> ExplainRow:
        found = [one for one in explained(**wishes).rows if (one.host, one.surface) == (host, surface)]
        assert len(found) == 1
        return found[0]

    return find


def test_every_declared_surface_has_one_row_in_every_host(explained) -> None:
    shared = {"server", "hooks", "commands", "skills", "subagents", "memory", "statusline", "actions"}
    own = {"claude-code": {"configPatch"}, "codex": {"nativeHooks"}, "cursor": set()}
    for host in HOSTS:
        rows = [one for one in explained().rows if one.host == host]
        assert {one.surface for one in rows} == shared | own[host]
        assert len(rows) == len(shared | own[host]) + 1  # two actions
    assert all(one.reason for one in explained().rows)


def test_surfaces_that_are_not_declared_have_no_rows(explained) -> None:
    report = explained({"id": "a", "version": "1", "memory": [{"content": "x"}]})
    assert {one.surface for one in report.rows} == {"memory"}
    assert report.honor == ()


def test_a_native_surface_says_where_it_will_stand(row, home: Path) -> None:
    found = row("claude-code", "server")
    assert found.support == "native"
    assert str(home / ".claude.json") in found.reason


def test_a_surface_that_the_host_lacks_is_skipped_with_the_reason(row) -> None:
    found = row("codex", "statusline")
    assert found == ExplainRow("codex", "statusline", "skip-warn", "Codex has no command statusline")


def test_a_surface_that_the_definition_switched_off_is_disabled(row) -> None:
    for host, surface in (("codex", "skills"), ("codex", "hooks"), ("cursor", "server")):
        found = row(host, surface)
        assert found.support == "disabled"
        assert f"platforms.{host}.{surface}" in found.reason


def test_each_action_has_a_row_that_says_how_to_run_it(explained) -> None:
    rows = [one for one in explained().rows if (one.host, one.surface) == ("codex", "actions")]
    assert [one.item for one in rows] == ["sync", "wipe"]
    for one in rows:
        assert one.support == "skip-warn"
        assert "agent-connector action codex" in one.reason


def test_what_becomes_another_kind_is_native_and_says_so(row) -> None:
    found = row("codex", "commands")
    assert found.support == "native"
    assert "each becomes a skill" in found.reason


def test_scope_counts(row) -> None:
    assert row("cursor", "statusline").support == "native"
    found = row("cursor", "statusline", scope="project")
    assert (found.support, found.reason) == ("skip-warn", "Cursor has no statusline at project scope")
    assert row("cursor", "memory").support == "skip-warn"
    assert row("cursor", "memory", scope="project").support == "native"


def test_the_scope_of_an_override_counts_where_none_is_asked_for(explained) -> None:
    definition = {
        "id": "a",
        "version": "1",
        "memory": [{"content": "x"}],
        "platforms": {"cursor": {"scope": "project"}},
    }
    supports = {one.host: one.support for one in explained(definition, targets=HOSTS).rows}
    assert supports == {"claude-code": "native", "codex": "native", "cursor": "native"}


def test_events_that_a_host_lacks_are_named(explained) -> None:
    definition = {"id": "a", "version": "1", "hooks": {"Stop": {"decision": "deny", "reason": "x"}, "Notification": {
        "decision": "context", "additional_context": "x"}}}  # fmt: skip
    rows = {one.host: one for one in explained(definition).rows}
    assert rows["codex"].support == "native"
    assert "Codex has no Notification event" in rows["codex"].reason
    only = {"id": "a", "version": "1", "hooks": {"Notification": definition["hooks"]["Notification"]}}
    assert {one.host: one.support for one in explained(only).rows}["codex"] == "skip-warn"


def test_targets_of_the_definition_narrow_and_named_hosts_decide(explained) -> None:
    definition = {"id": "a", "version": "1", "memory": [{"content": "x"}], "targets": ["codex"]}
    assert {one.host for one in explained(definition).rows} == {"codex"}
    assert {one.host for one in explained(definition, targets=("cursor",)).rows} == {"cursor"}


def test_unknown_hosts_are_named_with_the_nearest(explained) -> None:
    with pytest.raises(UsageError, match="claude-cod") as refused:
        explained(targets=("claude-cod",))
    assert "claude-code" in refused.value.hint


def test_nothing_is_written_and_nothing_of_the_machine_decides(explained, hosts: Path) -> None:
    """A broken settings file is a matter of installing."""
    before_breaking = explained()
    (hosts / ".claude" / "settings.json").write_text("{ broken")
    before = snapshot(hosts)
    assert explained() == before_breaking
    assert snapshot(hosts) == before


def test_explain_agrees_with_what_install_does(explained, desk: Desk, hosts: Path) -> None:
    """A surface is native where installing writes it, and nowhere else."""
    report = desk.install(EVERYTHING, targets=HOSTS)
    written = {(one.host, one.surface) for one in report.changes if one.action in ("create", "update")}
    # Cursor reads Claude Code's skills and subagents, so installing leaves one copy out.
    doubles = {(one.host, one.surface) for one in report.changes if one.action == "skip"}
    native = {(one.host, one.surface) for one in explained(targets=HOSTS).rows if one.support == "native"}
    # Code of a native hook is told of at a session's start if it cannot run: that hook is ours, not declared.
    assert native == (written | doubles) - {("codex", "hooks")}


def test_an_installed_connector_is_explained_without_running_its_code(
    desk: Desk, hosts: Path, project: Path, context: Context
) -> None:
    from agent_connector.operations.install import install
    from agent_connector.operations.requests import InstallRequest

    file = project / "agent-connector.config.py"
    file.write_text(
        "from agent_connector import define_connector\n"
        "connector = define_connector(id='acme', version='1', hooks={'Stop': lambda event: None})\n"
    )
    install(InstallRequest(source=ConnectorSource(path=str(file))), context)
    file.write_text("raise SystemExit('ran')\n")
    report = explain(ExplainRequest(source=ConnectorSource(id="acme")), context)
    supports = {(one.host, one.surface): one.support for one in report.rows}
    assert {supports[host, "hooks"] for host in HOSTS} == {"native"}


def test_an_unknown_connector_is_named_with_the_nearest(desk: Desk, hosts: Path, context: Context) -> None:
    desk.install()
    with pytest.raises(UsageError) as refused:
        explain(ExplainRequest(source=ConnectorSource(id="acme-bd")), context)
    assert "acme-db" in refused.value.hint


# --- what hosts make of answers --------------------------------------------------------------------------------


def cell(rows: tuple[HonorRow, ...], event: str, decision: str) -> HonorRow:
    (found,) = [one for one in rows if (one.event, one.decision) == (event, decision)]
    return found


@pytest.fixture(params=HOSTS)
def matrix(request: pytest.FixtureRequest) -> tuple[HonorRow, ...]:
    return honor_rows(request.param, BuiltinCatalogue())


def test_the_matrix_has_every_decision_at_every_event_of_the_host(matrix) -> None:
    catalogue = BuiltinCatalogue()
    events = catalogue.get(matrix[0].host).hooks.events  # type: ignore[union-attr]
    assert [(one.event, one.decision) for one in matrix] == [(event, said) for event in events for said in DECISIONS]


def test_whatever_is_not_honored_says_why(matrix) -> None:
    assert [one for one in matrix if one.verdict != "honored" and not one.why] == []


def test_an_allow_before_a_tool_call_is_told_to_be_no_opinion(matrix) -> None:
    assert cell(matrix, "PreToolUse", "allow").why.startswith("no opinion")


@pytest.mark.parametrize(
    ("host", "event", "decision", "verdict", "why"),
    [
        ("codex", "PreToolUse", "ask", "dropped", "THE TOOL RUNS"),
        ("codex", "UserPromptSubmit", "context", "honored", ""),
        ("claude-code", "Stop", "deny", "honored", "the turn goes on"),
        ("claude-code", "SubagentStart", "deny", "degraded", "as context"),
        ("cursor", "PostToolUseFailure", "deny", "degraded", "as context"),
        ("claude-code", "PermissionRequest", "ask", "honored", "own dialog asks"),
        ("cursor", "PostToolUse", "output", "honored", "for Shell: dropped"),
        ("claude-code", "PostToolUse", "output", "honored", "for other tools: dropped"),
    ],
)
def test_cells(host: str, event: str, decision: str, verdict: str, why: str) -> None:
    found = cell(honor_rows(host, BuiltinCatalogue()), event, decision)
    assert found.verdict == verdict
    assert why in found.why


def test_a_connector_is_told_of_its_own_events_only(explained) -> None:
    report = explained(targets=("claude-code",))
    assert dict.fromkeys(one.event for one in report.honor) == {"PreToolUse": None, "SessionStart": None}


def test_an_event_that_the_host_lacks_honors_nothing() -> None:
    rows = honor_rows("cursor", BuiltinCatalogue(), ["Notification"])
    assert {(one.verdict, one.why) for one in rows} == {("dropped", "Cursor has no Notification event")}


def test_conditions_under_which_hooks_run_are_told() -> None:
    assert "trusted" in cell(honor_rows("codex", BuiltinCatalogue()), "Stop", "deny").fires_when
    assert "never with -p" in cell(honor_rows("claude-code", BuiltinCatalogue()), "Notification", "deny").fires_when


def test_without_a_connector_the_named_hosts_are_told_in_full(context: Context) -> None:
    report = explain(ExplainRequest(targets=("codex",)), context)
    assert (report.connector, report.rows) == ("", ())
    assert {one.host for one in report.honor} == {"codex"}
    assert {one.event for one in report.honor} < set(HOOK_EVENTS)


def test_a_table_says_each_thing_once(matrix) -> None:
    table = grid(matrix)
    assert len(set(table.notes)) == len(table.notes)
    # Every cell leads back to what its row says.
    cells = [cell for line in table.lines for cell in line.cells]
    assert [cell.verdict for cell in cells] == [one.verdict for one in matrix]
    for made, one in zip(cells, matrix, strict=True):
        note = table.notes[made.note - 1] if made.note else ""
        assert note == one.why.replace(f" at {one.event}", " here")
