"""How many hosts took a turn: a whole one, in which the model was asked and our tool was called through ``serve``.

A host that a registry no longer carries is skipped with its reason, and nobody would miss it; so the hosts are
counted, told at the end, and in CI there may not be fewer than :data:`FLOOR`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

FLOOR = 12
"""Of hosts in a whole run (``pytest -m real_host``)."""
_PROPERTY = "host that took its turn"

_passed: set[str] = set()
_hosts: set[str] = set()


def hosts_that_called(folder: Path) -> set[str]:
    """By the rows that proxies left in the data roots below ``folder``."""
    rows = [
        json.loads(line)
        for file in folder.rglob(".agent-connector/telemetry/spool/*.ndjson")
        for line in file.read_text().splitlines()
    ]
    return {row["host"] for row in rows if row["scope"] == "call" and row.get("host")}


def note_turn(request: pytest.FixtureRequest, folder: Path) -> None:
    """A host of a home below ``folder`` asked its model in this test; it counts if the test passed."""
    request.node.user_properties += [(_PROPERTY, host) for host in hosts_that_called(folder)]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        _passed.add(report.nodeid)
    elif report.when == "teardown" and report.nodeid in _passed:
        _hosts.update(str(value) for name, value in report.user_properties if name == _PROPERTY)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if _hosts:
        told = f"{len(_hosts)} hosts took a whole turn: {', '.join(sorted(_hosts))} (at least {FLOOR} are to)"
        terminalreporter.write_line(told)


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.keyword
    of_hosts = config.option.markexpr == "real_host" and not hasattr(config, "workerinput")
    if whole and of_hosts and os.environ.get("CI") == "true" and len(_hosts) < FLOOR:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
