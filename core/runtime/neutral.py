"""What a host reads as "no opinion": each host's light ``hooks`` module knows.

That module is found by name, so that nothing else of an adapter is loaded: ``agent_connector.adapters.<host>.hooks``
has ``EVENTS`` (canonical event -> native event) and ``neutral(event) -> (stdout, exit code)``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Protocol

    class HooksModule(Protocol):
        EVENTS: dict[str, str]
        neutral: Callable[[str], tuple[str, int]]


Rule = tuple[str, str, str, int]
"""(host, event or ``*``, stdout, exit code): one line of what is said when nothing of ours can be loaded."""


def hooks_module(host: str) -> HooksModule:
    """The light module of a host of ours. Raises ``ImportError`` where it has none, or is no host at all."""
    name = host.replace("-", "_")
    if not (name.isidentifier() and name.isascii()):
        raise ImportError(f"no host is called {host!r}")
    return load(f"agent_connector.adapters.{name}.hooks")


def load(name: str) -> HooksModule:
    module: HooksModule = __import__(name, None, None, ["neutral"])
    return module


def module_of(record: dict[str, Any], host: str) -> Any:
    """The light module of a host by a hook record, also of one that another package adds."""
    name = record["hosts"][host].get("module")
    return load(name) if name else hooks_module(host)


def rule_for(rules: Iterable[Rule], host: str, event: str) -> tuple[str, int]:
    """(stdout, exit code) of the first rule that fits; silence where none does."""
    for rule_host, rule_event, stdout, code in rules:
        if rule_host == host and rule_event in ("*", event):
            return stdout, code
    return "", 0


def rules_of(host: str, module: HooksModule) -> tuple[Rule, ...]:
    """Every neutral reply of ``host`` that is not silence, in the shortest list."""
    replies = {event: module.neutral(event) for event in module.EVENTS}
    if len(set(replies.values())) == 1:
        replies = {"*": next(iter(replies.values()))}
    return tuple((host, event, *reply) for event, reply in replies.items() if reply != ("", 0))
