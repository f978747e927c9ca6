"""A measured server is the same server: every byte, in whatever pieces, and a row for every call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_connector.runtime.pump_threads import ThreadedPump
from agent_connector.runtime.tool_filter import ToolFilter
from agent_connector.telemetry.lines import read_lines
from hypothesis import given, settings
from hypothesis import strategies as st

RECORD = {
    "version": 1,
    "connector": "acme",
    "telemetry": True,
    "tool_defs": True,
    "log_only": False,
    "calibrate": False,
    "hosts": {
        "codex": {"family": "openai", "session": ["THEIR_SESSION"]},
        "claude-code": {"family": "anthropic", "session": [], "include": ["*"], "exclude": ["drop*"]},
        "crush": {"session": ["THEIR_SESSION"], "include": ["*"], "exclude": ["drop_all"], "host_chooses": True},
    },
}

# Answers every request with what it was asked, in the order and shape its method names.
SERVER = """
import json, sys
for line in sys.stdin:
    try:
        message = json.loads(line)
    except ValueError:
        print(line.strip()[::-1], flush=True)
        continue
    if message.get("method") == "tools/list":
        result = {"tools": [{"name": "read"}, {"name": "drop_all"}]}
    elif message.get("method") == "tools/call":
        result = {"content": [{"type": "text", "text": json.dumps(message["params"])}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.fixture(scope="module")
def measured(awkward_root: Path, copy_root, tmp_path_factory) -> Path:
    """A data root in which ``acme`` is measured in two hosts, and filtered in one of them."""
    root = copy_root(awkward_root, tmp_path_factory.mktemp("measured") / "it's $here")
    folder = root / "connectors" / "acme"
    folder.mkdir(parents=True)
    (folder / "connector.json").write_text("{}")
    (folder / "serve.json").write_text(json.dumps(RECORD))
    return root


def served(root: Path, *command: object, host: str = "codex") -> list[str]:
    flags = ["serve", "--connector", "acme", "--host", host, "--", *command]
    return [str(word) for word in (root / "bin" / "agent-connector", *flags)]


def rows(root: Path, session: str) -> list[dict]:
    """The rows of a session, waiting for those that are counted elsewhere: the best of each call."""
    best: dict[int, dict] = {}
    for file in (root / "telemetry" / "spool").glob("*.ndjson"):
        for row in map(json.loads, file.read_text().splitlines()):
            if row["session"] == session and (row["u"] not in best or "conf" in row):
                best[row["u"]] = row
    return sorted(best.values(), key=lambda row: row["u"])


PIECES = st.one_of(
    st.binary(max_size=200),
    st.sampled_from(
        [
            b"\n",
            b"{",
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}\n',
            b'{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n',
            b'[{"jsonrpc":"2.0","id":2,"method":"tools/list"}]\r\n',
            b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n',
            b"\x00" * 70_000,
            b'{"id":3,"result":"' + b"z" * 140_000 + b'"}\n',
        ]
    ),
)


@settings(max_examples=25)
@given(st.lists(PIECES, max_size=12))
def test_every_stream_comes_out_as_it_went_in(measured, pieces):
    server = subprocess.Popen(served(measured, "cat"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    for piece in pieces[:3]:
        server.stdin.write(piece)
        server.stdin.flush()
        time.sleep(0.001)

    said, _ = server.communicate(b"".join(pieces[3:]), timeout=30)

    assert said == b"".join(pieces)
    assert server.returncode == 0


def test_a_call_leaves_one_row_with_its_host_session_project_and_time(measured, tmp_path, run):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = https://ada:token@example.com/acme/shop.git\n'
    )
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "read", "arguments": {"q": "Ada's"}},
    }

    answer = run(
        served(measured, sys.executable, "-c", SERVER),
        (json.dumps(request) + "\n").encode(),
        env={"THEIR_SESSION": "s-1"},
        cwd=tmp_path,
    )

    assert json.loads(answer.stdout)["id"] == 1
    (row,) = rows(measured, "s-1")
    assert (row["scope"], row["connector"], row["host"], row["tool"]) == ("call", "acme", "codex", "read")
    assert row["ms"] > 0
    assert len(row["project"]) == 16
    assert abs(row["t"] - time.time() * 1000) < 60_000


