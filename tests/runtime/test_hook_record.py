"""The record a hook process works by: what install writes of a definition, and keeps current."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.handlers import PythonHandler
from agent_connector.runtime.handler_places import find_module, place_at, search_path
from agent_connector.runtime.hook_record import changed_handlers
from agent_connector.runtime.recorded_code import located

GUARD = {"hooks": {"PreToolUse": {"matcher": "acme", "decision": "deny", "reason": "never"}}}


def entries(hooks, host="claude-code", event="PreToolUse"):
    return hooks.record["hosts"][host]["events"][event]


def test_a_record_says_what_is_answered_where(install_hooks):
    hooks = install_hooks(GUARD)

    record = hooks.record
    assert {key: record[key] for key in ("version", "connector", "framework", "telemetry")} == {
        "version": 1,
        "connector": "acme",
        "framework": "0.1.0",
        "telemetry": True,
    }
    assert record["installed"] == {"claude-code": [""], "codex": [""], "cursor": [""]}
    assert set(record["hosts"]) == {host_id for host_id in CATALOG.ids() if CATALOG.get(host_id).hooks}
    assert entries(hooks) == [
        {
            "match": {"regex": "acme", "any": ["acme"]},
            "kind": "static",
            "response": {"decision": "deny", "reason": "never"},
        }
    ]
    assert hooks.record_file.stat().st_mode & 0o777 == 0o600


def test_a_host_has_only_events_it_knows(install_hooks):
    hooks = install_hooks({"hooks": {"Notification": {"additional_context": "x"}, **GUARD["hooks"]}})

    told = {host: sorted(told["events"]) for host, told in hooks.record["hosts"].items()}
    assert told["claude-code"] == ["Notification", "PreToolUse"]
    assert told["codex"] == told["cursor"] == ["PreToolUse"]


def test_who_reads_whose_registrations_stands_in_it(install_hooks):
    hooks = install_hooks(GUARD)

    readers = {host: [one["host"] for one in told["readers"]] for host, told in hooks.record["hosts"].items()}
    assert "cursor" in readers["claude-code"]
    assert readers["codex"] == readers["cursor"] == []
    told = {one["host"]: one for one in hooks.record["hosts"]["claude-code"]["readers"]}
    assert told["cursor"]["keys"] == ["cursor_version"]
    assert told["vscode-copilot"]["every"] == ["hook_event_name", "session_id", "timestamp"]


@pytest.mark.parametrize(
    ("host", "event", "asked", "own"),
    [
        ("claude-code", "PreToolUse", None, 59_000),
        ("claude-code", "PreToolUse", 2000, 1600),
        ("claude-code", "SessionEnd", None, 1200),
        ("claude-code", "SessionEnd", 10_000, 9000),
        ("codex", "SessionEnd", 10_000, 2400),
        ("codex", "PreToolUse", 120_000, 119_000),
        ("cursor", "Stop", 1, 1),
    ],
)
def test_our_own_limit_comes_before_the_hosts(install_hooks, host, event, asked, own):
    hook = {"command": ["true"], **({"timeout_ms": asked} if asked else {})}
    hooks = install_hooks({"hooks": {event: hook}})

    assert entries(hooks, host, event)[0]["timeout_ms"] == own


def test_no_entry_may_take_longer_than_what_is_registered_for_all(install_hooks):
    hooks = install_hooks({"hooks": {"Stop": [{"command": ["a"], "timeout_ms": 5000}, {"command": ["b"]}]}})

    assert [entry["timeout_ms"] for entry in entries(hooks, event="Stop")] == [4000, 4000]


def test_a_connector_without_hooks_has_no_record(install_hooks):
    hooks = install_hooks({"memory": [{"content": "Know this."}]})

    assert not hooks.record_file.exists()


def test_hooks_that_leave_the_definition_leave_the_record(install_hooks):
    install_hooks(GUARD)
    hooks = install_hooks({"memory": [{"content": "Know this."}]})

    assert hooks.record["hosts"] == {}
    assert hooks.decision() is None


def test_installing_again_writes_nothing(install_hooks):
    hooks = install_hooks(GUARD)
    before = hooks.record_file.stat().st_mtime_ns

    install_hooks(GUARD)

    assert hooks.record_file.stat().st_mtime_ns == before


def test_a_dry_run_writes_no_record(install_hooks, context):
    from agent_connector.operations.install import install
    from agent_connector.operations.requests import ConnectorSource, InstallRequest

    install(InstallRequest(source=ConnectorSource(inline={"id": "acme", **GUARD}), dry_run=True), context)

    assert not (context.data_root / "connectors").exists()


def test_bytecode_is_there_before_the_first_call(install_hooks):
    hooks = install_hooks("""
