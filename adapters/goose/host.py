"""Goose. Facts are from its documentation and source of 2026-09; it was not run: no registry carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import agents_skills, command_as_skill
from agent_connector.adapters.families.reports import content_drops
from agent_connector.host import AlsoReads, ContentDialect, ContentFiles, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project

from .memory import targets
from .registration import HOOKS
from .server import CONFIG, GOOSE_HOME, SERVER

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command


def render_command(command: Command) -> ContentFiles:
    return ContentFiles(command_as_skill(command, only_when_named=False).files, content_drops("Goose", command))


HOST = Host(
    id="goose",
    name="Goose",
    detection=Detection(
        # A tool for databases has a command of the same name: the file says more than the command.
        binaries=("goose",),
        markers=(CONFIG,),
        project_markers=(project(".goosehints"), project(".goose")),
        home_override="GOOSE_PATH_ROOT",
        version=("goose", "--version"),
        runtime=RuntimeMark(
            env=("GOOSE_TERMINAL",),
            client_names=("goose-cli", "goose-desktop"),
            payload_keys=("matcher_context",),
            session=("AGENT_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    commands=ContentDialect(
        {"user": GOOSE_HOME.below("skills"), "project": project(".goose", "skills")},
        render_command,
        degraded="Goose's own commands are recipes: each becomes a skill, called as /name",
    ),
    skills=agents_skills("Goose"),
    memory=MemoryDialect(targets=targets, scopes=("user", "project")),
    also_reads=(AlsoReads("claude-code", frozenset({"skills"})),),
    verify="goose info -v",
    facts=(
        "From its documentation and source of 2026-09; it was not run: no registry carries the program.",
        "Its samples are put together from its documentation; they were not sent.",
        "It knows no sse any more, which the specification has.",
        "It writes config.yaml anew when extensions or plugins change, and loses the comments in it.",
        "Headers take ${VAR} of variables listed in env_keys, which it looks up in its secrets and its environment.",
    ),
)
