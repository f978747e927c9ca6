"""What hosts can do, asked by programs; everything follows from the descriptions."""

from __future__ import annotations

from typing import get_args

import pytest
from agent_connector import capabilities_of, explain_hooks, hosts_supporting, surface_support
from agent_connector.adapters.catalog import CATALOG
from agent_connector.errors import UsageError
from agent_connector.vocabulary import Surface


def test_hosts_that_support_a_surface() -> None:
    assert {"claude-code", "cursor"} <= set(hosts_supporting("statusline"))
    assert "codex" not in hosts_supporting("statusline")
    assert {"claude-code", "codex", "cursor"} <= set(hosts_supporting("memory"))
    assert "claude-code" in hosts_supporting("configPatch")
    assert "cursor" not in hosts_supporting("configPatch")
    assert hosts_supporting("actions") == ()


def test_one_host_and_one_surface() -> None:
    assert surface_support("codex", "hooks")
    assert not surface_support("codex", "statusline")


def test_capabilities_agree_with_the_description() -> None:
    for host in CATALOG.ids():
        found = capabilities_of(host)
        assert (found.host, found.name) == (host, CATALOG.get(host).name)
        assert found.surfaces == tuple(found.scopes)
        assert all(found.scopes.values())
        assert {one for one in get_args(Surface) if surface_support(host, one)} == set(found.surfaces)
        hooks = CATALOG.get(host).hooks
        assert found.hook_events == (tuple(hooks.events) if hooks else ())
    assert capabilities_of("claude-code").scopes["hooks"] == ("user", "local", "project")


def test_every_event_of_a_host_is_in_its_matrix() -> None:
    for host in CATALOG.ids():
        rows = explain_hooks(host)
        assert tuple(dict.fromkeys(row.event for row in rows)) == capabilities_of(host).hook_events
        assert {row.host for row in rows} <= {host}


def test_unknown_names_are_refused_with_what_there_is() -> None:
    for ask in (capabilities_of, explain_hooks, lambda name: surface_support(name, "hooks")):
        with pytest.raises(UsageError, match="unknown host") as refused:
            ask("codx")
        assert "codex" in refused.value.hint
    with pytest.raises(UsageError, match="no surface is called") as refused:
        hosts_supporting("statusbar")  # type: ignore[arg-type]
    assert "statusline" in refused.value.hint
