"""No edit without proof: a document that does anything but what was asked of it is found out."""

import gc

import pytest
from agent_connector.documents.base import Edited, Origin
from agent_connector.documents.json import JsonDocument
from agent_connector.documents.proof import prove_append, prove_remove, prove_remove_item, prove_set
from agent_connector.documents.toml import TomlDocument
from agent_connector.errors import DocumentError, ProofError

BEFORE = b'{\n  "a": 1,\n  "list": [1, 2],\n  "box": {"x": 1}\n}\n'


class Careless:
    """A real document whose next edit also does damage: ``spoil`` changes the bytes that it hands out."""

    def __init__(self, data, spoil, undo=lambda data: data):
        self.inner = JsonDocument.parse(data, comments=True)
        self.spoil, self.undo = spoil, undo

    def spoilt(self, document):
        return Careless.after(self.spoil(document.data), self.undo)

    @classmethod
    def after(cls, data, undo):
        careless = cls(b"{}", undo, undo)
        careless.inner = JsonDocument(data, comments=True)
        return careless

    @property
    def data(self):
        return self.inner.data

    def value(self):
        return self.inner.value()

    def get(self, place):
        return self.inner.get(place)

    def set(self, place, value):
        edited = self.inner.set(place, value)
        return Edited(self.spoilt(edited.document), edited.origins)

    def append(self, place, item):
        edited = self.inner.append(place, item)
        return Edited(self.spoilt(edited.document), edited.origins)

    def remove(self, place, origins):
        return self.spoilt(self.inner.remove(place, origins))

    def remove_item(self, place, item, origins):
        return self.spoilt(self.inner.remove_item(place, item, origins))


EDITS = {
    "set": lambda document: prove_set(document, ("box", "ours"), {"command": "x"}),
    "replace": lambda document: prove_set(document, ("box", "x"), {"command": "x"}),
    "append": lambda document: prove_append(document, ("list",), 3),
    "remove": lambda document: prove_remove(document, ("box", "x"), {}),
    "remove_item": lambda document: prove_remove_item(document, ("list",), 2, {}),
}
DAMAGES = {
    "a sibling's value": (lambda data: data.replace(b'"a": 1', b'"a": 2')),
    "a sibling's type": (lambda data: data.replace(b'"a": 1', b'"a": true')),
    "a number's spelling": (lambda data: data.replace(b'"a": 1', b'"a": 1.0')),
    "a sibling lost": (lambda data: data.replace(b'"a": 1,', b"")),
    "a sibling added": (lambda data: data.replace(b'"a": 1,', b'"a": 1, "b": 2,')),
    "layout elsewhere": (lambda data: data.replace(b"{\n  ", b"{\n    ")),
    "a comment added elsewhere": (lambda data: data + b"// us\n"),
    "text that does not parse": (lambda data: data.replace(b'"a": 1,', b'"a": 1')),
    "text that is cut off": (lambda data: data[:-4]),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_that_does_what_it_should_is_handed_out(edit):
    edit(Careless(BEFORE, lambda data: data))


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_damage_elsewhere_is_found_out(edit, damage):
    document = Careless(BEFORE, damage)
    assert damage(BEFORE) != BEFORE
    with pytest.raises(ProofError):
        edit(document)


@pytest.mark.parametrize("edit", [EDITS["set"], EDITS["append"]])
def test_an_edit_that_cannot_be_undone_is_found_out(edit):
    document = Careless(BEFORE, lambda data: data, undo=lambda data: data + b"\n")
    with pytest.raises(ProofError, match="would not give back the same bytes"):
        edit(document)


def test_a_value_written_wrongly_is_found_out():
    document = Careless(BEFORE, lambda data: data.replace(b'"command"', b'"commend"'))
    with pytest.raises(ProofError, match=r"box\.ours would not mean what it should"):
        EDITS["set"](document)


def test_a_removal_may_write_only_what_was_recorded():
    origins = {("box",): Origin(("box",), created=False, interior=b"\t")}
    after = prove_remove(Careless(BEFORE, lambda data: data), ("box", "x"), origins)
    assert after.data == BEFORE.replace(b'{"x": 1}', b"{\t}")
    with pytest.raises(ProofError, match="something that was not there"):
        prove_remove(Careless(BEFORE, lambda data: data.replace(b"{}", b"{\t}")), ("box", "x"), {})


def test_a_removal_that_takes_too_much_is_found_out():
    with pytest.raises(ProofError, match="would come or go"):
        prove_remove(Careless(BEFORE, lambda data: data.replace(b',\n  "box": {"x": 1}', b"")), ("list",), {})


def test_a_key_that_stands_twice_keeps_its_line_and_column():
    document = JsonDocument.parse(b'{"a": 1,\n "a": 2}', comments=False)
    with pytest.raises(DocumentError) as failure:
        prove_set(document, ("a",), 3)
    assert (failure.value.line, failure.value.column) == (2, 2)


def test_values_too_deep_to_compare_are_refused():
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ProofError):
        prove_set(JsonDocument.parse(BEFORE, comments=False), ("deep",), deep)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        EDITS["set"](JsonDocument.parse(BEFORE, comments=False))
        with pytest.raises(ProofError):
            EDITS["set"](Careless(BEFORE, DAMAGES["a sibling lost"]))
        with pytest.raises(DocumentError):
            JsonDocument.parse(b"{", comments=False)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_toml_is_proven_by_the_same_questions():
    document = TomlDocument.parse(b'# mine\n[mcp_servers.theirs]\ncommand = "x" # kept\n')
    edited = prove_set(document, ("mcp_servers", "ours"), {"command": "y"})
    origins = {origin.place: origin for origin in edited.origins}
    assert prove_remove(edited.document, ("mcp_servers", "ours"), origins).data == document.data
