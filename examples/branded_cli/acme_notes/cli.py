"""``acme-notes install``, ``acme-notes status``, ``acme-notes doctor`` …: agent-connector's verbs, for one connector.

Name and version are those of the installed distribution, so a user never sees the machinery's own name.
"""

from __future__ import annotations

from agent_connector import create_connector_cli

from .connector import connector

main = create_connector_cli(connector, package="acme-notes-mcp")