def test_nothing_that_was_said_is_ever_written_down(measured, tmp_path, run):
    secret = "marker-7f3a91"
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "read", "arguments": {"q": secret}},
    }

    answer = run(served(measured, sys.executable, "-c", SERVER), (json.dumps(request) + "\n").encode(), cwd=tmp_path)
    time.sleep(0.5)

    assert secret.encode() in answer.stdout
    files = [path for path in measured.rglob("*") if path.is_file() and "runtime" not in path.parts]
    assert files
    assert not [path for path in files if secret.encode() in path.read_bytes()]


def test_the_kill_switch_leaves_no_row(measured, run):
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}\n'

    answer = run(
        served(measured, sys.executable, "-c", SERVER),
        request,
        env={"THEIR_SESSION": "off", "AGENT_CONNECTOR_TELEMETRY": "0"},
    )

    assert answer.stdout
    assert rows(measured, "off") == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no counter")
@pytest.mark.parametrize(
    ("says", "kept"),
    [
        ({}, {"spool": {"call", "tool_defs"}}),
        ({"telemetry": False}, {}),
        ({"tool_defs": False}, {"spool": {"call"}}),
        ({"log_only": True}, {"log": {"call", "tool_defs"}}),
    ],
    ids=["nothing", "all", "definitions", "store"],
)
def test_what_a_definition_switches_off_is_not_counted_and_the_rest_is(awkward_root, copy_root, tmp_path, says, kept):
    root = copy_root(awkward_root, tmp_path / "root")
    folder = root / "connectors" / "acme"
    folder.mkdir(parents=True)
    (folder / "connector.json").write_text("{}")
    (folder / "serve.json").write_text(json.dumps({**RECORD, **says}))
    requests = [{"method": "tools/list"}, {"method": "tools/call", "params": {"name": "read"}}]
    data = "".join(json.dumps({"jsonrpc": "2.0", "id": n, **said}) + "\n" for n, said in enumerate(requests))

    answers = talk(served(root, sys.executable, "-c", SERVER), data.encode(), lambda: scopes_in(root) == kept)

    assert len(answers) == 2
    assert scopes_in(root) == kept


def talk(command: list[str], data: bytes, done: Callable[[], bool], **env: str) -> list[dict]:
    """The answers of a server that stays until ``done``, and a moment longer for what would come besides."""
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PATH": os.environ["PATH"], **env}
    )
    assert server.stdin is not None
    server.stdin.write(data)
    server.stdin.flush()
    deadline = time.monotonic() + 30
    while not done() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    said, _ = server.communicate(timeout=30)
    return [json.loads(line) for line in said.splitlines()]


def scopes_in(root: Path) -> dict[str, set[str]]:
    """Where there are rows -> of which scopes."""
    found: dict[str, set[str]] = {}
    for file in (root / "telemetry").glob("*/*.ndjson"):
        for line in file.read_text().splitlines():
            found.setdefault(file.parent.name, set()).add(json.loads(line)["scope"])
    return found


@pytest.mark.parametrize(("theirs", "session"), [("theirs", "theirs"), ("", "mine")])
def test_a_session_may_be_named_where_the_host_names_none(measured, run, theirs, session):
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}\n'
    env = {"THEIR_SESSION": theirs, "AGENT_CONNECTOR_SESSION": "mine"}

    run(served(measured, sys.executable, "-c", SERVER), request, env=env)

    assert [row["tool"] for row in rows(measured, session)] == ["read"]


def test_tools_that_are_left_out_are_neither_shown_nor_called_in_a_host_that_cannot_choose(measured, run):
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "drop_all"}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "read"}},
    ]
    data = "".join(json.dumps(request) + "\n" for request in requests).encode()

    filtered = run(served(measured, sys.executable, "-c", SERVER, host="claude-code"), data)
    as_it_is = run(served(measured, sys.executable, "-c", SERVER, host="codex"), data)

    answers = {message["id"]: message for message in map(json.loads, filtered.stdout.splitlines())}
    assert answers[1]["result"]["tools"] == [{"name": "read"}]
    assert answers[2]["error"]["code"] == -32602
    assert "result" in answers[3]
    untouched = {message["id"]: message for message in map(json.loads, as_it_is.stdout.splitlines())}
    assert untouched[1]["result"]["tools"] == [{"name": "read"}, {"name": "drop_all"}]
    assert "result" in untouched[2]


