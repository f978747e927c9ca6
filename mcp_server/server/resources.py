"""What can be read without calling a tool: the schema of a definition, the hosts, and plans that were shown."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from agent_connector.errors import AgentConnectorError, UsageError
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from .desk import Desk

SCHEMA_URI = "agent-connector://schema/definition"
HOSTS_URI = "agent-connector://hosts"
HOST_URI = "agent-connector://hosts/{host}"
PLAN_URI = "agent-connector://plans/{plan_id}"


def add_to(server: MCPServer[Desk], desk: Desk) -> None:
    @server.resource(
        SCHEMA_URI,
        name="definition-schema",
        title="Schema of a definition",
        description="JSON schema of what install takes as definition.",
        mime_type="application/schema+json",
    )
    def schema() -> str:
        from agent_connector.authoring.schema import definition_schema

        return json.dumps(definition_schema(), ensure_ascii=False)

    @server.resource(
        HOSTS_URI,
        name="hosts",
        title="AI agents on this machine",
        description="Every host that is known: where it keeps things and what it can do.",
        mime_type="application/json",
    )
    def hosts() -> str:
        return json.dumps(_detected(desk))

    @server.resource(
        HOST_URI,
        name="host",
        title="One AI agent",
        description="Where this host keeps things and what it can do.",
        mime_type="application/json",
    )
    def host(host: str) -> str:
        return json.dumps(_detected(desk, host)["hosts"][0])

    @server.resource(
        PLAN_URI,
        name="plan",
        title="What a plan would change",
        description="The diff of every file, secrets masked. Plans can be read for an hour.",
        mime_type="text/x-diff",
    )
    def plan(plan_id: str) -> str:
        try:
            return desk.plans.get(plan_id).diff
        except UsageError as unknown:
            raise ResourceNotFoundError(unknown.message) from unknown


def _detected(desk: Desk, *targets: str) -> dict[str, Any]:
    from agent_connector.operations.detect import detect
    from agent_connector.operations.requests import DetectRequest

    try:
        return asdict(detect(DetectRequest(targets=targets), desk.context()))
    except AgentConnectorError as unknown:
        raise ResourceNotFoundError(str(unknown)) from unknown
