"""Whether a thing of ours stands in a file is decided by meaning."""

from hashlib import sha256

import pytest
from agent_connector.changes.model import OwnedRow
from agent_connector.changes.standing import standing, stands
from agent_connector.documents.block import upsert
from agent_connector.errors import DocumentError
from agent_connector.masking import fingerprint


def row(format_id, kind, place, value):
    return OwnedRow("acme", "h", "server", "user", "", "/x", format_id, kind, place, value)


ENTRY = row("json", "entry", ("mcpServers", "acme"), fingerprint({"command": "acme", "env": {"A_TOKEN": "hunter2"}}))
ITEM = row("json", "item", ("hooks", "Stop"), {"command": "acme"})


@pytest.mark.parametrize(
    ("owned", "data", "how"),
    [
        (ENTRY, b'{"mcpServers": {"acme": {"env": {"A_TOKEN": "hunter2"}, "command": "acme"}}}', "ours"),
        (ENTRY, b'{"mcpServers": {"acme": {"env": {"A_TOKEN": "hunter3"}, "command": "acme"}}}', "changed"),
        (ENTRY, b'{"mcpServers": {"acme": null}}', "changed"),
        (ENTRY, b'{"mcpServers": {}}', "gone"),
        (ENTRY, b"", "gone"),
        (ENTRY, None, "gone"),
        (ITEM, b'{"hooks": {"Stop": [{"command": "mine"}, {"command": "acme"}]}}', "ours"),
        (ITEM, b'{"hooks": {"Stop": [{"command": "mine"}]}}', "gone"),
        (ITEM, b'{"hooks": {"Stop": "oops"}}', "gone"),
        (ITEM, b"{}", "gone"),
        (row("toml", "leaf", ("features", "hooks"), True), b"[features]\nhooks = true\n", "ours"),
        (row("toml", "leaf", ("features", "hooks"), True), b"[features]\nhooks = 1\n", "changed"),
        (row("file", "file", (), sha256(b"text").hexdigest()), b"text", "ours"),
        (row("file", "file", (), sha256(b"text").hexdigest()), b"text\n", "changed"),
    ],
)
def test_entries_items_leaves_and_files(owned, data, how):
    assert standing(owned, data) == how
    assert stands(owned, data) == (how == "ours")


def test_blocks():
    owned = row("text", "block", ("acme/notes",), sha256(b"Use acme.").hexdigest())
    data = upsert(b"# Mine\n", "acme/notes", "Use acme.\n", "acme").data
    assert standing(owned, data) == "ours"
    assert standing(owned, data.replace(b"\n", b"\r\n")) == "ours"
    assert standing(owned, data.replace(b"Use acme.", b"Use it.")) == "changed"
    assert standing(owned, upsert(b"", "acme/notes", "Other.", "acme").data) == "changed"
    assert standing(owned, b"# Mine\n") == "gone"


def test_a_file_that_does_not_parse_is_said_and_holds_nothing_for_sure():
    with pytest.raises(DocumentError):
        standing(ENTRY, b"{")
    assert not stands(ENTRY, b"{")
