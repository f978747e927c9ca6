"""Every path comes from one value, so those of Windows and macOS are computed on any system."""

from __future__ import annotations

import os
import sys
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.machine import Machine
from homes import machine_on


def test_the_data_root_is_in_the_home_on_every_system(any_machine: Machine) -> None:
    assert any_machine.data_root == any_machine.home / ".agent-connector"


def test_the_data_root_follows_its_variable() -> None:
    assert machine_on("linux", {"AGENT_CONNECTOR_DATA_DIR": "/srv/ac"}).data_root == PurePosixPath("/srv/ac")
    moved = machine_on("windows", {"AGENT_CONNECTOR_DATA_DIR": r"D:\ac"})
    assert moved.data_root == PureWindowsPath(r"D:\ac")
    assert machine_on("linux", {"AGENT_CONNECTOR_DATA_DIR": ""}).data_root.name == ".agent-connector"


def test_the_launcher_is_a_batch_file_on_windows_alone() -> None:
    assert machine_on("windows").launcher.name == "agent-connector.cmd"
    assert machine_on("macos").launcher.name == machine_on("linux").launcher.name == "agent-connector"


@pytest.mark.parametrize(
    ("system", "env", "expected"),
    [
        ("linux", {}, "/home/zoe/.config"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x"),
        ("macos", {}, "/Users/zoe/Library/Application Support"),
        ("windows", {}, r"C:\Users\Zoë O'Neil\AppData\Roaming"),
        ("windows", {"APPDATA": r"E:\Roaming"}, r"E:\Roaming"),
    ],
)
def test_desktop_programs_keep_settings_where_their_system_says(
    system: str, env: dict[str, str], expected: str
) -> None:
    assert str(machine_on(system, env).app_data) == expected  # type: ignore[arg-type]


def test_text_becomes_a_path_of_the_system_with_the_home_expanded() -> None:
    windows = machine_on("windows")
    assert windows.path(r"~\notes") == windows.home / "notes"
    assert windows.path(r"sub\x") == windows.cwd / "sub" / "x"
    assert windows.path(r"D:\x") == PureWindowsPath(r"D:\x")
    linux = machine_on("linux")
    assert linux.path("~") == linux.home
    assert linux.path("a/b") == linux.cwd / "a" / "b"


@pytest.mark.skipif(sys.platform == "win32", reason="HOME is a POSIX variable")
def test_an_empty_home_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    monkeypatch.setenv("HOME", "")
    assert str(Machine.current().home) == pwd.getpwuid(os.getuid()).pw_dir


def test_an_overlay_changes_a_copy_only() -> None:
    machine = machine_on("linux", {"A": "1"})
    assert machine.with_env({"B": "2"}).env == {"A": "1", "B": "2"}
    assert machine.env == {"A": "1"}
