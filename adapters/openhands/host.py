"""OpenHands' command line, as of 1.16.0 (SDK 1.21.0)."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.host import AlsoReads, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project
from agent_connector.vocabulary import Scope

from .registration import HOOKS
from .server import PERSISTENCE, SERVER

_IN_PROJECTS: frozenset[Scope] = frozenset({"project"})

HOST = Host(
    id="openhands",
    name="OpenHands",
    detection=Detection(
        binaries=("openhands",),
        # No home_override: OPENHANDS_PERSISTENCE_DIR moves the servers and leaves the hooks where they are.
        markers=(PERSISTENCE,),
        project_markers=(project(".openhands"),),
        version=("openhands", "--version"),
        runtime=RuntimeMark(
            # Hooks get these; servers no mark, and the name "mcp" of everything made with the Python SDK.
            env=("OPENHANDS_SESSION_ID", "OPENHANDS_PROJECT_DIR"),
            payload_keys=("event_type",),
            session=("OPENHANDS_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    skills=agents_skills("OpenHands"),
    memory=MemoryDialect(targets=targets_in(None), scopes=("project",)),
    also_reads=(
        AlsoReads("claude-code", frozenset({"memory"}), scopes=_IN_PROJECTS),
        AlsoReads("gemini-cli", frozenset({"memory"}), scopes=_IN_PROJECTS),
    ),
    verify="openhands mcp list",
    facts=(
        "Run headless with 1.16.0: a server's call and environment, denies, context, which file counts.",
        "Read in its source: times, matchers, which files of skills and memory it reads, what it refuses a file for.",
        "One file of hooks counts, the project's if there is one: the specification says nothing of it.",
        "A hooks file it refuses ends a run before the model is asked, with exit code 0.",
        "It resolves ${VAR} and ${VAR:-default} in server entries, whoever wrote them.",
        "Its model knows a server's tools by their bare names, so that tools of two servers can collide.",
    ),
)
