"""How Gemini CLI spells a server entry, and where its settings stand.

Files are JSON with comments. ``$VAR``, ``${VAR}`` and ``${VAR:-default}`` are expanded in every string of them;
a variable that is not set becomes nothing. What of the environment looks like a secret is kept from servers.
"""

from __future__ import annotations

import re

from agent_connector.adapters.families.mcp_json import McpJson, exact_names, render_entry, shell_style
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home, project
from agent_connector.vocabulary import Scope

CONFIG_HOME = home(".gemini").moved_by("GEMINI_CLI_HOME", ".gemini")
SETTINGS: dict[Scope, Location] = {
    "user": CONFIG_HOME.below("settings.json"),
    "project": project(".gemini", "settings.json"),
}

TRUST_FIX = "Start `gemini` in the project and trust the folder."
PROJECT_TRUST = Note(
    "info",
    "Gemini CLI reads a project's .gemini folder only when the folder is trusted; in one that is not, headless runs "
    "end with exit code 55",
    fix=TRUST_FIX,
    gate=True,
)

_WITHHELD = re.compile(
    "TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT|CLIENT_ID|DB_URI|CONNECTION_STRING"
    "|AWS_DEFAULT_REGION|AZURE_|SLACK_WEBHOOK_URL|TWILIO_ACCOUNT_SID|DATABASE_URL|GOOGLE_CLOUD_|FIREBASE_PROJECT_ID",
    re.IGNORECASE,
)
"""Names in the environment that Gemini CLI 0.61 hands to no server unless its entry lists them."""


def handed_on(variable: str) -> bool:
    return _WITHHELD.search(variable) is None


_DIALECT = McpJson(
    host="Gemini CLI",
    spell=shell_style,
    types={"stdio": "", "http": "http", "sse": "sse"},
    cwd_key="cwd",
    timeout_key="timeout",
    include_key="includeTools",
    exclude_key="excludeTools",
    hands_on=handed_on,
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


SERVER = ServerDialect(
    places={scope: Place(location, "jsonc", ("mcpServers", NAME)) for scope, location in SETTINGS.items()},
    render=render,
    env_pass=False,
    chooses=exact_names,
    notes={"project": (PROJECT_TRUST,)},
)
