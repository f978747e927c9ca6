"""Killed anywhere, an apply leaves every file old or new, and the next run makes ledger and files agree."""

import subprocess
import sys
from pathlib import Path


def test_killed_before_every_single_write(fast_folder):
    driver = Path(__file__).with_name("kill_driver.py")
    done = subprocess.run(
        [sys.executable, driver, fast_folder], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 80, "the calls that write were not all seen"