@pytest.mark.parametrize("odd", [b"NaN", b"[" * 600 + b"]" * 600, b'"\xff"'], ids=["nan", "deep", "no UTF-8"])
@pytest.mark.parametrize("order", [b'{"name":"drop","arguments":%s}', b'{"arguments":{"x":%s},"name":"drop"}'])
def test_a_call_that_we_cannot_read_whole_is_kept_from_a_tool_that_is_left_out(odd, order):
    said: list[bytes] = []
    chosen = ToolFilter(["*"], ["drop"], said.append)
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + order % odd + b"}\n"

    assert chosen.from_client(call) == b""
    assert [json.loads(line)["error"]["code"] for line in said] == [-32602]
    assert chosen.from_client(call.replace(b"drop", b"read")) == call.replace(b"drop", b"read")


LONG = """
import json, sys
for line in sys.stdin:
    image = {"type": "image", "mimeType": "image/png", "data": "iVBORw0K" * 250_000}
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {"content": [image]}}), flush=True)
"""


@pytest.mark.parametrize("name", ["n" * 10_000, "\u732b" * 20_000, "a\ud800b", "\x1b[31m\n"])
def test_a_tool_of_any_name_and_an_image_of_any_size_make_a_row_that_readers_take(measured, run, name):
    session = f"odd-{len(name)}"
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}

    run(
        served(measured, sys.executable, "-c", LONG),
        (json.dumps(request) + "\n").encode(),
        env={"THEIR_SESSION": session},
    )

    (row,) = rows(measured, session)
    (line,), damaged = read_lines(json.dumps(row).encode())
    assert damaged == 0
    assert len(line.tool) <= 200
    assert line.outb > 2_000_000
    assert (line.tokens_out, line.conf) == (1568, "heuristic")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no counter")
def test_where_the_host_leaves_tools_out_bytes_pass_and_their_definitions_do_not_count(measured):
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    server = served(measured, sys.executable, "-c", SERVER, host="crush")

    (answer,) = talk(server, request, lambda: bool(rows(measured, "chosen")), THEIR_SESSION="chosen")

    assert answer["result"]["tools"] == [{"name": "read"}, {"name": "drop_all"}]
    assert [(row["scope"], row["tool"]) for row in rows(measured, "chosen")] == [("tool_defs", "read")]


def test_a_damaged_record_is_no_reason_not_to_serve(measured, copy_root, tmp_path, run):
    root = copy_root(measured, tmp_path / "root")
    (root / "connectors" / "acme" / "serve.json").unlink()
    (root / "connectors" / "acme" / "serve.json").write_text("{broken")

    answer = run(served(root, "cat"), b"x\n")
    assert (answer.returncode, answer.stdout) == (0, b"x\n")
    assert b"neither counted nor filtered" in answer.stderr
    assert run(served(root, "cat"), b"x\n", env={"AGENT_CONNECTOR_LOG": "error"}).stderr == b""


def test_how_much_is_told_on_standard_error_is_the_persons_choice(measured, run):
    told = {
        level: run(served(measured, "cat"), b"", env={"AGENT_CONNECTOR_LOG": level} if level else {}).stderr
        for level in ("", "silent", "info", "debug", "nonsense")
    }

    assert b"counting calls of acme in codex" in told.pop("debug")
    assert set(told.values()) == {b""}
    refused = [measured / "bin" / "agent-connector", "serve", "--connector", "acme", "--", "no-such-program"]
    assert b"command not found" in run(refused).stderr
    assert run(refused, env={"AGENT_CONNECTOR_LOG": "silent"}).stderr == b""


def test_two_threads_pass_the_same_bytes_and_filter_the_same_tools():
    """How it is done on Windows, where pipes cannot be polled."""
    script = "import sys\nfor line in sys.stdin: sys.stdout.write(line.upper()); sys.stdout.flush()"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    (from_host, host_input), (host_output, to_host) = os.pipe(), os.pipe()
    pump = ThreadedPump(process, (from_host, to_host))
    seen: list[bytes] = []
    pump.to_server.said = seen.append
    chosen = ToolFilter(["*"], ["drop"], pump.say)
    pump.to_server.passed, pump.to_server.rest = chosen.from_client, chosen.rest_of_client
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "drop"}}
    os.write(host_input, b"hello\n" + json.dumps(call).encode() + b"\nend")
    os.close(host_input)

    with process:
        code = pump.run()
    os.close(to_host)
    with os.fdopen(host_output, "rb") as output:
        lines = output.read().splitlines()

    assert code == 0
    assert b"HELLO" in lines
    assert b"END" in lines
    assert [json.loads(line)["error"]["code"] for line in lines if line.startswith(b"{")] == [-32602]
    assert b"".join(seen) == b"hello\n"
    os.close(from_host)
