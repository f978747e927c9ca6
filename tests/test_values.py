"""Immutable values do what frozen dataclasses do."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace
from typing import Any

import pytest
from agent_connector.values import frozen


@frozen
class Place:
    file: str
    keys: tuple[str, ...] = ()
    notes: dict[str, int] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Twin:
    file: str
    keys: tuple[str, ...] = ()
    notes: dict[str, int] = field(default_factory=dict)


def test_fields_are_given_in_order_or_by_name_and_have_defaults() -> None:
    place = Place("a.json", keys=("x", "y"))
    assert (place.file, place.keys, place.notes, place.depth) == ("a.json", ("x", "y"), {}, 2)
    assert Place("a").notes is not Place("a").notes


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), (("a", (), {}, 1), {}), (("a",), {"other": 1}), (("a",), {"file": "b"}), ((), {"keys": ()})],
)
def test_fields_that_are_missing_unknown_or_given_twice_are_refused(given: Any, named: Any) -> None:
    for cls in (Place, Twin):
        with pytest.raises(TypeError):
            cls(*given, **named)


def test_values_are_equal_by_class_and_fields() -> None:
    assert Place("a", ("k",)) == Place("a", ("k",))
    assert Place("a") != Place("b")
    assert Place("a") != Twin("a")
    assert Place("a") != "a"


def test_values_hash_like_their_fields() -> None:
    @frozen
    class Name:
        text: str
        number: int = 0

    assert {Name("a"): 1}[Name("a")] == 1
    assert len({Name("a"), Name("a", 0), Name("a", 1)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Place("a"))


def test_a_field_that_is_not_compared_or_shown_counts_for_neither() -> None:
    @frozen
    class Handler:
        name: str
        function: Any = field(default=None, compare=False, repr=False)

    assert Handler("a", print) == Handler("a")
    assert hash(Handler("a", [])) == hash(Handler("a"))
    assert repr(Handler("a", print)).endswith("Handler(name='a')")


def test_nothing_can_be_assigned_or_deleted() -> None:
    place = Place("a")
    with pytest.raises(FrozenInstanceError):
        place.file = "b"  # type: ignore[misc]  # that is the point
    with pytest.raises(FrozenInstanceError):
        del place.file
    with pytest.raises((FrozenInstanceError, AttributeError)):
        place.more = 1  # type: ignore[attr-defined]  # no such slot
    assert not hasattr(place, "__dict__")


def test_the_functions_of_dataclasses_work() -> None:
    place = Place("a", ("k",), {"n": 1})
    assert replace(place, file="b") == Place("b", ("k",), {"n": 1})
    assert asdict(place) == asdict(Twin("a", ("k",), {"n": 1}))
    assert repr(place) == repr(Twin("a", ("k",), {"n": 1})).replace("Twin", "Place")
    match place:
        case Place(file, (key,)):
            assert (file, key) == ("a", "k")
        case _:
            pytest.fail("a value matches by position")


def test_values_are_copied_and_pickled_whole() -> None:
    place = Place("a", ("k",), {"n": 1})
    assert copy.copy(place) == place
    assert copy.deepcopy(place) == place
    assert pickle.loads(pickle.dumps(place)) == place


def test_a_class_keeps_the_methods_it_has() -> None:
    @frozen
    class Secret:
        text: str

        def __repr__(self) -> str:
            return "Secret(...)"

    assert repr(Secret("x")) == "Secret(...)"
