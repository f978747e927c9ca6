"""Doctor and status on hooks: what keeps them from running, what went wrong, and what never came."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from agent_connector.changes.ledger import Ledger
from agent_connector.errors import UsageError
from agent_connector.operations.context import Context
from agent_connector.operations.doctor import doctor
from agent_connector.operations.install import install
from agent_connector.operations.reports import ChangeReport, Check, HookState
from agent_connector.operations.requests import (
    ConnectorSource,
    DoctorRequest,
    InstallRequest,
    SimulateRequest,
    StatusRequest,
)
from agent_connector.operations.simulate import simulate
from agent_connector.operations.status import status
from agent_connector.runtime.hook_log import handler_key, log_fault, mark
from agent_connector.runtime.spool import append_row
from homes import snapshot, trust_codex_hooks

STATIC: dict[str, Any] = {"PreToolUse": {"matcher": "acme_write", "decision": "ask", "reason": "Sure?"}}
RULES = "def guard(event): ...\n\ndef greet(event): ...\n"


@pytest.fixture
def installed(context: Context, hosts: Path, project: Path) -> Callable[..., ChangeReport]:
    """Installs ``acme`` with these hooks from the project, trusted in Codex."""

    def installing(hooks: dict[str, Any], *, trust: bool = True, **wishes: Any) -> ChangeReport:
        definition = project / "agent-connector.config.json"
        definition.write_text(json.dumps({"id": "acme", "version": "1.0.0", "hooks": hooks}), encoding="utf-8")
        report = install(InstallRequest(source=ConnectorSource(path=str(definition)), **wishes), context)
        if trust and (hosts / ".codex" / "hooks.json").exists():
            trust_codex_hooks(hosts)
        return report

    return installing


@pytest.fixture
def checks(context: Context) -> Callable[..., dict[str, Check]]:
    """What doctor says of one host's hooks (``acme`` for the connector itself): name -> check, the connector's id cut
    off."""

    def looking(subject: str = "claude-code", **wishes: Any) -> dict[str, Check]:
        report = doctor(DoctorRequest(**wishes), context)
        found = [check for check in report.checks if check.subject == subject]
        names = [check.name.removeprefix("acme ") for check in found]
        assert len(names) == len(set(names)), names
        return dict(zip(names, found, strict=True))

    return looking


def hooks_of(context: Context, host: str = "claude-code") -> HookState:
    (found,) = [one for one in status(StatusRequest(), context).hosts if one.id == host]
    (state,) = found.hooks
    return state


def installed_ago(context: Context, **ago: float) -> None:
    """As if everything had been installed then."""
    moment = (datetime.now(UTC) - timedelta(**ago)).isoformat(timespec="seconds")
    with Ledger.open(context.data_root, create=True) as ledger:
        for one in ledger.installs():
            ledger.put_install(replace(one, installed_at=moment))


def fired(
    context: Context, event: str, host: str = "claude-code", connector: str = "acme", hours_ago: float = 0
) -> None:
    row = {
        "t": int((time.time() - hours_ago * 3600) * 1000),
        "scope": "hook",
        "connector": connector,
        "host": host,
        "event": event,
    }
    assert append_row(str(context.data_root), {**row, "inb": 1, "outb": 1, "verdict": "honored", "ms": 1.0})


# --- all is well -----------------------------------------------------------------------------------------------


def test_hooks_that_run_are_one_line_per_host(installed: Any, checks: Any, context: Context) -> None:
    installed(STATIC)
    for host in ("claude-code", "codex", "cursor"):
        found = checks(host)
        assert set(found) == {"hooks", "hook calls"}
        assert found["hook calls"].status == "pass"
        assert found["hook calls"].message == "1 event registered; installed less than an hour ago"


def test_a_connector_without_hooks_is_not_spoken_of(context: Context, hosts: Path, checks: Any) -> None:
    source = ConnectorSource(inline={"id": "acme", "memory": [{"content": "Know this."}]})
    install(InstallRequest(source=source), context)
    assert set(checks()) == {"memory"}
    assert "hook record" not in checks("acme")


def test_looking_changes_nothing(installed: Any, checks: Any, hosts: Path, context: Context) -> None:
    installed({"PreToolUse": {"command": ["no-such-program"]}})
    before, data = snapshot(hosts), sorted(context.data_root.rglob("*"))
    checks()
    hooks_of(context)
    assert snapshot(hosts) == before
    assert [path for path in sorted(context.data_root.rglob("*")) if path not in data] == []


# --- handlers --------------------------------------------------------------------------------------------------


def test_a_handler_whose_file_is_gone_is_a_failure_that_names_it(
    installed: Any, checks: Any, project: Path, context: Context
) -> None:
    rules = project / "rules.py"
    rules.write_text(RULES)
    installed({"PreToolUse": {"handler": "./rules.py:guard"}, "Stop": {"handler": "./rules.py:greet"}})
    assert "hook handlers" not in checks()
    rules.unlink()

    report = doctor(DoctorRequest(), context)
    broken = [check for check in report.checks if check.name == "acme hook handlers" and check.subject == "cursor"]
    assert [check.status for check in broken] == ["fail", "fail"]
    assert broken[0].message == f"the handler of PreToolUse does not run: {rules}:guard: {rules} does not exist"
    assert "agent-connector upgrade acme" in broken[0].fix
    assert report.exit_code == 1
    assert hooks_of(context).broken == ("PreToolUse", "Stop")


@pytest.mark.parametrize(
    ("text", "why"),
    [("def guard(:", "is not valid Python"), ("def other(event): ...", "defines no guard")],
)
def test_a_handler_is_looked_at_and_never_run(
    installed: Any, checks: Any, project: Path, tmp_path: Path, text: str, why: str
) -> None:
    rules, ran = project / "rules.py", tmp_path / "ran"
    rules.write_text(RULES)
    installed({"PreToolUse": {"handler": "./rules.py:guard"}})
    rules.write_text(f"open({str(ran)!r}, 'w')\n{text}\n")

    assert why in checks()["hook handlers"].message
    assert not ran.exists()


def test_a_handler_that_could_not_be_started_fails_until_something_of_it_changes(
    installed: Any, checks: Any, project: Path, context: Context
) -> None:
    rules = project / "rules.py"
    rules.write_text("import no_such_module\n" + RULES)
    installed({"PreToolUse": {"handler": "./rules.py:guard"}})
    assert "hook handlers" not in checks(), "it cannot be seen from outside"
    key = handler_key("claude-code", "PreToolUse", 0)
    time.sleep(0.01)
    mark(str(context.data_root), "acme", key, broken=True)

    found = checks()["hook handlers"]
    assert found.status == "fail"
    assert f"since {datetime.now(UTC):%Y-%m-%d}" in found.message
    assert "could not be started the last time" in found.message
    assert "hook handlers" not in checks("codex"), "it was never needed there"

    time.sleep(0.01)
    rules.write_text(RULES)
    assert "hook handlers" not in checks(), "mended, as far as can be seen"

    time.sleep(0.01)
    mark(str(context.data_root), "acme", key, broken=True)
    assert checks()["hook handlers"].status == "fail", "it was tried again, in vain"


def test_since_when_is_that_of_the_first_failure(
    installed: Any, checks: Any, project: Path, context: Context
) -> None:
    (project / "rules.py").write_text(RULES)
    installed({"PreToolUse": {"handler": "./rules.py:guard"}})
    key = handler_key("claude-code", "PreToolUse", 0)
    mark(str(context.data_root), "acme", key, broken=True)
    held = context.data_root / "connectors" / "acme" / "unloadable" / key
    first = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    held.write_text(str(int(first.timestamp() * 1000)))
    mark(str(context.data_root), "acme", key, broken=True)

    assert "(since 2026-01-02 03:04 UTC)" in checks()["hook handlers"].message


def test_programs_are_looked_for(installed: Any, checks: Any, project: Path, context: Context) -> None:
    guard = project / "guard.sh"
    guard.write_text("#!/bin/sh\n")
    guard.chmod(0o755)
    installed({"PreToolUse": {"command": ["./guard.sh"]}, "Stop": {"command": ["sh", "guard.sh"]}})
    assert "hook handlers" not in checks()

    guard.chmod(0o644)
    assert "may not be run" in checks()["hook handlers"].message
    guard.unlink()
    report = doctor(DoctorRequest(targets=("codex",)), context)
    texts = [check.message for check in report.checks if check.name == "acme hook handlers"]
    assert len(texts) == 2
    assert texts[0].startswith("the handler of PreToolUse does not run: ")
    assert texts[0].endswith(f"{guard} is not there, or may not be run")
    assert texts[1].endswith(f"{guard} does not exist")


def test_a_program_of_the_search_path_may_be_found_from_the_host(
    installed: Any, checks: Any, context: Context
) -> None:
    installed({"PreToolUse": {"command": ["no-such-program"]}})
    found = checks()["hook handlers"]
    assert (found.status, "not on this search path" in found.message) == ("warn", True)

    mark(str(context.data_root), "acme", handler_key("claude-code", "PreToolUse", 0), broken=True)
    assert checks()["hook handlers"].status == "fail", "it was not"


def test_a_handler_that_changed_is_told_and_refreshed(
    installed: Any, checks: Any, project: Path, context: Context
) -> None:
    rules = project / "rules.py"
    rules.write_text(RULES)
    installed({"PreToolUse": {"handler": "./rules.py:guard"}})
    rules.write_text(RULES + "# better\n")

    found = checks("acme")["hook code"]
    assert (found.status, found.healable) == ("warn", True)
    assert str(rules) in found.message
    assert "acme: hook code" in doctor(DoctorRequest(heal=True), context).healed
    assert "hook code" not in checks("acme")


def test_a_record_that_is_gone_is_a_failure_and_healed(installed: Any, checks: Any, context: Context) -> None:
    installed(STATIC)
    record = context.data_root / "connectors" / "acme" / "hooks.json"
    for spoil in (record.unlink, lambda: record.write_text("{"), lambda: record.write_text('{"hosts": {"a": 1}}')):
        spoil()
        found = checks("acme")["hook record"]
        assert (found.status, found.healable) == ("fail", True)
        assert "no hook of it answers" in status(StatusRequest(), context).problems[0]
        assert "acme: hook record" in doctor(DoctorRequest(heal=True), context).healed
        assert "hook record" not in checks("acme")


def test_an_environment_that_is_gone_is_told(installed: Any, checks: Any, project: Path, context: Context) -> None:
    (project / "rules.py").write_text(RULES)
    installed({"PreToolUse": {"handler": "./rules.py:guard"}})
    path = context.data_root / "connectors" / "acme" / "hooks.json"
    record = json.loads(path.read_bytes())
    record["python"]["path"] = ["/nonexistent/ve/site-packages"]
    path.write_text(json.dumps(record))

    found = checks("acme")["hook environment"]
    assert (found.status, "/nonexistent/ve/site-packages" in found.message) == ("warn", True)


def test_a_python_that_is_gone_is_a_failure(installed: Any, checks: Any, project: Path, context: Context) -> None:
    (project / "rules.py").write_text("this is the syntax of another Python")
    installed({"PreToolUse": {"handler": "./rules.py:guard"}})
    path = context.data_root / "connectors" / "acme" / "hooks.json"
    record = json.loads(path.read_bytes())
    record["python"] |= {"tag": "cpython-399", "executable": "/bin/sh"}
    path.write_text(json.dumps(record))
    assert "hook handlers" not in checks()

    record["python"] |= {"executable": "/nonexistent/python", "base": "/nonexistent/base"}
    path.write_text(json.dumps(record))
    assert "its Python /nonexistent/python is gone" in checks()["hook handlers"].message


# --- faults ----------------------------------------------------------------------------------------------------


def test_faults_of_the_last_days_are_summed_up(installed: Any, checks: Any, context: Context) -> None:
    installed(STATIC)
    root = str(context.data_root)
    log_fault(root, "acme", "claude-code", "PreToolUse", "raised", "0: KeyError at guard.py:3")
    log_fault(root, "acme", "claude-code", "PreToolUse", "raised", "0: ValueError at guard.py:7")
    log_fault(root, "acme", "claude-code", "Stop", "timeout", "1")
    log_fault(root, "acme", "claude-code", "PreToolUse", "changed", "0")
    log_fault(root, "acme", "codex", "PreToolUse", "bad-payload")
    log_fault(root, "other", "claude-code", "PreToolUse", "exit")
    log = context.data_root / "logs" / "hooks.ndjson"
    eight_days_ago = int((time.time() - 8 * 24 * 3600) * 1000)
    line = {"t": eight_days_ago, "connector": "acme", "host": "claude-code", "event": "Stop", "fault": "exit"}
    log.write_text(json.dumps(line) + "\n" + log.read_text() + '{"t": 1, "cut off')

    found = checks()["hook faults"]
    assert found.status == "warn"
    assert found.message.startswith("3 faults in the last 7 days: ")
    assert "PreToolUse raised an exception 2 times" in found.message
    assert "ValueError at guard.py:7" in found.message
    assert "KeyError" not in found.message
    assert "Stop ran out of time once" in found.message
    assert found.fix == f"See {log}"
    assert "got a payload that cannot be read as one JSON object" in checks("codex")["hook faults"].message
    assert hooks_of(context).faults == 3

    handlers = context.data_root / "logs" / "handlers"
    handlers.mkdir()
    (handlers / "acme.log").write_text("Traceback …")
    assert str(handlers / "acme.log") in checks()["hook faults"].fix


def test_a_log_that_was_rotated_is_read_too(installed: Any, checks: Any, context: Context) -> None:
    installed(STATIC)
    log_fault(str(context.data_root), "acme", "claude-code", "PreToolUse", "exit")
    log = context.data_root / "logs" / "hooks.ndjson"
    log.rename(log.with_name("hooks.ndjson.1"))
    log_fault(str(context.data_root), "acme", "claude-code", "PreToolUse", "exit")

    assert "ended its process 2 times" in checks()["hook faults"].message


# --- what never came -------------------------------------------------------------------------------------------

OFTEN: dict[str, Any] = {
    "SessionStart": {"additional_context": "Hello."},
    "PreToolUse": {"matcher": "acme_write", "decision": "ask", "reason": "Sure?"},
    "Notification": {"command": ["true"]},
}


def test_events_that_never_came_are_one_warning_with_what_makes_them_come(
    installed: Any, checks: Any, context: Context
) -> None:
    installed(OFTEN)
    installed_ago(context, hours=2)
    fired(context, "SessionStart")

    found = checks()["hook calls"]
    assert found.status == "warn"
    assert found.message.startswith("configured, never fired since the install of ")
    assert "PreToolUse (only where (?:acme_write) matches)" in found.message
    assert "Notification (only in interactive sessions, never with -p)" in found.message
    assert "SessionStart" not in found.message

    fired(context, "PreToolUse")
    fired(context, "Notification")
    assert checks()["hook calls"].status == "pass"
    assert "; last " in checks()["hook calls"].message


def test_a_host_that_was_not_used_is_not_warned_about(installed: Any, checks: Any, context: Context) -> None:
    installed(OFTEN)
    fired(context, "SessionStart", hours_ago=3)
    installed_ago(context, hours=0)
    assert "less than an hour ago" in checks()["hook calls"].message

    installed_ago(context, hours=2)
    found = checks()["hook calls"]
    assert (found.status, "no sign that Claude Code was used" in found.message) == ("pass", True)
    assert "no sign that Cursor was used" in checks("cursor")["hook calls"].message

    fired(context, "Stop", connector="other")
    found = checks()["hook calls"]
    assert (found.status, "SessionStart" in found.message) == ("warn", True), "used by another connector since"


@pytest.mark.parametrize("by", ["definition", "variable"])
def test_without_telemetry_nothing_can_be_told(
    installed: Any, checks: Any, context: Context, project: Path, by: str
) -> None:
    installed(OFTEN)
    installed_ago(context, hours=2)
    log_fault(str(context.data_root), "other", "claude-code", "Stop", "exit")
    if by == "definition":
        path = context.data_root / "connectors" / "acme" / "hooks.json"
        path.write_text(json.dumps({**json.loads(path.read_bytes()), "telemetry": False}))
        found = checks()["hook calls"]
    else:
        quiet = replace(context, machine=context.machine.with_env({"AGENT_CONNECTOR_TELEMETRY": "0"}))
        (found,) = [
            check
            for check in doctor(DoctorRequest(targets=("claude-code",)), quiet).checks
            if check.name == "acme hook calls"
        ]
    assert (found.status, "telemetry is off" in found.message) == ("pass", True)


def test_what_is_registered_for_our_own_sake_is_not_missed(installed: Any, checks: Any, context: Context) -> None:
    installed({"PreToolUse": {"command": ["true"]}})
    installed_ago(context, hours=2)
    fired(context, "PreToolUse")
    assert checks()["hook calls"].status == "pass", "nobody wrote a hook on SessionStart"


def test_status_says_when_a_hook_last_fired(installed: Any, context: Context) -> None:
    installed(OFTEN)
    state = hooks_of(context)
    assert set(state.events) == set(OFTEN)
    assert (state.connector, state.last_fired, state.last_event, state.faults, state.broken) == (
        "acme",
        "",
        "",
        0,
        (),
    )
    fired(context, "PreToolUse")
    state = hooks_of(context)
    assert state.last_event == "PreToolUse"
    assert abs(datetime.fromisoformat(state.last_fired).timestamp() - time.time()) < 60
    assert hooks_of(context, "codex").last_fired == ""


def test_status_never_fails_whatever_stands_in_the_data_root(installed: Any, context: Context) -> None:
    installed({"PreToolUse": {"command": ["true"]}})
    (context.data_root / "telemetry" / "spool").mkdir(parents=True, exist_ok=True)
    (context.data_root / "telemetry" / "telemetry.db").write_bytes(b"no database" * 1000)
    (context.data_root / "telemetry" / "spool" / "2026-01-01.ndjson").write_bytes(
        b'\xff\n[1]\n{"t": "x"}\n{"t": true}\n' + b"[" * 9999
    )
    (context.data_root / "logs").mkdir(exist_ok=True)
    (context.data_root / "logs" / "hooks.ndjson").mkdir()
    path = context.data_root / "connectors" / "acme" / "hooks.json"
    record = json.loads(path.read_bytes())
    for spoiled in (
        [],
        {"hosts": []},
        {**record, "version": 2},
        {**record, "hosts": {"claude-code": {"events": {"Stop": 3}, "native": {}}}},
        {**record, "hosts": {"claude-code": {"events": {}}}},
        *(
            _with_entry(record, one)
            for one in (3, {}, {"match": None, "kind": "x"}, {"match": None, "kind": "static"})
        ),
    ):
        path.write_text(json.dumps(spoiled))
        seen = status(StatusRequest(), context)
        assert seen.exit_code == 0
        assert seen.problems
        assert doctor(DoctorRequest(), context).exit_code == 1
        with pytest.raises(UsageError):
            simulate(SimulateRequest(ConnectorSource(id="acme"), "claude-code", "PreToolUse"), context)


def _with_entry(record: dict[str, Any], entry: Any) -> dict[str, Any]:
    return {**record, "hosts": {"claude-code": {"events": {"PreToolUse": [entry]}, "native": {}, "readers": []}}}


# --- settings and files ----------------------------------------------------------------------------------------


def edit_json(path: Path, **values: Any) -> None:
    before = json.loads(path.read_bytes()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**before, **values}), encoding="utf-8")


def test_all_hooks_switched_off_is_a_failure_and_told_at_install(
    installed: Any, checks: Any, hosts: Path, project: Path
) -> None:
    settings = hosts / ".claude" / "settings.json"
    edit_json(settings, disableAllHooks=True)
    report = installed(STATIC)

    told = [change for change in report.changes if change.action == "warn"]
    assert [change.host for change in told] == ["claude-code"]
    found = checks()["hook settings"]
    assert found.status == "fail"
    assert (found.message, found.fix) == (told[0].detail, told[0].fix), "one text, told once"
    assert str(settings) in found.message

    edit_json(project / ".claude" / "settings.local.json", disableAllHooks=False)
    assert "hook settings" not in checks(), "what is nearer to the session wins"
    edit_json(settings, disableAllHooks=False)
    edit_json(project / ".claude" / "settings.local.json", disableAllHooks=True)
    assert checks()["hook settings"].status == "warn", "in this project only"


def test_a_status_line_is_switched_off_with_the_hooks(hosts: Path, context: Context, checks: Any) -> None:
    source = ConnectorSource(inline={"id": "acme", "statusline": {"command": ["true"]}})
    install(InstallRequest(source=source, targets=("claude-code",)), context)
    assert set(checks()) == {"statusline"}
    edit_json(hosts / ".claude" / "settings.json", disableAllHooks=True)
    assert checks()["statusline settings"].status == "fail"


def test_a_projects_hooks_wait_for_trust(installed: Any, checks: Any, hosts: Path, project: Path) -> None:
    installed(STATIC, scope="project", targets=("claude-code", "codex"), trust=False)

    found = checks()["hook settings"]
    assert (found.status, "trusted" in found.message) == ("warn", True), "Claude Code asks by itself"
    assert checks("codex")["hook settings"].status == "fail"

    state = json.loads((hosts / ".claude.json").read_bytes())
    state["projects"][str(project.parent)] = {"hasTrustDialogAccepted": True}
    (hosts / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
    config = hosts / ".codex" / "config.toml"
    trusted = f'\n[projects.{json.dumps(str(project.parent), ensure_ascii=False)}]\ntrust_level = "trusted"\n'
    config.write_text(config.read_text("utf-8") + trusted, encoding="utf-8")
    assert "hook settings" not in checks(), "a folder above it counts"
    assert checks("codex")["hook settings"].status == "fail", "a folder above it does not"
    (project.parent / ".git").mkdir()
    assert "hook settings" not in checks("codex"), "the root of its repository does"


def test_hooks_switched_off_in_codex_are_a_failure_and_told_at_install(
    installed: Any, checks: Any, hosts: Path
) -> None:
    config = hosts / ".codex" / "config.toml"
    config.write_text(config.read_text("utf-8") + "\n[features]\nhooks = false\n", encoding="utf-8")
    report = installed(STATIC)
    assert [change.host for change in report.changes if change.action == "warn"] == ["codex"]
    assert checks("codex")["hook settings"].status == "fail"


def test_trust_that_codex_wants_is_a_failure_with_the_way_to_it(installed: Any, checks: Any, hosts: Path) -> None:
    installed({**STATIC, "Stop": {"command": ["true"]}}, trust=False)
    found = checks("codex")["hook trust"]
    assert found.status == "fail"
    assert found.message.startswith("PreToolUse, Stop, SessionStart registered, and never run: ")
    assert "/hooks" in found.fix
    assert not any("never fired" in check.message for check in checks("codex").values()), "the reason is known"

    trust_codex_hooks(hosts)
    assert "hook trust" not in checks("codex")

    installed(
        {"PreToolUse": {**STATIC["PreToolUse"], "matcher": "acme_drop"}, "Stop": {"command": ["true"]}}, trust=False
    )
    found = checks("codex")["hook trust"]
    assert found.message.startswith("PreToolUse registered, and never run: ")
    assert "changed since it was trusted" in found.message


def test_trust_goes_with_the_place_where_the_links_of_a_home_lead(
    installed: Any, checks: Any, hosts: Path, tmp_path: Path
) -> None:
    real = tmp_path / "elsewhere"
    (hosts / ".codex").rename(real)
    (hosts / ".codex").symlink_to(real)
    installed(STATIC, trust=False)
    trust_codex_hooks(hosts)
    config = real / "config.toml"
    config.write_text(config.read_text("utf-8").replace(f"{hosts}/.codex", str(real)), encoding="utf-8")
    assert "hook trust" not in checks("codex")


SPOILED: list[tuple[str, str, Any, str]] = [
    ("codex", ".codex/hooks.json", {"extra": 1}, "because of extra"),
    ("codex", ".codex/hooks.json", {"hooks": {"Stop": {}}}, "because of hooks.Stop"),
    ("cursor", ".cursor/hooks.json", {"version": 0}, "because of version"),
    ("cursor", ".cursor/hooks.json", {"hooks": {"onSave": []}}, "because of hooks.onSave, which it does not know"),
    ("cursor", ".cursor/hooks.json", {"hooks": {"stop": [{"timeout": 0, "command": "x"}]}}, "a timeout"),
    ("cursor", ".cursor/hooks.json", {"hooks": {"stop": [{"command": "curl http://a"}]}}, "marks of a comment"),
    ("claude-code", ".claude/settings.json", {"hooks": {"Stop": [{}]}}, "because of hooks.Stop, where a group"),
]


@pytest.mark.parametrize(("host", "file", "spoil", "why"), SPOILED, ids=[f"{one[0]}-{one[3]}" for one in SPOILED])
def test_a_file_that_the_host_refuses_whole_is_a_failure_and_told_at_install(
    installed: Any, checks: Any, hosts: Path, host: str, file: str, spoil: Any, why: str
) -> None:
    installed(STATIC)
    assert "hook file" not in checks(host)
    path = hosts / file
    content = json.loads(path.read_bytes())
    content = {**content, **spoil, "hooks": {**content["hooks"], **spoil.get("hooks", {})}}
    path.write_text(json.dumps(content), encoding="utf-8")

    found = checks(host)["hook file"]
    assert found.status == "fail"
    assert why in found.message
    assert str(path) in found.message
    assert found.fix
    report = installed(STATIC, trust=False)
    assert found.message in [change.detail for change in report.changes if change.action == "warn"]


def test_a_hooks_file_without_its_version_is_refused(installed: Any, checks: Any, hosts: Path) -> None:
    installed(STATIC)
    path = hosts / ".cursor" / "hooks.json"
    content = json.loads(path.read_bytes())
    del content["version"]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert "without version" in checks("cursor")["hook file"].message


@pytest.mark.skipif(os.name == "nt", reason="an absolute path of this system")
def test_an_organisation_may_allow_its_own_hooks_only(
    installed: Any, checks: Any, context: Context, tmp_path: Path
) -> None:
    from agent_connector.adapters.claude_code.server import MANAGED_SETTINGS
    from agent_connector.adapters.claude_code.settings import BLOCKERS

    (managed,) = [blocker for blocker in BLOCKERS if "organisation" in blocker.text]
    assert managed.blocks(True)
    assert not managed.blocks(None)
    assert str(MANAGED_SETTINGS.resolve(context.machine, tmp_path)) == "/etc/claude-code/managed-settings.json"
