"""Names and places that are legal and odd."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from agent_connector.errors import ConnectorConfigError
from agent_connector.machine import DATA_DIR_VARIABLE, Machine
from homes import ACME, Desk, snapshot


def test_a_relative_data_root_is_the_same_one_from_every_folder(machine: Machine) -> None:
    somewhere = machine.with_env({DATA_DIR_VARIABLE: "rel/data"})
    elsewhere = replace(somewhere, cwd=somewhere.home.parent)
    assert somewhere.data_root == elsewhere.data_root == machine.home / "rel" / "data"


def test_a_relative_home_leads_to_absolute_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", ".")
    monkeypatch.setenv("USERPROFILE", ".")
    assert Machine.current().home == tmp_path
    assert Machine.current().launcher.is_absolute()


def test_names_too_long_for_a_file_are_told_before_anything_is_written(hosts: Path, desk: Desk) -> None:
    long = "x" * 300
    with pytest.raises(ConnectorConfigError) as refused:
        desk.install({**ACME, "id": long, "commands": [{"name": long, "prompt": "p"}]})
    told = {problem.path for problem in refused.value.problems}
    assert {"id", "commands[0].name"} <= told


def test_what_a_python_definition_fails_with_hides_secrets(desk: Desk, tmp_path: Path) -> None:
    from agent_connector.authoring.loading import load_definition

    file = tmp_path / "agent-connector.config.py"
    file.write_text("raise ValueError('no login with sk-live-ABCDEF1234567890abcdef')\n", encoding="utf-8")
    with pytest.raises(ConnectorConfigError) as failed:
        load_definition(file)
    assert "sk-live" not in str(failed.value)


def test_two_hosts_whose_configs_are_one_file_share_what_stands_there(hosts: Path, desk: Desk) -> None:
    (hosts / ".cursor" / "mcp.json").unlink()
    (hosts / ".cursor" / "mcp.json").symlink_to(hosts / ".claude.json")
    before = snapshot(hosts)
    report = desk.install()
    assert report.outcome == "done"
    entry = json.loads((hosts / ".claude.json").read_bytes())["mcpServers"]["acme-db"]
    told = [change for change in report.changes if "is the same file as" in change.detail]
    assert len(told) == 1
    assert f'"--host", "{"claude-code" if told[0].host == "cursor" else "cursor"}"' in json.dumps(entry["args"])
    assert desk.install().outcome == "unchanged"
    desk.uninstall()
    assert snapshot(hosts) == before
