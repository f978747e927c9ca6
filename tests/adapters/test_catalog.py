"""The catalogue of hosts, our own and those of other packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.errors import UsageError


def add_package(folder: Path, name: str, entry_points: str, code: str = "") -> None:
    """A tiny installed distribution, as an installer would leave it."""
    (folder / f"{name}.py").write_text(code)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


HOST_CODE = """
from agent_connector.host import Detection, Host
HOST = Host(id="sample-host", name="Sample", detection=Detection())
OTHER = Host(id="something-else", name="Sample", detection=Detection())
TEXT = "not a host"
"""


@pytest.fixture
def packages(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("sample_pkg", "second_pkg"):
        sys.modules.pop(name, None)


def test_hosts_that_set_marks_of_others_are_asked_first():
    ids = BuiltinCatalogue().ids()
    assert ids.index("cursor") < ids.index("claude-code")
    assert ids.index("codex") < ids.index("claude-code")


def test_a_host_is_imported_when_it_is_asked_for():
    script = (
        "import sys; from agent_connector.adapters.catalog import CATALOG; CATALOG.get('codex');"
        "print(*[name for name in sys.modules if 'claude_code' in name or 'cursor' in name"
        " or name == 'importlib.metadata'])"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "\n"


def test_the_same_host_is_the_same_object():
    catalogue = BuiltinCatalogue()
    assert catalogue.get("codex") is catalogue.get("codex")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("claude", "claude-code"), ("Claude-Code", "claude-code"), ("codx", "codex"), ("curser", "cursor")],
)
def test_a_typo_is_an_error_with_the_nearest_name(asked, meant):
    with pytest.raises(UsageError, match=f'unknown host "{asked}"') as caught:
        BuiltinCatalogue().get(asked)
    assert f"Did you mean {meant}?" in caught.value.hint


def test_a_name_near_to_none_still_lists_what_there_is():
    with pytest.raises(UsageError) as caught:
        BuiltinCatalogue().get("zzz")
    assert "Did you mean" not in caught.value.hint
    assert "claude-code" in caught.value.hint


def test_another_package_adds_a_host(packages):
    add_package(packages, "sample_pkg", "[agent_connector.hosts]\nsample-host = sample_pkg:HOST\n", HOST_CODE)
    catalogue = BuiltinCatalogue()
    assert catalogue.ids() == (*catalogue.built_in_ids(), "sample-host")
    assert catalogue.get("sample-host").name == "Sample"
    assert catalogue.skipped == {}


def test_another_package_cannot_replace_a_host(packages):
    add_package(packages, "sample_pkg", "[agent_connector.hosts]\ncodex = sample_pkg:HOST\n", HOST_CODE)
    catalogue = BuiltinCatalogue()
    assert catalogue.ids() == catalogue.built_in_ids()
    assert catalogue.get("codex").name == "Codex"
    assert "comes with agent-connector" in catalogue.skipped["codex"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("sample_pkg:MISSING", "AttributeError"),
        ("no_such_module_here:HOST", "ModuleNotFoundError"),
        ("sample_pkg:TEXT", "not a Host"),
        ("sample_pkg:OTHER", "not a Host with the id"),
    ],
)
def test_a_broken_one_is_left_out_with_the_reason(packages, value, reason):
    add_package(packages, "sample_pkg", f"[agent_connector.hosts]\nsample-host = {value}\n", HOST_CODE)
    catalogue = BuiltinCatalogue()
    assert catalogue.ids() == catalogue.built_in_ids()
    assert reason in catalogue.skipped["sample-host"]
    with pytest.raises(UsageError, match="sample-host") as caught:
        catalogue.get("sample-host")
    assert reason in caught.value.hint


def test_code_that_raises_while_it_is_imported_breaks_only_itself(packages):
    add_package(
        packages, "second_pkg", "[agent_connector.hosts]\nbad-host = second_pkg:HOST\n", "raise OSError('no')"
    )
    add_package(packages, "sample_pkg", "[agent_connector.hosts]\nsample-host = sample_pkg:HOST\n", HOST_CODE)
    catalogue = BuiltinCatalogue()
    assert "sample-host" in catalogue.ids()
    assert "OSError" in catalogue.skipped["bad-host"]


def test_packages_are_not_looked_at_for_a_host_of_ours(packages):
    add_package(packages, "sample_pkg", "[agent_connector.hosts]\nsample-host = sample_pkg:HOST\n", HOST_CODE)
    catalogue = BuiltinCatalogue()
    catalogue.get("codex")
    assert "sample_pkg" not in sys.modules
