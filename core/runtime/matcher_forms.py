"""Bringing a definition's matchers into the form that :mod:`.matching` compares with. Used at install."""

from __future__ import annotations

from typing import Any

from .matching import Matcher

_MANY = 64
"""Alternatives up to which an expression is spelled out."""


def compile_matcher(pattern: str) -> Matcher | None:
    """The matcher that does what searching for ``pattern`` does."""
    if not pattern:
        return None
    matcher: Matcher = {"regex": pattern}
    texts: dict[str, list[str]] = {}
    try:
        for tokens in _alternatives(_parsed(pattern)):
            kind, text = _literal(tokens)
            if not text and kind != "exact":
                return None  # an empty text is found in every name
            texts.setdefault(kind, []).append(text)
    except _Beyond:
        return matcher
    return {**matcher, **texts}


class _Beyond(Exception):  # noqa: N818
    """The expression says more than literal texts can."""


_START, _END, _ANYTHING = "start", "end", "anything"


class _Mark:
    """A part of an expression that is no letter."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind


Tokens = tuple["str | _Mark", ...]


def _literal(tokens: Tokens) -> tuple[str, str]:
    """(kind, text) of one alternative. Raises :class:`_Beyond`."""
    inner = list(tokens)
    start = end = False
    if inner and _is(inner[0], _START):
        start = True
        inner.pop(0)
    if inner and _is(inner[-1], _END):
        end = True
        inner.pop()
    # ``.*`` at an edge opens that edge, anchored or not.
    while inner and _is(inner[0], _ANYTHING):
        start = False
        inner.pop(0)
    while inner and _is(inner[-1], _ANYTHING):
        end = False
        inner.pop()
    if not all(isinstance(token, str) for token in inner):
        raise _Beyond
    text = "".join(token for token in inner if isinstance(token, str))
    kinds = {(False, False): "any", (True, False): "prefix", (False, True): "suffix", (True, True): "exact"}
    return kinds[start, end], text


def _is(token: str | _Mark, kind: str) -> bool:
    return isinstance(token, _Mark) and token.kind == kind


def _parsed(pattern: str) -> Any:
    """The expression as ``re`` itself reads it: private, so anything unexpected means that it stays as it is."""
    try:
        from re import _constants, _parser  # type: ignore[attr-defined]  # no stubs

        parsed = _parser.parse(pattern)
        plain = parsed.state.flags in (0, _constants.SRE_FLAG_UNICODE)
    except Exception:  # noqa: BLE001
        raise _Beyond from None
    if not plain:
        raise _Beyond
    return parsed


def _alternatives(parsed: Any) -> list[Tokens]:
    """Every text the expression finds, letter by letter, with anchors and ``.*`` as marks."""
    found: list[Tokens] = [()]
    for operation, argument in parsed:
        found = [before + after for before in found for after in _of(str(operation), argument)]
        if len(found) > _MANY:
            raise _Beyond
    return found


def _of(operation: str, argument: Any) -> list[Tokens]:
    match operation, argument:
        case "LITERAL", int(code):
            return [(chr(code),)]
        case "AT", place if str(place) in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            return [(_Mark(_START),)]
        case "AT", place if str(place) == "AT_END":
            return [(_Mark(_END),)]
        case "MAX_REPEAT" | "MIN_REPEAT", (0, most, inner) if str(most) == "MAXREPEAT" and _is_dot(inner):
            return [(_Mark(_ANYTHING),)]
        case "BRANCH", (None, branches):
            return [tokens for branch in branches for tokens in _alternatives(branch)]
        case "SUBPATTERN", (_, 0, 0, inner):
            return _alternatives(inner)
        case "IN", items if all(str(kind) == "LITERAL" for kind, _ in items):
            return [(chr(code),) for _, code in items]
        case _:
            raise _Beyond


def _is_dot(inner: Any) -> bool:
    return len(inner) == 1 and str(inner[0][0]) == "ANY"
