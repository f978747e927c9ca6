"""What a hook process pays for: each host's hooks module, the light siblings, and nothing of the standard library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import agent_connector
from agent_connector.adapters.catalog import CATALOG

SITE = Path(agent_connector.__file__).parents[1]
LOAD = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
hooks = __import__(sys.argv[2], None, None, ["format"])
{use}
print(*sorted(set(sys.modules) - before))
"""
USE = """
for event in hooks.EVENTS:
    hooks.parse(event, {"tool_name": "mcp__a__b", "tool_input": {}, "tool_response": [], "tool_output": "{}"})
    for decision in ("allow", "deny", "ask", "modify", "context"):
        hooks.format(event, {"decision": decision, "reason": "x", "updated_input": {}, "additional_context": "y"}, {})
"""
SHARED = {
    "agent_connector",
    "agent_connector.adapters",
    "agent_connector.adapters.families",
    "agent_connector.adapters.families.antigravity_hooks",
    "agent_connector.adapters.families.gemini_payloads",
    "agent_connector.adapters.families.hook_payloads",
    "agent_connector.adapters.families.hook_wishes",
    "agent_connector.adapters.families.nested_hook_replies",
    "agent_connector.runtime",
    "agent_connector.runtime.jsontext",
    "agent_connector.runtime.reply",
    "_json",
    "__future__",  # of the package itself
}


def loaded(module: str, use: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", LOAD.replace("{use}", use), str(SITE), module],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_only_light_siblings_are_loaded(host):
    package = f"agent_connector.adapters.{host.replace('-', '_')}"
    for use in ("", USE):
        found = loaded(f"{package}.hooks", use)
        assert f"{package}.hooks" in found
        assert found <= SHARED | {package, f"{package}.hooks"}


def test_no_host_loads_another(host):
    others = {other.replace("-", "_") for other in CATALOG.built_in_ids()} - {host.replace("-", "_")}
    found = loaded(f"agent_connector.adapters.{host.replace('-', '_')}.hooks", USE)
    assert not [module for module in found for other in others if other in module.split(".")]
