"""The hosts' light modules, and what each host really sent."""

from __future__ import annotations

import json
from importlib import import_module, resources
from types import ModuleType
from typing import Any

import pytest
from agent_connector.adapters.catalog import CATALOG

HOSTS = tuple(host_id for host_id in CATALOG.built_in_ids() if CATALOG.get(host_id).hooks)


def package(host: str) -> str:
    return f"agent_connector.adapters.{host.replace('-', '_')}"


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def hooks(host: str) -> ModuleType:
    return import_module(f"{package(host)}.hooks")


@pytest.fixture
def samples(host: str) -> dict[str, dict[str, Any]]:
    """Name (``Event`` or ``Event.variant``) -> payload, of the hook events."""
    folder = resources.files(package(host)) / "samples"
    files = {file.name.removesuffix(".json"): file for file in folder.iterdir()}
    return {
        name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if name != "StatusLine"
    }


@pytest.fixture
def payload(samples: dict[str, dict[str, Any]]):
    """The host's sample payload of an event, empty where it has none; ``changes`` are put over it."""

    def of(event: str, **changes: Any) -> dict[str, Any]:
        return {**samples.get(event, {}), **changes}

    return of


@pytest.fixture
def reply(hooks: ModuleType, payload):
    """``format`` on the host's sample payload."""

    def formatted(event: str, payload_changes: dict[str, Any] | None = None, **response: Any):
        return hooks.format(event, response, payload(event, **(payload_changes or {})))

    return formatted


def body(reply: Any) -> dict[str, Any]:
    return json.loads(reply.stdout) if reply.stdout else {}
