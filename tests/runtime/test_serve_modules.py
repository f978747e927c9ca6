"""What a proxy loads: it stands beside every server for as long as that runs, and a user has twenty of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from agent_connector.runtime.launcher import read_stamp
from served import make_root

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="two threads do it there")

PASSING = {
    "agent_connector",
    "agent_connector.runtime",
    "agent_connector.runtime.appending",
    "agent_connector.runtime.child",
    "agent_connector.runtime.flow",
    "agent_connector.runtime.jsontext",
    "agent_connector.runtime.own_files",
    "agent_connector.runtime.process",
    "agent_connector.runtime.pump",
    "agent_connector.runtime.serve",
    "agent_connector.runtime.serving",
    "agent_connector.runtime.spool",
}
MEASURING = PASSING | {
    "agent_connector.runtime.counter_link",
    "agent_connector.runtime.envelope",
    "agent_connector.runtime.lines",
    "agent_connector.runtime.meter",
    "agent_connector.runtime.project_key",
}
FILTERING = MEASURING | {"agent_connector.runtime.tool_filter"}
HEAVY = {
    "agent_connector.telemetry",
    "asyncio",
    "contextlib",
    "json",
    "msgspec",
    "pathlib",
    "pydantic",
    "re",
    "socket",
    "sqlite3",
    "subprocess",
    "threading",
    "tiktoken",
    "typing",
}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read", "arguments": {"q": "x"}}}


@pytest.mark.parametrize(
    ("host", "telemetry", "expected"),
    [("measured", "0", PASSING), ("measured", "", MEASURING), ("filtered", "", FILTERING)],
)
def test_a_proxy_loads_this_and_no_more(awkward_root, tmp_path, run, host, telemetry, expected):
    root = make_root(tmp_path / "root", awkward_root)
    stamp = read_stamp(root / "bin" / "agent-connector")
    assert stamp is not None
    entry = Path(root, "runtime", stamp.runtime, "entry", "serve.py")
    words = [stamp.interpreter, "-X", "importtime", "-I", "-S", "-B", entry, "serve", "--connector", "acme"]

    answer = run(
        [*words, "--host", host, "--", "cat"],
        (json.dumps(CALL) + "\n").encode(),
        env={"AGENT_CONNECTOR_TELEMETRY": telemetry} if telemetry else {},
    )

    loaded = {
        line.rpartition("|")[2].strip()
        for line in answer.stderr.decode().splitlines()
        if line.startswith("import time:")
    }
    assert json.loads(answer.stdout) == CALL
    assert {name for name in loaded if name.partition(".")[0] == "agent_connector"} == expected
    assert not HEAVY & loaded
