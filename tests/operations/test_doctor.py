"""Doctor says what is wrong and what to do, heals what is ours, and leaves what is not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from agent_connector.operations.context import Context
from agent_connector.operations.doctor import doctor
from agent_connector.operations.reports import Check, DoctorReport
from agent_connector.operations.requests import DoctorRequest
from homes import ACME, CLAUDE_JSON, Desk, snapshot, trust_codex_hooks

SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if "id" not in message:
        continue
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "toy", "version": "3"}}
    elif method == "ping":
        result = {}
    elif method == "tools/list":
        result = {"tools": [{"name": "toy_echo", "inputSchema": {"type": "object"}}]}
    else:
        error = {"code": -32601, "message": "no"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def find(report: DoctorReport, subject: str, name: str) -> Check:
    (found,) = [check for check in report.checks if (check.subject, check.name) == (subject, name)]
    return found


def with_server(command: list[str]) -> dict[str, Any]:
    return {"id": "toy", "server": {"transport": "stdio", "command": command[0], "args": command[1:]}}


def test_a_fresh_machine_is_healthy_and_stays_untouched(home: Path, machine: Any, catalogue: Any) -> None:
    report = doctor(DoctorRequest(), Context(machine, catalogue, "0.1.0"))
    assert report.exit_code == 0
    assert snapshot(home) == {}
    assert not (home / ".agent-connector").exists()


def test_a_good_install_passes_every_check(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install({**ACME, "server": {**ACME["server"], "command": sys.executable}})
    trust_codex_hooks(hosts)
    report = doctor(DoctorRequest(), context)
    assert {check.status for check in report.checks} == {"pass"}, [c for c in report.checks if c.status != "pass"]


def test_what_vanished_is_a_warning_and_heal_puts_it_back(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    healthy = snapshot(hosts)
    (hosts / ".claude.json").write_text(CLAUDE_JSON, encoding="utf-8")
    found = find(doctor(DoctorRequest(), context), "claude-code", "acme-db server")
    assert (found.status, found.healable) == ("warn", True)
    assert "vanished" in found.message
    report = doctor(DoctorRequest(heal=True), context)
    assert report.healed == ("claude-code: acme-db server",)
    assert snapshot(hosts) == healthy


def test_heal_as_a_dry_run_writes_nothing(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    (hosts / ".claude.json").write_text(CLAUDE_JSON, encoding="utf-8")
    report = doctor(DoctorRequest(heal=True, dry_run=True), context)
    assert report.healed == ("would heal claude-code: acme-db server",)
    assert (hosts / ".claude.json").read_text(encoding="utf-8") == CLAUDE_JSON


def test_what_a_person_changed_is_deferred_and_never_overwritten(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    path = hosts / ".claude.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"timeout": 30000', '"timeout": 5'), encoding="utf-8")
    edited = path.read_bytes()
    report = doctor(DoctorRequest(heal=True), context)
    assert "claude-code: acme-db server" in report.deferred
    assert path.read_bytes() == edited


def test_a_config_that_stopped_parsing_is_a_failure(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    (hosts / ".codex" / "config.toml").write_text("a = = 1", encoding="utf-8")
    report = doctor(DoctorRequest(), context)
    found = find(report, "codex", "acme-db server")
    assert found.status == "fail"
    assert "line 1" in found.message
    assert report.exit_code == 1


def test_a_launcher_that_is_gone_is_a_failure_and_healed(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    launcher = hosts / ".agent-connector" / "bin" / "agent-connector"
    launcher.unlink()
    trust_codex_hooks(hosts)
    assert doctor(DoctorRequest(), context).exit_code == 1
    healed = doctor(DoctorRequest(heal=True), context)
    assert healed.exit_code == 0
    assert launcher.exists()


def test_a_record_of_another_version_is_a_warning_that_heals(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    record = hosts / ".agent-connector" / "connectors" / "acme-db" / "connector.json"
    content = json.loads(record.read_bytes())
    content["framework_version"] = "0.0.1"
    record.write_text(json.dumps(content), encoding="utf-8")
    found = find(doctor(DoctorRequest(), context), "acme-db", "version")
    assert (found.status, found.healable) == ("warn", True)
    assert "acme-db: version" in doctor(DoctorRequest(heal=True), context).healed


def test_a_probe_speaks_to_the_real_server_and_names_its_tools(
    hosts: Path, desk: Desk, context: Context, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER, encoding="utf-8")
    desk.install(with_server([sys.executable, str(script)]))
    report = doctor(DoctorRequest(probe=True), context)
    old = find(report, "toy", "probe (handshake)")
    assert old.status == "pass"
    assert "toy 3" in old.message
    assert "toy_echo" in old.message
    assert find(report, "toy", "probe (modern)").status == "pass", "one era is enough for the hosts there are"


def test_a_server_that_does_not_start_fails_the_probe(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install(with_server(["/nonexistent/server"]))
    report = doctor(DoctorRequest(probe=True), context)
    assert find(report, "toy", "probe (handshake)").status == "fail"
    assert report.exit_code == 1


def test_a_server_that_ends_at_once_is_told_with_its_exit_status(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install(with_server([sys.executable, "-c", "raise SystemExit(3)"]))
    report = doctor(DoctorRequest(probe=True), context)
    assert "exit status 3" in find(report, "toy", "probe (handshake)").message


def test_a_healthy_surface_of_one_connector_says_nothing_of_another(
    hosts: Path, desk: Desk, context: Context
) -> None:
    desk.install()
    desk.install({"id": "other", "server": ACME["server"]})
    report = doctor(DoctorRequest(targets=("codex",)), context)
    assert {check.subject for check in report.checks} <= {"agent-connector", "acme-db", "other", "codex"}
    assert find(report, "codex", "acme-db server").status == "pass"
    assert find(report, "codex", "other server").status == "pass"


def test_what_could_not_be_put_in_place_is_told_again(hosts: Path, desk: Desk, context: Context) -> None:
    settings = hosts / ".claude" / "settings.json"
    settings.write_text(
        '{"statusLine": {"type": "command", "command": "mine"}, "env": {"ACME_TEAM": "0"}}', encoding="utf-8"
    )
    desk.install(targets=("claude-code",))
    told = {check.name: check for check in doctor(DoctorRequest(), context).checks if check.status == "warn"}
    assert set(told) == {"acme-db statusline", "acme-db configPatch"}
    assert "set statusLine: {" in told["acme-db statusline"].fix
    assert 'set env.ACME_TEAM: "1"' in told["acme-db configPatch"].fix
    assert "Acme needs its team mode" in told["acme-db configPatch"].message


def test_the_status_line_is_wired_or_missing_or_not_ours(hosts: Path, desk: Desk, context: Context) -> None:
    def told() -> tuple[str, str]:
        found = find(doctor(DoctorRequest(), context), "claude-code", "acme-db statusline")
        return found.status, found.message.split(" ")[0]

    settings = hosts / ".claude" / "settings.json"
    desk.install(targets=("claude-code",))
    wired = settings.read_text(encoding="utf-8")
    assert told() == ("pass", "wired")

    content = json.loads(wired)
    theirs = {**content, "statusLine": {"type": "command", "command": "mine"}}
    settings.write_text(json.dumps(theirs), encoding="utf-8")
    assert told() == ("warn", "present,")

    del content["statusLine"]
    settings.write_text(json.dumps(content), encoding="utf-8")
    assert told() == ("warn", "missing:")
    assert "claude-code: acme-db statusline" in doctor(DoctorRequest(heal=True), context).healed
    assert told() == ("pass", "wired")


def test_a_patched_key_that_a_person_changed_is_not_said_to_be_forced_back(
    hosts: Path, desk: Desk, context: Context
) -> None:
    desk.install(targets=("claude-code",))
    settings = hosts / ".claude" / "settings.json"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace('"ACME_TEAM": "1"', '"ACME_TEAM": "9"'), encoding="utf-8"
    )
    told = [check for check in doctor(DoctorRequest(), context).checks if check.status == "warn"]
    assert [check.name for check in told] == ["acme-db configPatch"], "told once"
    assert "--force" not in told[0].fix


def test_a_ledger_that_cannot_be_read_is_a_failure_and_status_goes_on(
    hosts: Path, desk: Desk, context: Context
) -> None:
    from agent_connector.operations.requests import StatusRequest
    from agent_connector.operations.status import status

    desk.install()
    (hosts / ".agent-connector" / "state.db").write_bytes(b"garbage")
    report = doctor(DoctorRequest(), context)
    assert [(check.name, check.status) for check in report.checks] == [("launcher", "pass"), ("ledger", "fail")]
    assert "state.db" in report.checks[1].message
    seen = status(StatusRequest(), context)
    assert seen.exit_code == 0
    assert "damaged" in seen.problems[0]
    assert {host.id for host in seen.hosts} == {"claude-code", "codex", "cursor"}


def test_a_server_whose_program_is_gone_fails_without_a_probe(
    hosts: Path, desk: Desk, context: Context, tmp_path: Path
) -> None:
    program = tmp_path / "server"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    desk.install(with_server([str(program)]))
    assert doctor(DoctorRequest(), context).exit_code == 0
    program.unlink()
    assert find(doctor(DoctorRequest(), context), "toy", "server command").status == "fail"


def test_a_server_named_by_a_word_that_is_not_on_the_search_path_is_a_warning(
    hosts: Path, desk: Desk, context: Context
) -> None:
    desk.install(with_server(["no-such-program"]))
    assert find(doctor(DoctorRequest(), context), "toy", "server command").status == "warn"


def test_a_damaged_ledger_is_a_failure_and_heal_sets_it_aside(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    state = hosts / ".agent-connector" / "state.db"
    state.write_bytes(b"damaged" * 1000)
    found = find(doctor(DoctorRequest(), context), "agent-connector", "ledger")
    assert (found.status, found.healable) == ("fail", True)
    report = doctor(DoctorRequest(heal=True), context)
    assert "agent-connector: ledger" in report.healed
    assert [path.read_bytes() for path in state.parent.glob("state.db.damaged-*")] == [b"damaged" * 1000]
    assert desk.install().exit_code == 0, "entries of ours are known by their shape and owned again"
    desk.uninstall()
    assert b"acme-db" not in (hosts / ".claude.json").read_bytes()
    left = json.loads((hosts / ".claude" / "settings.json").read_bytes())
    assert "acme-db" not in json.dumps(left)
    assert left["env"] == {"ACME_TEAM": "1"}, "a patched key says nothing of whose it is"
