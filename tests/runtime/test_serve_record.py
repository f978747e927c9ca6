"""What a connector's proxies are told at install: in which host who keeps to the choice of tools."""

from __future__ import annotations

import pytest
from agent_connector import define_connector
from agent_connector.adapters.catalog import CATALOG
from agent_connector.runtime.serve_record import serve_record


@pytest.mark.parametrize(
    ("tools", "who"),
    [
        ({"exclude": ["drop"]}, {"codex": True, "claude-code": False}),
        ({"include": ["read_*"]}, {"codex": False, "claude-code": False}),
    ],
)
def test_the_record_has_the_choice_for_every_host_and_who_keeps_to_it(tools, who):
    connector = define_connector(id="acme", version="1.0.0", server={"command": "acme", "tools": tools})

    hosts = serve_record(connector, CATALOG)["hosts"]

    assert {host: hosts[host]["host_chooses"] for host in who} == who
    assert all(hosts[host]["exclude"] == tools.get("exclude", []) for host in who)
    assert all(hosts[host]["include"] == tools.get("include", ["*"]) for host in who)
