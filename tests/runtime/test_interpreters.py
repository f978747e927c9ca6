"""Which Python the launcher names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from agent_connector.runtime.interpreters import durable_interpreter, fleeting

BASE = Path(sys._base_executable)
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


def _python(path):
    """A file that stands for an interpreter in a place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(BASE)
    return path


@pytest.fixture(autouse=True)
def _temporary_folder_is_elsewhere(monkeypatch):
    """The tests' own folder is a temporary one, which is what is asked about here."""
    monkeypatch.setattr("agent_connector.runtime.interpreters._TEMPORARY", ())


def test_the_base_of_a_virtual_environment_is_named_not_its_own(installation):
    code = (
        "import os; from agent_connector.runtime.interpreters import durable_interpreter as d; "
        "i = d(os.environ); print(i.path, i.warning, sep='|')"
    )

    path, warning = installation.run(code).stdout.strip().split("|")

    assert Path(path).samefile(BASE)
    assert not Path(path).is_relative_to(installation.folder)
    assert warning == ""


@pytest.mark.parametrize(
    ("place", "environment", "reason"),
    [
        ("tmp/python3", {"TMPDIR": "tmp"}, "a temporary folder"),
        ("cache/uv/archive/x/bin/python3", {"XDG_CACHE_HOME": "cache"}, "a cache"),
        ("home/.cache/pipx/x/bin/python3", {"HOME": "home"}, "a cache"),
        ("home/Library/Caches/x/bin/python3", {"HOME": "home"}, "a cache"),
        ("uv/x/bin/python3", {"UV_CACHE_DIR": "uv"}, "a cache"),
        ("home/.local/share/uv/python/cpython/bin/python3", {"HOME": "home"}, ""),
        ("home/.pyenv/versions/3/bin/python3", {"HOME": "home"}, ""),
        ("opt/bin/python3", {}, ""),
    ],
)
def test_places_that_go_away_are_known(tmp_path, place, environment, reason):
    python = _python(tmp_path / place)

    found = fleeting(python, {"HOME": "/nobody", **{name: str(tmp_path / to) for name, to in environment.items()}})

    assert found == reason


def test_environments_are_known_by_what_stands_in_them(tmp_path):
    virtual = _python(tmp_path / "ve" / "bin" / "python3")
    (tmp_path / "ve" / "pyvenv.cfg").touch()
    conda = _python(tmp_path / "conda" / "envs" / "x" / "bin" / "python3")
    (tmp_path / "conda" / "envs" / "x" / "conda-meta").mkdir()
    base = _python(tmp_path / "conda" / "bin" / "python3")
    (tmp_path / "conda" / "conda-meta").mkdir()

    assert fleeting(virtual, {}) == "a virtual environment"
    assert fleeting(conda, {}) == "a conda environment"
    assert fleeting(base, {}) == ""
    assert fleeting(tmp_path / "none" / "python3", {}) == "a folder that is gone"


def test_a_name_with_the_version_is_preferred(tmp_path, monkeypatch):
    plain = _python(tmp_path / "bin" / "python3")
    monkeypatch.setattr(sys, "_base_executable", str(plain))
    assert durable_interpreter({}).path == plain

    versioned = _python(tmp_path / "bin" / f"python{VERSION}")
    assert durable_interpreter({}).path == versioned


def test_another_interpreter_is_found_where_ours_goes_away(tmp_path, monkeypatch):
    ours = _python(tmp_path / "cache" / "python3")
    monkeypatch.setattr(sys, "_base_executable", str(ours))
    shims = tmp_path / "shims"
    shims.mkdir()
    for name, script in {
        f"python{VERSION}": f'exec "{BASE}" "$@"',  # as version managers have them: the real one is named
        "python3": "echo store stub; exit 9",
        "python": "exit 0",
    }.items():
        (shims / name).write_text(f"#!/bin/sh\n{script}\n")
        (shims / name).chmod(0o700)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": f"{shims}{os.pathsep}relative"}

    found = durable_interpreter(environment, ())
    assert found.path.samefile(BASE)
    assert not found.path.is_relative_to(tmp_path)
    assert found.warning == ""

    (shims / f"python{VERSION}").unlink()  # what is left is no Python of the same kind
    none = durable_interpreter(environment, ())
    assert none.path == ours
    assert "lives in a cache" in none.warning
    assert "upgrade" in none.warning
