"""Folders for tests that write a great deal."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def fast_folder() -> Iterator[Path]:
    """In memory where the system offers it: flushing to a real disk thousands of times takes minutes."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="agent-connector-test-", dir=memory if memory.is_dir() else None))
    yield folder
    shutil.rmtree(folder)
