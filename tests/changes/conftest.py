"""Folders for tests that write a great deal."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def fast_folder(tmp_path):
    """In memory where the system offers it: flushing to a real disk thousands of times takes minutes."""
    memory = Path("/dev/shm")
    if not (memory.is_dir() and os.access(memory, os.W_OK)):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="agent-connector-test-", dir=memory))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def tiny_disk(tmp_path):
    """A real file system of 64 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no right to mount a file system here")
    yield disk
    subprocess.run(["umount", disk], check=True)
