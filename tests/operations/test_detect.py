"""Which hosts are here, how sure that is, of which version, and which one we run in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from agent_connector.host import Catalogue
from agent_connector.operations.context import Context
from agent_connector.operations.detect import detect
from agent_connector.operations.reports import DetectedHost
from agent_connector.operations.requests import DetectRequest
from homes import folders, snapshot


def seen(context: Context, **env: str) -> dict[str, DetectedHost]:
    there = Context(context.machine.with_env(env), context.catalogue, context.version)
    return {host.id: host for host in detect(DetectRequest(), there).hosts}


def current(context: Context, **env: str) -> tuple[str, str]:
    there = Context(context.machine.with_env(env), context.catalogue, context.version)
    report = detect(DetectRequest(), there)
    return report.current, report.current_reason


def program(folder: Path, name: str, version: str) -> Path:
    """A program that says its version and counts how often it was asked."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\necho asked >>"${{0%/*}}/asked"\necho "{name} {version} (built today)"\n')
    path.chmod(0o755)
    return path


def asked(folder: Path) -> int:
    return len((folder / "asked").read_text().splitlines())


def test_nothing_is_there_and_nothing_is_made(home: Path, context: Context) -> None:
    before = snapshot(home), folders(home)
    found = seen(context)
    assert set(found) == set(context.catalogue.ids())
    assert {(host.installed, host.confidence) for host in found.values()} == {(False, "none")}
    assert (snapshot(home), folders(home)) == before


def test_a_program_and_its_files_together_are_the_surest_sign(home: Path, context: Context) -> None:
    program(home / "bin", "codex", "0.171.0")
    path = f"{home / 'bin'}:/usr/bin:/bin"
    alone = seen(context, PATH=path)["codex"]
    assert (alone.installed, alone.confidence) == (True, "medium")
    (home / ".codex").mkdir()
    both = seen(context, PATH=path)["codex"]
    assert (both.installed, both.confidence) == (True, "high")
    assert (both.binary, both.version) == (str(home / "bin" / "codex"), "0.171.0")
    files = seen(context)["codex"]
    assert (files.installed, files.confidence, files.version) == (True, "medium", "")


def test_a_projects_files_alone_are_no_installation(project: Path, context: Context) -> None:
    (project / ".cursor").mkdir()
    found = seen(context)["cursor"]
    assert (found.installed, found.confidence) == (False, "low")
    assert str(project / ".cursor") in found.reason


def test_a_version_is_asked_once_until_the_program_changes(home: Path, context: Context) -> None:
    tool = program(home / "bin", "claude", "2.1.197")
    path = f"{home / 'bin'}:/usr/bin:/bin"
    assert [seen(context, PATH=path)["claude-code"].version for _ in range(3)] == ["2.1.197"] * 3
    assert asked(home / "bin") == 1
    program(home / "bin", "claude", "2.2.0")
    os.utime(tool, ns=(1, 1))
    assert seen(context, PATH=path)["claude-code"].version == "2.2.0"
    assert asked(home / "bin") == 2


def test_asking_for_a_version_makes_no_folder_of_the_hosts_in_the_home(home: Path, context: Context) -> None:
    """Codex 0.171 makes its folder at any call, ``--version`` too."""
    asked = program(home / "bin", "codex", "0.171.0")
    asked.write_text(asked.read_text() + 'mkdir -p "${CODEX_HOME:-$HOME/.codex}/tmp"\n')
    assert seen(context, PATH=f"{home / 'bin'}:/usr/bin:/bin", HOME=str(home))["codex"].version == "0.171.0"
    assert not (home / ".codex").exists()


def test_a_folder_that_a_variable_moved_is_listed_beside_the_usual_one(home: Path, context: Context) -> None:
    roots = seen(context, CODEX_HOME=str(home / "other"))["codex"].roots
    assert [root.path for root in roots] == [
        str(home / "other" / "config.toml"),
        str(home / ".codex" / "config.toml"),
    ]
    assert roots[0].env == {"CODEX_HOME": str(home / "other")}


@pytest.mark.parametrize(
    ("env", "host"),
    [
        ({"CLAUDECODE": "1"}, "claude-code"),
        ({"CLAUDE_PROJECT_DIR": "/p"}, ""),
        ({"CURSOR_VERSION": "3", "CLAUDE_PROJECT_DIR": "/p"}, "cursor"),
        ({"CURSOR_TRACE_ID": "x", "CLAUDECODE": "1"}, "claude-code"),
        ({"CODEX_MANAGED_BY_NPM": "1"}, "codex"),
        ({}, ""),
    ],
)
def test_the_host_we_run_in_is_told_by_its_marks(context: Context, env: dict[str, str], host: str) -> None:
    assert current(context, **env)[0] == host


@pytest.mark.parametrize("variable", ["AGENT_CONNECTOR_HOST", "AGENT_CONNECTOR_PLATFORM"])
def test_a_persons_word_beats_every_mark(context: Context, variable: str) -> None:
    assert current(context, **{variable: "codex", "CLAUDECODE": "1"}) == ("codex", f"{variable} says so")


def test_a_word_that_names_no_host_is_told_and_the_marks_count(context: Context, catalogue: Catalogue) -> None:
    assert "codexx" not in catalogue.ids()
    host, reason = current(context, AGENT_CONNECTOR_HOST="codexx", CLAUDECODE="1")
    assert host == "claude-code"
    assert "AGENT_CONNECTOR_HOST names no host that is known: codexx" in reason
