"""``add_one.py DATA_ROOT TEXT CONFIG NAME``: one of many installers at once. Adds its block and its entry."""

import sys
from hashlib import sha256
from pathlib import Path

from agent_connector.changes.apply import apply
from agent_connector.changes.files import read_file
from agent_connector.changes.journal import recover
from agent_connector.changes.ledger import Ledger
from agent_connector.changes.lock import data_root_lock
from agent_connector.changes.model import FileEdit, OwnedRow, Plan
from agent_connector.documents.block import upsert
from agent_connector.documents.opening import open_document

data_root, text, config = (Path(argument) for argument in sys.argv[1:4])
name = sys.argv[4]
with data_root_lock(data_root), Ledger.open(data_root, create=True) as ledger:
    recover(ledger, data_root)
    before = read_file(text)
    block = upsert(before, f"{name}/notes", f"Notes of {name}.", name)
    digest = sha256(f"Notes of {name}.".encode()).hexdigest()
    block_row = OwnedRow(name, "h", "memory", "user", "", str(text), "text", "block", (f"{name}/notes",), digest)
    document = open_document("json", read_file(config) or b"")
    entry = {"command": name}
    edited = document.set(("mcpServers", name), entry)
    entry_row = OwnedRow(name, "h", "server", "user", "", str(config), "json", "entry", ("mcpServers", name), entry)
    applied = apply(
        Plan(
            "0123456789abcdef",
            (),
            (
                FileEdit("h", text, before, block.data, (block_row,)),
                FileEdit("h", config, read_file(config), edited.document.data, (entry_row,), origins=edited.origins),
            ),
        ),
        ledger,
        data_root,
    )
assert not applied.stale, applied
assert not applied.failed, applied
