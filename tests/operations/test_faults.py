"""Killed anywhere, changed under our feet, handed the worst of files: nothing is lost, nothing torn, all is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent


@pytest.mark.parametrize(("operation", "at_least"), [("install", 60), ("upgrade", 40), ("uninstall", 50)])
def test_killed_at_any_write_the_next_run_completes_and_everything_can_be_taken_out(operation, at_least, fast_folder):
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("kill_operations.py"), operation, fast_folder],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > at_least, "the calls that write were not all seen"
