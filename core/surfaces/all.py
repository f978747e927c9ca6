"""Every surface of a definition for one host, in the order in which they are put in place."""

from __future__ import annotations

from ..host import Note
from .content import desired_content
from .hooks import desired_hooks, desired_native_hooks, desired_usage_hook
from .memory import desired_memory
from .server import desired_server
from .settings import desired_config_patches, desired_statusline
from .target import Desired, Target


def desired(target: Target) -> Desired:
    """Memory comes last of the content and config patches last of all, so that the diff reads as the final state."""
    parts = [
        desired_server(target),
        desired_hooks(target),
        desired_native_hooks(target),
        desired_usage_hook(target),
        desired_content(target),
        desired_memory(target),
        desired_statusline(target),
        desired_config_patches(target),
    ]
    if target.wants("actions"):
        parts.append(_actions(target))
    return Desired.joined(parts)


def _actions(target: Target) -> Desired:
    ids = ", ".join(action.id for action in target.connector.actions)
    text = f"{target.host.name} has no native trigger for actions ({ids})"
    fix = f"agent-connector action {target.host.id} <action> --connector {target.connector.id} runs them"
    return Desired(changes=(target.say("actions", Note("info", text, fix)),))
