"""Every host at every scope on every system: what an install makes of a person's files, byte for byte, and back.

The fixtures are read by eye against what each host's documentation says; ``tests/host_matrix.py`` says how they are
made and what they look like.
"""

from __future__ import annotations

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.host import Host
from agent_connector.vocabulary import Scope
from host_matrix import AGAIN, FIXTURES, connectors, fixture_text, on_every_system, read_sections, scopes_of

HOSTS = [CATALOG.get(host_id) for host_id in CATALOG.built_in_ids()]
SCOPES = [pytest.param(host, scope, id=f"{host.id}-{scope}") for host in HOSTS for scope in scopes_of(host)]


def fixture_of(host: Host, name: str) -> str:
    file = FIXTURES / host.id / f"{name}.txt"
    if not file.exists():
        pytest.fail(f"no fixture {file.relative_to(FIXTURES.parents[2])}: run {AGAIN.format(host=host.id)}")
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("host", "scope"), SCOPES)
def test_what_an_install_makes_of_a_persons_files_is_what_the_fixture_says_and_every_byte_comes_back(
    host: Host, scope: Scope
) -> None:
    fixture_of(host, "before")
    expected = fixture_of(host, scope)
    systems = on_every_system(host, scope)
    assert fixture_text(systems) == expected, f"if that is right: {AGAIN.format(host=host.id)}"
    for system, installed in systems.items():
        for connector in connectors(host):
            assert installed.bench.plan(connector, host, scope).edits == (), f"a second plan on {system}"
        installed.undo()
        assert installed.bench.files == installed.before, system
        assert installed.bench.rows_ == [], system


def test_there_is_no_fixture_that_nobody_holds() -> None:
    known = {f"{host.id}/{name}.txt" for host in HOSTS for name in ("before", *scopes_of(host))}
    assert {path.relative_to(FIXTURES).as_posix() for path in FIXTURES.rglob("*.txt")} <= known


@pytest.mark.parametrize("host", HOSTS, ids=[host.id for host in HOSTS])
def test_a_persons_files_have_what_is_not_ours(host: Host) -> None:
    """Else it would prove nothing that they survive."""
    files = read_sections(fixture_of(host, "before"))
    assert files or not host.server
    if host.server:
        assert any("weather" in content for content in files.values())
