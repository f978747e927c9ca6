"""A package's own command: installed as pip would, it answers for its one connector under its own name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "branded_cli"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages with acme-notes-mcp in it."""
    site = tmp_path / "site"
    shutil.copytree(EXAMPLE / "acme_notes", site / "acme_notes", ignore=shutil.ignore_patterns("__pycache__"))
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    metadata = site / f"acme_notes_mcp-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    scripts = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    (metadata / "entry_points.txt").write_text(f"[console_scripts]\n{scripts}")
    return site


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    return home


def acme_notes(site: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    start = "import sys; from acme_notes.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", start, *arguments],
        env={"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(site)},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_it_speaks_under_its_own_name_and_version(site: Path, home: Path) -> None:
    assert acme_notes(site, home, "--version").stdout.strip() == "acme-notes 2.1.0"
    assert "Usage: acme-notes" in acme_notes(site, home, "--help").stdout


def test_it_installs_and_removes_its_connector_without_being_told_which(site: Path, home: Path) -> None:
    installed = acme_notes(site, home, "install", "--targets", "claude-code", "--json")
    assert installed.returncode == 0, installed.stderr
    assert json.loads(installed.stdout)["result"]["connector"] == "acme-notes"
    assert "acme-notes" in json.loads((home / ".claude.json").read_text())["mcpServers"]

    removed = acme_notes(site, home, "uninstall", "--json")
    assert removed.returncode == 0, removed.stderr
    assert not (home / ".claude.json").exists()
