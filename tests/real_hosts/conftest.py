"""Fixtures of the tests that drive real hosts; every test here carries the ``real_host`` mark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the helper modules beside this file are imported by plain name

import model_server
from host_homes import ClaudeCode, Codex, Home
from turns_count import note_turn


@pytest.fixture
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[model_server.Model]:
    with model_server.serving() as running:
        yield running
        if running.turns:
            note_turn(request, tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").create()


@pytest.fixture
def claude(home: Home, model: model_server.Model) -> ClaudeCode:
    return ClaudeCode(home, model)


@pytest.fixture
def codex(home: Home, model: model_server.Model) -> Codex:
    return Codex(home, model)
