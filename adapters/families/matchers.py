"""Native hook matchers that are a superset of a definition's regex.

The hook process decides with the definition's own regex, on the native tool name and on the bare one. The host's
matcher only spares it useless starts, so it may let too much through and never too little. What Python, JavaScript
and Rust might read differently becomes ``""``: match all.
"""

from __future__ import annotations

import re

TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"})
SUBAGENT_EVENTS = frozenset({"SubagentStart", "SubagentStop"})
NARROWED_EVENTS = TOOL_EVENTS | SUBAGENT_EVENTS
"""Events whose matcher in a definition speaks of a tool or of an agent type. Elsewhere the host is never narrowed."""

_TOKEN = re.compile(
    r"(?P<anchor>\^)"
    r"|(?P<dash>\\?-)"
    r"|(?P<same>\$|\||\)|\.|\((?:\?:)?(?!\?)|[*+?](?!\+)|\{[0-9]{1,2}(?:,[0-9]{0,2})?\}(?!\+)"
    r"|\\[dDwWsSntr]|\\[][(){}.*+?^$|\\/]|[A-Za-z0-9_ :/,@#%&=!;<>'\"~])"
    r"|(?P<set>\[\^?(?:\\[dDwWsSntr]|\\[][(){}.*+?^$|\\/-]|[A-Za-z0-9_ :/,.@#%=!;'\"*+?(){}$]"
    r"|(?<=[A-Za-z0-9_])-(?=[A-Za-z0-9_])|-(?=\]))+\])"
)
_PLAIN = re.compile(r"[A-Za-z0-9_|]*")


def portable(pattern: str, *, bare_after: str, dash: str = "-") -> str:
    """A regex for the host that matches wherever ``pattern`` matches the native name or the bare one.

    ``bare_after`` is what stands before the bare name inside the native one (``__`` in ``mcp__server__tool``), so
    that ``^`` also holds there; ``dash`` is how the host spells a dash of a name. The result is always more than a
    list of plain words, which some hosts compare for equality. ``""`` means all.
    """
    if pattern in {"", "*"} or _matches_everything(pattern):
        return ""
    written = []
    anchors = _Anchors()
    position = 0
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
        if token is None:
            return ""
        if token["anchor"]:
            written.append(f"(?:^|{bare_after})" if anchors.first() else "")
        elif token["dash"]:
            written.append(dash)
        else:
            anchors.pass_by(token[0])
            written.append(token[0])
        position = token.end()
    text = "".join(written)
    try:
        re.compile(pattern)
    except re.error:
        return ""
    return f"(?:{text})" if _PLAIN.fullmatch(text) else text


class _Anchors:
    """Which ``^`` is the first on its way through the regex. What replaces it consumes text, so only that one may be
    replaced; a further one holds wherever the first does and is left out."""

    def __init__(self) -> None:
        self._anchored = False
        self._open = [(False, False)]  # the whole and each open group: anchored before it, in an alternative of it

    def first(self) -> bool:
        was, self._anchored = self._anchored, True
        return not was

    def pass_by(self, piece: str) -> None:
        before, inside = self._open[-1]
        if piece in {"(", "(?:"}:
            self._open.append((self._anchored, False))
        elif piece == "|":
            self._open[-1] = (before, inside or self._anchored)
            self._anchored = before
        elif piece == ")" and len(self._open) > 1:
            self._open.pop()
            self._anchored = self._anchored or inside


def _matches_everything(pattern: str) -> bool:
    """An empty alternative, or ``.*`` alone: nothing would be narrowed."""
    return pattern in {".*", "^.*$", "^.*", ".*$", ".+"} or "" in pattern.split("|")
