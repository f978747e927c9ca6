"""Notes that several hosts have reason to give, in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_connector.host import Note

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent


def names(words: Iterable[str]) -> str:
    return ", ".join(words)


def no_transport(host: str, transport: str, has: Iterable[str]) -> Note:
    """A fact about the host, as the lack of a surface is."""
    return Note(
        "info",
        f"{host} has no {transport} transport, so the server is not registered there",
        fix=f"Offer the server over one of: {names(has)}.",
    )


def not_registered_disabled(host: str) -> Note:
    return Note("info", f"{host} has no key for a disabled server: it is not registered there")


def resolves_nothing(host: str, what: str, transport: str) -> Note:
    """Why a server is not registered in a host that cannot resolve a reference of it; ``what``: the first of them."""
    fix = (
        "At user scope, with the telemetry wrapper on, the wrapper resolves references."
        if transport == "stdio"
        else "Register it where the host resolves references, or reach the server through a command that adds them."
    )
    return Note("warn", f"{host} cannot resolve a reference, so the server is not registered there ({what})", fix)


def filter_not_enforced(host: str, fix: str = "") -> Note:
    return Note(
        "warn",
        f"the tool filter is not enforced in {host}: all tools of this server are visible there",
        fix=fix,
    )


def no_key(host: str, what: str, fix: str = "", *, asked: bool = False) -> Note:
    """A wish the host has no key for: a fact, or (``asked``) something that is not done although it matters."""
    return Note("warn" if asked else "info", f"{host} has no key for {what}: left out", fix=fix)


def content_drops(host: str, item: Command | Skill | Subagent) -> tuple[Note, ...]:
    """Notes for an item's model, tool policy and context of its own where the host has a key for none of them."""
    notes = []
    if getattr(item, "subtask", False):
        notes.append(no_key(host, f'a context of its own for "{item.name}"'))
    if item.model:
        notes.append(no_key(host, f'the model "{item.model}" of "{item.name}"'))
    return (*notes, *policy_drop(host, item))


def policy_drop(host: str, item: Command | Skill | Subagent) -> tuple[Note, ...]:
    if item.tools.allow or item.tools.deny:
        return (no_key(host, f'the tool policy of "{item.name}"', asked=True),)
    return ()


def deny_drop(host: str, item: Command | Skill | Subagent) -> tuple[Note, ...]:
    """The note for denied tools where the host can only allow."""
    return (no_key(host, f'denied tools of "{item.name}"', asked=True),) if item.tools.deny else ()