from agent_connector import define_connector, hook
@hook("PreToolUse")
def guard(event): ...
connector = define_connector(id="acme", version="1.0.0", hooks=[guard])
""")

    kept = [path.name for path in (hooks.root / "cache" / "handlers").rglob("*.pyc")]
    assert kept == [f"agent-connector.config.{sys.implementation.cache_tag}.pyc"]


def test_what_changed_since_can_be_asked(install_hooks, project):
    (project / "a.py").write_text("def one(event): ...")
    (project / "b.py").write_text("def two(event): ...")
    hooks = install_hooks({"hooks": {"Stop": [{"handler": "./a.py:one"}, {"handler": "./b.py:two"}]}})
    assert changed_handlers(hooks.record) == ()

    (project / "a.py").write_text("def one(event): return None")
    (project / "b.py").unlink()

    assert changed_handlers(hooks.record) == (str(project / "a.py"), str(project / "b.py"))


# --- finding code without running it ---------------------------------------------------------------------------


def test_a_module_is_found_without_importing_anything_above_it(tmp_path, monkeypatch):
    package = tmp_path / "acme_found" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "acme_found" / "__init__.py").write_text("raise SystemExit('must not run')")
    (package / "__init__.py").write_text("raise SystemExit('must not run')")
    (package / "rules.py").write_text("raise SystemExit('must not run')")

    assert find_module("acme_found.inner.rules", [str(tmp_path)]) == (str(package / "rules.py"), "")
    assert find_module("acme_found.inner", [str(tmp_path)]) == (str(package / "__init__.py"), "")
    assert find_module("acme_found.other", [str(tmp_path)]) == ("", "")
    assert find_module("acme_not_found.rules", [str(tmp_path)]) == ("", "")


def test_an_editable_installation_with_a_finder_of_its_own_is_found_by_its_folder(tmp_path):
    """Hook processes run no finders of others: the folder must do."""
    from importlib.util import spec_from_file_location

    package = tmp_path / "acme_mapped"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text("def check(event): ...")

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "acme_mapped":
                file = str(package / "__init__.py")
                return spec_from_file_location(name, file, submodule_search_locations=[str(package)])
            return None

    sys.meta_path.append(Finder)
    try:
        place = place_at(PythonHandler(reference="acme_mapped.rules:check"), "", {})
    finally:
        sys.meta_path.remove(Finder)

    assert place.problem == ""
    assert place.folders == (str(tmp_path),)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def check(e): ...", True),
        ("async def check(e): ...", True),
        ("class check: ...", True),
        ("check = print", True),
        ("from other import check", True),
        ("from other import *", True),
        ("import other as check", True),
        ("if True:\n    def check(e): ...", True),
        ("def other(e): ...", False),
    ],
)
def test_a_function_is_looked_for_in_the_text(tmp_path, text, found):
    file = tmp_path / "rules.py"
    file.write_text(text)

    place = place_at(PythonHandler(reference=f"{file}:check"), "", {})

    assert (place.problem == "") is found


def test_the_search_path_is_that_of_the_environment_and_nothing_of_ours(tmp_path):
    path = search_path(tmp_path)

    assert any(entry.endswith("site-packages") for entry in path)
    assert all(Path(entry).is_absolute() and Path(entry).exists() for entry in path)
    plain = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys, json; print(json.dumps(sys.path))"],
        capture_output=True,
        check=True,
    )
    assert not set(path) & set(json.loads(plain.stdout))


def test_words_of_a_command_are_files_where_they_stand_beside_the_definition(tmp_path):
    (tmp_path / "guard.js").write_text("")
    (tmp_path / "-x").mkdir()
    source = str(tmp_path / "agent-connector.config.toml")

    command = ["node", "guard.js", "./gone.js", "--flag", "-x", "", "/abs/guard.js", "other.js"]
    expected = [
        "node",
        f"{tmp_path}/guard.js",
        f"{tmp_path}/gone.js",
        "--flag",
        "-x",
        "",
        "/abs/guard.js",
        "other.js",
    ]
    assert located(command, source) == expected
    assert located(["node", "./guard.js"], "") == ["node", "./guard.js"]
