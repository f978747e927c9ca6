"""Notes that several hosts have reason to give, in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agent_connector.host import Note


def names(words: Iterable[str]) -> str:
    return ", ".join(words)


def no_transport(host: str, transport: str, has: Iterable[str]) -> Note:
    return Note(
        "warn",
        f"{host} has no {transport} transport, so the server is not registered there",
        fix=f"Offer the server over one of: {names(has)}.",
    )


def not_registered_disabled(host: str) -> Note:
    return Note("info", f"{host} has no key for a disabled server: it is not registered there")


def filter_not_enforced(host: str, fix: str = "") -> Note:
    return Note(
        "warn",
        f"the tool filter is not enforced in {host} until the proxy filters tools: all tools are visible",
        fix=fix,
    )


def no_key(host: str, what: str, fix: str = "", *, asked: bool = False) -> Note:
    """A wish the host has no key for: a fact, or (``asked``) something that is not done although it matters."""
    return Note("warn" if asked else "info", f"{host} has no key for {what}: left out", fix=fix)


def content_drops(host: str, item: Any, *, model: bool = False, tools: bool = False) -> tuple[Note, ...]:
    """Notes for a content item's ``model`` and tool policy where the host has no key for them."""
    notes = []
    if model and item.model:
        notes.append(no_key(host, f'the model "{item.model}" of "{item.name}"'))
    if tools and (allowed(item) or denied(item)):
        notes.append(no_key(host, f'the tool policy of "{item.name}"', asked=True))
    return tuple(notes)


def allowed(item: Any) -> tuple[str, ...]:
    """Tools the item's policy allows; empty where it has none."""
    return tuple(item.tools.allow or ()) if item.tools else ()


def denied(item: Any) -> tuple[str, ...]:
    return tuple(item.tools.deny or ()) if item.tools else ()
