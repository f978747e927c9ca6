"""Acme DB, declared once for every host. Name and version come from pyproject.toml beside this file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from agent_connector import Response, command, define_connector, hook, memory, skill

HERE = Path(__file__).resolve().parent
SCHEMA = "orders(id integer, customer text, total_cents integer)"


@hook("PreToolUse", matcher="acme_write")
def confirm_write(event: Any) -> Response:
    return Response.ask(f"Change the Acme database: {event.tool_input.get('sql', '')}")


tell_schema = hook("SessionStart", response=Response.context(f"The Acme database has one table: {SCHEMA}."))

connector = define_connector(
    server={
        "transport": "stdio",
        # Absolute, because a host starts the server in a folder of its own choosing; this interpreter, because
        # it is the one that has the server's dependencies. Deleting this folder or environment stops the server.
        "command": sys.executable,
        "args": [str(HERE / "server.py")],
        "env": {"ACME_DB_FILE": "${env:ACME_DB_FILE:-}"},
        "timeout_ms": 30_000,
        "startup_timeout_ms": 20_000,
    },
    hooks=[confirm_write, tell_schema],
    commands=[
        command(
            "acme-top",
            "Use acme_query to list the $ARGUMENTS customers with the highest order totals, as a table in euros.",
            description="The customers who ordered the most",
            argument_hint="[how many]",
        )
    ],
    skills=[
        skill(
            "acme-orders",
            "Answers questions about Acme's orders from the database. Use when the user asks about orders, customers "
            "or revenue.",
            f"Read with the acme_query tool; one SELECT per call. The only table is `{SCHEMA}`.\n\n"
            "Amounts are in cents: divide by 100 before you show them. Never guess a figure that a query can give.\n",
        )
    ],
    memory=[memory("Acme order amounts are stored in cents; show them in euros.")],
)
