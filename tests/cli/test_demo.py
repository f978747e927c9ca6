"""``demo``: the story it tells is true."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_connector.machine import Machine
from agent_connector.mcp_server.cli import demo as story
from agent_connector.mcp_server.cli import demo_home

if TYPE_CHECKING:
    from conftest import Person


def test_it_ends_well_and_touches_nothing_else(with_hosts: Person) -> None:
    temporary = with_hosts.home / "tmp"
    temporary.mkdir()
    before = with_hosts.files()
    answer = with_hosts.run("demo", env={"TMPDIR": str(temporary), "CODEX_HOME": str(with_hosts.home / "elsewhere")})
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stderr == ""
    assert "Yes. " in answer.stdout.splitlines()[-1]
    assert with_hosts.files() == before
    assert not with_hosts.data_root.exists()
    assert list(temporary.iterdir()) == []


def test_every_step_fits_a_screen(with_hosts: Person) -> None:
    shown = with_hosts.run("demo").stdout
    steps = shown.split("\n\n")
    assert len(steps) == 7
    assert max(len(step.splitlines()) for step in steps) <= 26


def test_one_byte_less_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = story.uninstall

    def careless(request, context):
        report = real(request, context)
        path = Path(context.machine.home) / ".codex" / "config.toml"
        path.write_bytes(path.read_bytes()[:-1])
        return report

    monkeypatch.setattr(story, "uninstall", careless)
    assert story.demo(Machine("linux", tmp_path, tmp_path, {"PATH": "/usr/bin:/bin"})) == 1
    shown = capsys.readouterr().out
    assert "NO." in shown
    assert "differs: ~/.codex/config.toml" in shown


def test_a_snapshot_sees_bytes_modes_folders_and_links(tmp_path: Path) -> None:
    demo_home.make(tmp_path)
    first = demo_home.snapshot(tmp_path)
    assert demo_home.snapshot(tmp_path) == first
    (tmp_path / ".codex" / "empty").mkdir()
    assert demo_home.snapshot(tmp_path) != first
    (tmp_path / ".codex" / "empty").rmdir()
    (tmp_path / ".claude.json").chmod(0o644)
    assert demo_home.snapshot(tmp_path) != first
