"""Which host really called: some run hooks that were registered for another one.

A host whose payloads have a key that no other host sends is told by that alone: the environment is inherited by
everything a host starts, the payload is not. Nothing is muted on a guess: where the marks contradict each other the
call counts as that of the host it was registered for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def caller_of(readers: Iterable[dict[str, Any]], payload: dict[str, Any], variable: Callable[[str], str]) -> str:
    """The first of the hosts that read these registrations whose marks are there; ``""`` if none can be told.

    ``readers``: ``{"host", "env", "not_env", "keys"}`` each, and ``every`` and ``none`` where a host is told by which
    keys its payloads have together and which they have not, or ``text``, a key and what its text may hold.
    ``variable``: name -> value in our environment, or "".
    """
    for reader in readers:
        keys = reader["keys"]
        every, none = reader.get("every"), reader.get("none", ())
        if "text" in reader:
            key, *pieces = reader["text"]
            said = payload.get(key)
            called = isinstance(said, str) and any(piece in _plain(said) for piece in pieces)
        elif keys:
            called = any(key in payload for key in keys)
        elif every:
            called = all(key in payload for key in every) and not any(key in payload for key in none)
        else:
            called = any(map(variable, reader["env"])) and not any(map(variable, reader["not_env"]))
        if called:
            return str(reader["host"])
    return ""


def has_own_copy(installed: dict[str, list[str]], host: str, project: str) -> bool:
    """Whether a registration of the connector for ``host`` itself answers in ``project``.

    ``installed``: host -> the projects whose files hold it, ``""`` for every project.
    """
    places = installed.get(host, ())
    return "" in places or (bool(project) and _plain(project) in map(_plain, places))


def _plain(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")
