"""Machines of every system, and read-only eyes on a real folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest
from agent_connector.machine import Machine


class DiskFiles:
    """The read-only port over real files, links included."""

    def read(self, path: PurePath) -> bytes | None:
        file = Path(path)
        return file.read_bytes() if file.is_file() else None

    def exists(self, path: PurePath) -> bool:
        return Path(path).exists()

    def real(self, path: PurePath) -> PurePath:
        return Path(os.path.realpath(path))


@pytest.fixture
def files() -> DiskFiles:
    return DiskFiles()


@pytest.fixture
def here(tmp_path: Path) -> Machine:
    """A Linux machine whose home and project are empty folders."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    return Machine(os="linux", home=home, cwd=project)


@pytest.fixture
def linux() -> Machine:
    return Machine(os="linux", home=PurePosixPath("/home/dev"), cwd=PurePosixPath("/home/dev/app"))


@pytest.fixture
def macos() -> Machine:
    return Machine(os="macos", home=PurePosixPath("/Users/dev"), cwd=PurePosixPath("/Users/dev/app"))


@pytest.fixture
def windows() -> Machine:
    return Machine(os="windows", home=PureWindowsPath("C:/Users/dev"), cwd=PureWindowsPath("D:/app"))
