from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest
from agent_connector import ConnectorConfigError, Problem, define_connector
from agent_connector.authoring.identity import Identity
from agent_connector.authoring.models import Connector

HOSTS = ("claude-code", "codex", "cursor")


def _resolved(fields: dict[str, Any], known_hosts: Collection[str] | None = HOSTS) -> Connector:
    whole = {"id": "acme-db", **fields}
    return define_connector(whole).resolve(identity=Identity(), known_hosts=known_hosts)


@pytest.fixture
def resolved() -> Callable[..., Connector]:
    """The connector of a definition called acme-db, given as keywords."""
    return lambda **fields: _resolved(fields)


@pytest.fixture
def faults() -> Callable[..., dict[str, Problem]]:
    """What is wrong with a definition that has some memory besides the given keywords, by path."""

    def find(**fields: Any) -> dict[str, Problem]:
        try:
            _resolved({"memory": [{"content": "Be brief."}], **fields})
        except ConnectorConfigError as error:
            assert len({problem.path for problem in error.problems}) == len(error.problems)
            return {problem.path: problem for problem in error.problems}
        return {}

    return find


@pytest.fixture
def stdio() -> Callable[..., dict[str, Any]]:
    """A server that is right, with some keys otherwise."""
    return lambda **fields: {"transport": "stdio", "command": "npx", "args": ["-y", "acme"], **fields}


@pytest.fixture
def login() -> Callable[..., dict[str, Any]]:
    """An OAuth login that is right, with some keys otherwise."""
    return lambda **fields: {"provider": "github", "client_id": "app", "scopes": ["repo"], **fields}
