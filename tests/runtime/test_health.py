"""What doctor and status can say about launcher and runtime."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from agent_connector.runtime.builder import build_launcher, current_runtime, launcher_path, refresh
from agent_connector.runtime.health import check_runtime
from agent_connector.runtime.launcher import Stamp, read_stamp


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("health") / "root"
    refresh(root, environment=os.environ)
    return root


@pytest.fixture
def root(made, tmp_path, copy_root):
    return copy_root(made, tmp_path / "root")


def test_a_fresh_launcher_is_well(root):
    health = check_runtime(root)

    assert (health.problems, health.stale, health.ok) == ((), "", True)
    assert health.version == health.installed
    assert health.runtime == current_runtime(root).name


def test_looking_writes_nothing(root):
    before = sorted((path, path.lstat().st_mtime_ns) for path in root.rglob("*"))

    check_runtime(root, run=False)

    assert sorted((path, path.lstat().st_mtime_ns) for path in root.rglob("*")) == before


def _no_launcher(root):
    launcher_path(root).unlink()


def _somebody_elses(root):
    launcher_path(root).unlink()
    launcher_path(root).write_text("#!/bin/sh\n")


def _not_executable(root):
    launcher_path(root).chmod(0o600)


def _no_interpreter(root):
    build_launcher(root, Stamp("/gone/python", current_runtime(root).name))


def _no_runtime(root):
    shutil.rmtree(current_runtime(root))


def _damaged(root):
    shutil.rmtree(current_runtime(root) / "site" / "agent_connector")


def _no_entry(root):
    (current_runtime(root) / "entry" / "main.py").unlink()


def _other_version(root):
    manifest = current_runtime(root) / "manifest.json"
    values = json.loads(manifest.read_bytes())
    manifest.unlink()
    manifest.write_text(json.dumps({**values, "version": "7.7"}))


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (_no_launcher, "is not there"),
        (_somebody_elses, "is not one of ours"),
        (_not_executable, "is not executable"),
        (_no_interpreter, "Python, /gone/python, is gone"),
        (_no_runtime, "is gone or damaged"),
        (_damaged, "ends with 1: ModuleNotFoundError"),
        (_no_entry, "ends with 127"),
        (_other_version, "its runtime is version 7.7"),
    ],
)
def test_what_is_broken_is_named(root, spoil, text):
    spoil(root)

    health = check_runtime(root)

    assert len(health.problems) == 1
    assert text in health.problems[0]
    assert not health.ok


def test_a_runtime_of_other_files_works_and_is_stale(root):
    manifest = current_runtime(root) / "manifest.json"
    values = json.loads(manifest.read_bytes())
    manifest.unlink()
    manifest.write_text(json.dumps({**values, "own": "other"}))

    health = check_runtime(root)

    assert health.ok
    assert "other files" in health.stale
    assert read_stamp(health.launcher).interpreter == health.interpreter
