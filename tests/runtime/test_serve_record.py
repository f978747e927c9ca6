"""What a connector's proxies are told at install: in which host who keeps to the choice of tools."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize(
    ("tools", "who"),
    [
        ({"exclude": ["drop"]}, {"codex": True, "claude-code": False}),
        ({"include": ["read_*"]}, {"codex": False, "claude-code": False}),
    ],
)
def test_the_record_has_the_choice_for_every_host_and_who_keeps_to_it(install_hooks, tools, who):
    hooks = install_hooks({"server": {"transport": "stdio", "command": "acme", "tools": tools}})

    hosts = json.loads((hooks.root / "connectors" / "acme" / "serve.json").read_text())["hosts"]

    assert {host: hosts[host]["host_chooses"] for host in who} == who
    assert all(hosts[host]["exclude"] == tools.get("exclude", []) for host in who)
    assert all(hosts[host]["include"] == tools.get("include", ["*"]) for host in who)
