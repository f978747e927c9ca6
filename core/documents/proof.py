"""No edit without proof: the four edits of a document, each of which proves itself before it is handed out.

One: the new bytes parse, and mean what the old ones meant except in exactly the intended place. Two: undoing the edit
on the new bytes gives back the old bytes. Both are asked of the document alone, whatever its format. Everything here
raises :class:`ProofError` when a proof fails; nothing may be written then.

Meaning is compared with ``==``, which runs in C but takes ``1`` for ``true``. Proof two closes that gap: such a
change would be one of bytes outside the edit.

A null where a container of ours goes in or comes out is an empty one: ``servers:`` with nothing behind it is how YAML
writes that. JSON and TOML never get here with one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from ..errors import DocumentError, ProofError
from .base import MISSING, Document, Edited, Origin, Place, same_value
from .collector import collector_paused
from .elements import Element, element_of, spelled

_EMPTY: Final = (b" {}", b" []")
_UNPROVEN: Final = "nothing was written; please make this edit by hand"


def prove_set(document: Document, place: Place, value: Any) -> Edited:
    """:meth:`Document.set`, proven."""
    with collector_paused(), _no_deeper_than_python():
        edited = document.set(place, value)
        if edited.document is document:
            return edited
        _only_changed(document, edited.document, place, value)
        if document.get(place) is MISSING:
            undone = edited.document.remove(place, _by_place(edited))
            _same_bytes(undone, document, f"removing {spelled(place)} again")
        else:
            # Whatever stands there, taking it out of both leaves what was not to be touched.
            untouched = document.remove(place, {})
            _only_taken_away(document, untouched, {})
            _same_bytes(edited.document.remove(place, {}), untouched, f"replacing {spelled(place)}")
        return edited


def prove_append(document: Document, place: Place, item: Any) -> Edited:
    """:meth:`Document.append`, proven."""
    with collector_paused(), _no_deeper_than_python():
        edited = document.append(place, item)
        before = document.get(place)
        _only_changed(document, edited.document, place, [*([] if _nothing(before) else before), item])
        undone = edited.document.remove_item(place, item, _by_place(edited))
        _same_bytes(undone, document, f"removing the item from {spelled(place)} again")
        return edited


def prove_remove(document: Document, place: Place, origins: Mapping[Place, Origin]) -> Document:
    """:meth:`Document.remove`, proven."""
    with collector_paused(), _no_deeper_than_python():
        after = document.remove(place, origins)
        _only_changed(document, after, place, MISSING)
        _only_taken_away(document, after, origins)
        return after


def prove_remove_item(document: Document, place: Place, item: Any, origins: Mapping[Place, Origin]) -> Document:
    """:meth:`Document.remove_item`, proven."""
    with collector_paused(), _no_deeper_than_python():
        after = document.remove_item(place, item, origins)
        rest = list(document.get(place))
        del rest[next(at for at in reversed(range(len(rest))) if same_value(rest[at], item))]
        _only_changed(document, after, place, rest)
        _only_taken_away(document, after, origins)
        return after


@contextmanager
def _no_deeper_than_python() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise ProofError("the values are nested too deeply to compare", hint=_UNPROVEN) from None


def _by_place(edited: Edited) -> dict[Place, Origin]:
    return {origin.place: origin for origin in edited.origins}


def _only_changed(old: Document, new: Document, place: Place, expected: Any) -> None:
    """Proof one. ``expected`` is what stands at ``place`` afterwards, or ``MISSING``."""
    try:
        after = new.value()
    except DocumentError as error:
        raise ProofError(f"the edited text would not parse: {error.message}", hint=_UNPROVEN) from None
    _compare(old.value(), after, place, 0, expected)


def _compare(before: Any, after: Any, place: Place, depth: int, expected: Any) -> None:
    """Both values stand at ``place[:depth]``; either may be ``MISSING``."""
    if depth == len(place):
        if not _same(after, expected) and not (_nothing(after) and expected == []):
            raise ProofError(f"{spelled(place)} would not mean what it should", hint=_UNPROVEN)
        return
    if depth == len(place) - 1 and (element := element_of(place)) is not None:
        _compare_elements(before, after, element, expected)
        return
    if _nothing(before) or _nothing(after):
        # A container of ours that is new or gone: nothing else may be, or have been, in it.
        before, after = ({} if _nothing(side) else side for side in (before, after))
    if not isinstance(before, dict) or not isinstance(after, dict):
        raise ProofError(f"{spelled(place[:depth])} is not an object", hint=_UNPROVEN)
    key = place[depth]
    if before.keys() - {key} != after.keys() - {key}:
        raise ProofError(f"other keys of {spelled(place[:depth])} would come or go", hint=_UNPROVEN)
    for other, value in before.items():
        if other != key and not _same(value, after[other]):
            raise ProofError(f"{spelled((*place[:depth], other))} would change too", hint=_UNPROVEN)
    _compare(before.get(key, MISSING), after.get(key, MISSING), place, depth + 1, expected)


def _compare_elements(before: Any, after: Any, element: Element, expected: Any) -> None:
    """Both arrays but for the element, which may come behind the others, change where it stands, or go."""
    old, new = ([] if _nothing(side) else side for side in (before, after))
    if not isinstance(old, list) or not isinstance(new, list):
        raise ProofError(f"{spelled(element.array)} is not an array", hint=_UNPROVEN)
    was, now = element.index_in(old), element.index_in(new)
    there = MISSING if now is None else new[now]
    if not _same(there, expected):
        raise ProofError(f"{element.name} in {spelled(element.array)} would not mean what it should", hint=_UNPROVEN)
    stays = was == now if was is not None and now is not None else now in (None, len(old))
    if not stays or not _same(_without(old, was), _without(new, now)):
        raise ProofError(f"other elements of {spelled(element.array)} would change too", hint=_UNPROVEN)


def _without(items: list[Any], index: int | None) -> list[Any]:
    return items if index is None else items[:index] + items[index + 1 :]


def _nothing(value: Any) -> bool:
    return value is MISSING or value is None


def _same(left: Any, right: Any) -> bool:
    return left is right or bool(left == right) or same_value(left, right)


def _same_bytes(left: Document, right: Document, what: str) -> None:
    if left.data != right.data:
        raise ProofError(f"{what} would not give back the same bytes", hint=_UNPROVEN)


def _only_taken_away(old: Document, new: Document, origins: Mapping[Place, Origin]) -> None:
    """Proof two of a removal: what is left is what was there, or the recorded inside of an emptied container, or
    brackets with nothing in them where there were none."""
    start, end = _common_ends(old.data, new.data)
    taken = old.data[start : len(old.data) - end]
    left = new.data[start : len(new.data) - end]
    if _stands_in(left, taken) or any(left in origin.interior for origin in origins.values()):
        return
    # What is given back may stand in front of what was there all along, and begin like it.
    given = [*_EMPTY, *(origin.interior for place, origin in origins.items() if place)]
    for piece, at in ((one, start - shared) for one in given for shared in range(min(len(one), start + 1))):
        rest = new.data[at + len(piece) : len(new.data) - end]
        if new.data.startswith(piece, at) and _stands_in(rest, old.data[at : len(old.data) - end]):
            return
    raise ProofError("the edit would write something that was not there", hint=_UNPROVEN)


def _stands_in(left: bytes, taken: bytes) -> bool:
    """Whether taking bytes out of ``taken`` gives ``left``."""
    rest = iter(taken)
    return all(byte in rest for byte in left)


def _common_ends(left: bytes, right: bytes) -> tuple[int, int]:
    """How many bytes both begin with, and how many of the others both end with."""
    shorter = min(len(left), len(right))
    start = _longest(shorter, lambda low, high: left[low:high] == right[low:high])
    size, other = len(left), len(right)
    end = _longest(
        shorter - start, lambda low, high: left[size - high : size - low] == right[other - high : other - low]
    )
    return start, end


def _longest(limit: int, agree: Callable[[int, int], bool]) -> int:
    """Up to where, from 0, all stretches agree; halving them copies no more than the whole once or twice."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if agree(low, middle):
            low = middle
        else:
            high = middle - 1
    return low
