"""The counter as a process: what proxies hand over becomes rows, whatever else they do to it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_connector.runtime.entries import entry_texts
from agent_connector.telemetry.counter import MOST_CONNECTIONS
from agent_connector.telemetry.frames import HEADER_CAP, PART_CAP
from agent_connector.telemetry.tokens import tokens

from .conftest import CALL, ROW, Counter, Proxy, eventually, frame

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets")

Start = Callable[..., Counter]


def answer(text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}


# --- rows ------------------------------------------------------------------------------------------------------


def test_a_call_becomes_a_row_of_numbers_before_it_is_confirmed(start: Start) -> None:
    counter = start(engine="o200k")
    counter.proxy().hand_over(7, row={"ms": 1.5, "session": "s1", "client": "codex-mcp-client", "project": "0" * 16})

    assert counter.rows == [
        {
            **ROW,
            "u": 7,
            "ms": 1.5,
            "session": "s1",
            "client": "codex-mcp-client",
            "project": "0" * 16,
            "in": tokens().count('{"sql":"select 1"}'),
            "out": 2,
            "conf": "tokenizer-exact",
            "error": 0,
        }
    ]


@pytest.mark.parametrize(
    ("family", "confidence"),
    [("openai", "tokenizer-exact"), ("anthropic", "tokenizer-approx"), ("generic", "tokenizer-approx")],
)
def test_how_well_it_is_known_depends_on_the_family(start: Start, family: str, confidence: str) -> None:
    counter = start(engine="o200k")
    counter.proxy().hand_over(1, family=family)

    assert [row["conf"] for row in counter.rows] == [confidence]


def test_what_an_image_costs_is_estimated_and_so_is_the_row(start: Start) -> None:
    counter = start(engine="o200k")
    image = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    counter.proxy().hand_over(1, answer={"jsonrpc": "2.0", "id": 1, "result": {"content": [image]}})

    assert [(row["out"], row["conf"]) for row in counter.rows] == [(1536, "tokenizer-approx")]


def test_a_failed_call_is_marked_where_the_proxy_could_not_see_it(start: Start) -> None:
    counter = start()
    failed = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": True}}
    proxy = counter.proxy()
    proxy.hand_over(1, answer=failed)
    proxy.hand_over(2, row={"error": 1})
    proxy.hand_over(3)

    assert [row["error"] for row in counter.rows] == [1, 1, 0]


@pytest.mark.parametrize("wrong", [b"no JSON", b"[]", b'{"result": 3}', b"\xff\xfe", b"[" * 100_000, b""])
def test_what_cannot_be_read_counts_by_its_size(start: Start, wrong: bytes) -> None:
    counter = start(engine="o200k")
    proxy = counter.proxy()
    proxy.hand_over(1, answer=wrong)
    proxy.hand_over(2)

    first, second = counter.rows
    assert (first["in"], first["out"], first["conf"]) == (25, 20, "heuristic")  # 99 and 77 bytes
    assert second["conf"] == "tokenizer-exact"


def test_without_an_engine_the_counter_still_answers_with_estimates(start: Start) -> None:
    counter = start(engine="broken")
    counter.proxy().hand_over(1)

    assert [(row["out"], row["conf"]) for row in counter.rows] == [(3, "heuristic")]
    assert [fault["fault"] for fault in counter.faults] == ["ZeroDivisionError"]


def test_a_row_keeps_known_keys_of_the_right_kind_alone(start: Start) -> None:
    counter = start()
    counter.proxy().hand_over(1, row={"arguments": {"secret": 1}, "tool": ["x"], "ms": "fast", "session": "s"})

    (row,) = counter.rows
    assert row.keys() == {*ROW, "u", "session", "in", "out", "conf", "error"}
    assert (row["tool"], row["session"]) == ("query", "s")


def test_the_connectors_own_log_is_written_where_it_wants_no_store(start: Start, data_root: Path) -> None:
    counter = start()
    counter.proxy().hand_over(1, log_only=True)

    assert counter.rows == []
    assert json.loads((data_root / "telemetry" / "log" / "acme.ndjson").read_text())["u"] == 1


# --- definitions of tools --------------------------------------------------------------------------------------

LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
DEFS = {"scope": "tool_defs", "tool": "", "ms": 3.5}


def tools(*names: str, cursor: str = "", description: str = "Does it.") -> dict[str, Any]:
    listed = [{"name": name, "description": description, "inputSchema": {"type": "object"}} for name in names]
    return {"jsonrpc": "2.0", "id": 2, "result": {"tools": listed, **({"nextCursor": cursor} if cursor else {})}}


def after(cursor: str) -> dict[str, Any]:
    return {**LIST, "params": {"cursor": cursor}}


def test_definitions_are_told_per_tool_once_per_generation(start: Start, data_root: Path) -> None:
    counter = start(engine="o200k")
    proxy = counter.proxy()
    proxy.hand_over(1, LIST, tools("read", "write"), row=DEFS)
    proxy.hand_over(2, LIST, tools("write", "read"), row=DEFS)
    counter.proxy().hand_over(3, LIST, tools("read", "write"), row=DEFS)

    rows = counter.rows
    text = '{"name":"read","description":"Does it.","inputSchema":{"type":"object"}}'
    assert [(row["scope"], row["tool"], row["conf"]) for row in rows] == [
        ("tool_defs", "read", "tokenizer-exact"),
        ("tool_defs", "write", "tokenizer-exact"),
    ]
    assert (rows[0]["out"], rows[0]["outb"]) == (tokens().count(text), len(text))
    assert len({row["defs"] for row in rows}) == 1
    assert len({row["u"] for row in rows}) == 2
    memory = data_root / "telemetry" / "tool_defs" / "acme.codex"
    assert memory.read_text() == rows[0]["defs"]
    assert len(memory.read_text()) == 16


def test_other_definitions_are_another_generation_and_going_back_is_one_again(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    proxy.hand_over(1, LIST, tools("read"), row=DEFS)
    proxy.hand_over(2, LIST, tools("read", description="Does more."), row=DEFS)
    proxy.hand_over(3, LIST, tools("read"), row=DEFS)

    first, second, third = counter.rows
    assert first["defs"] == third["defs"] != second["defs"]
    assert len({first["u"], second["u"], third["u"]}) == 3


def test_a_server_that_has_no_tools_any_more_says_so_once(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    proxy.hand_over(1, LIST, tools("read"), row=DEFS)
    proxy.hand_over(2, LIST, tools(), row=DEFS)
    proxy.hand_over(3, LIST, tools(), row=DEFS)

    assert [(row["tool"], row["out"]) for row in counter.rows[1:]] == [("", 0)]
    assert counter.rows[1]["defs"] != counter.rows[0]["defs"]


def test_another_host_has_generations_of_its_own(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    proxy.hand_over(1, LIST, tools("read"), row=DEFS)
    proxy.hand_over(2, LIST, tools("read"), row={**DEFS, "host": "cursor"})

    assert [row["host"] for row in counter.rows] == ["codex", "cursor"]


def test_a_tool_that_the_host_leaves_out_costs_nothing(start: Start) -> None:
    counter = start()
    choice = {"include": ["read*", "write"], "exclude": ["*_all"]}
    counter.proxy().hand_over(1, LIST, tools("read", "read_all", "write", "drop"), row=DEFS, **choice)

    assert [row["tool"] for row in counter.rows] == ["read", "write"]


def test_pages_are_collected_until_the_last(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    proxy.hand_over(1, LIST, tools("a", cursor="x"), row=DEFS)
    assert counter.rows == []
    proxy.hand_over(2, after("x"), tools("b", cursor="y"), row=DEFS)
    proxy.hand_over(3, after("y"), tools("c"), row=DEFS)

    assert [row["tool"] for row in counter.rows] == ["a", "b", "c"]


def test_pages_whose_beginning_was_missed_tell_nothing(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    proxy.hand_over(1, after("x"), tools("b"), row=DEFS)
    proxy.hand_over(2, LIST, tools("a", cursor="x"), row=DEFS)
    proxy.hand_over(3, LIST, {"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "no"}}, row=DEFS)
    proxy.hand_over(4, after("x"), tools("b"), row=DEFS)

    assert counter.rows == []


def test_a_list_without_end_is_not_kept_without_end(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    page = tools("big", cursor="more", description="x" * (1 << 20))
    proxy.hand_over(1, LIST, page, row=DEFS)
    for number in range(2, 40):
        proxy.hand_over(number, after("more"), page, row=DEFS)
    proxy.hand_over(40, after("more"), tools("end"), row=DEFS)

    assert counter.rows == []
    assert resident_mib(counter.process.pid) < 100


# --- many, wrong and slow proxies -------------------------------------------------------------------------------


def test_several_proxies_at_once_lose_nothing(start: Start) -> None:
    counter = start()
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            proxy = counter.proxy()
            for call in range(25):
                proxy.say(number * 1000 + call, answer=answer("x" * random.Random(call).randrange(200_000)))
            assert [proxy.hear() for _ in range(25)] == [number * 1000 + call for call in range(25)]
        except BaseException as failure:  # noqa: BLE001 - told by the test's own thread
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert sorted(row["u"] for row in counter.rows) == [n * 1000 + call for n in range(40) for call in range(25)]


def test_proxies_that_stay_connected_keep_nobody_out(start: Start) -> None:
    counter = start()
    silent = [counter.proxy() for _ in range(3 * MOST_CONNECTIONS)]
    silent[-1].hand_over(1)
    silent[-2].hand_over(2)
    counter.proxy().hand_over(3)

    with pytest.raises(ConnectionError):
        silent[0].hear()


def test_a_frame_may_come_byte_by_byte_and_several_at_once(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    for byte in frame(1):
        proxy.socket.sendall(bytes([byte]))
    proxy.socket.sendall(b"".join(frame(number) for number in range(2, 200)))

    assert [proxy.hear() for _ in range(199)] == list(range(1, 200))


HEAD = {"row": {**ROW, "u": 1}, "family": "openai", "parts": [0, 0]}
MALFORMED = {
    "no JSON": b"hello\n",
    "no object": b"[]\n",
    "header without end": b"x" * (HEADER_CAP + 1),
    "deep": b"[" * 60_000 + b"\n",
    "no parts": json.dumps({**HEAD, "parts": None}).encode() + b"\n",
    "three parts": json.dumps({**HEAD, "parts": [0, 0, 0]}).encode() + b"\n",
    "negative": json.dumps({**HEAD, "parts": [-1, 1]}).encode() + b"\n",
    "no whole number": json.dumps({**HEAD, "parts": [True, 1.0]}).encode() + b"\n",
    "too large": json.dumps({**HEAD, "parts": [0, PART_CAP + 1]}).encode() + b"\n",
    "family": json.dumps({**HEAD, "family": "martian"}).encode() + b"\n",
    "scope": json.dumps({**HEAD, "row": {**ROW, "u": 1, "scope": "hook"}}).encode() + b"\n",
    "no u": json.dumps({**HEAD, "row": ROW}).encode() + b"\n",
    "u too large": json.dumps({**HEAD, "row": {**ROW, "u": 1 << 63}}).encode() + b"\n",
    "a path": json.dumps({**HEAD, "row": {**ROW, "u": 1, "connector": "../../evil"}}).encode() + b"\n",
    "a hidden file": json.dumps({**HEAD, "row": {**ROW, "u": 1, "host": ".."}}).encode() + b"\n",
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_who_sends_no_frame_is_hung_up_on_and_nobody_else(start: Start, data_root: Path, kind: str) -> None:
    counter = start()
    good, bad = counter.proxy(), counter.proxy()
    good.hand_over(1)
    bad.socket.sendall(MALFORMED[kind])
    with pytest.raises(ConnectionError):
        bad.hear()
    good.hand_over(2)

    assert [row["u"] for row in counter.rows] == [1, 2]
    assert list(data_root.parent.rglob("*evil*")) == []


def test_who_stops_in_the_middle_holds_nobody_up(start: Start) -> None:
    counter = start()
    stopped = counter.proxy()
    stopped.socket.sendall(frame(1)[:-1])
    counter.proxy().hand_over(2)
    stopped.socket.close()
    counter.proxy().hand_over(3)

    assert [row["u"] for row in counter.rows] == [2, 3]


def test_what_was_said_by_one_that_went_away_is_counted(start: Start) -> None:
    counter = start()
    gone = counter.proxy()
    for number in range(200):
        gone.say(number, answer=answer("x" * 10_000))
    gone.socket.close()
    counter.proxy().hand_over(200)
    deadline = time.monotonic() + 20
    while len(counter.rows) < 201 and time.monotonic() < deadline:
        time.sleep(0.02)

    assert {row["u"] for row in counter.rows} == set(range(201))


def test_who_does_not_read_is_hung_up_on_and_its_rows_stand(start: Start) -> None:
    counter = start()
    deaf, good = counter.proxy(), counter.proxy()
    deaf.socket.settimeout(0.5)
    sent = 0
    try:
        while sent < 200_000:
            deaf.socket.sendall(b"".join(frame(number) for number in range(sent, sent + 100)))
            sent += 100
    except OSError:
        pass
    good.hand_over(1 << 40)

    assert len(counter.rows) > 100


def test_a_row_that_cannot_be_written_is_not_confirmed(start: Start, data_root: Path) -> None:
    (data_root / "telemetry").mkdir()
    (data_root / "telemetry" / "spool").write_text("in the way")
    counter = start()
    with pytest.raises(ConnectionError):
        counter.proxy().hand_over(1)
    (data_root / "telemetry" / "spool").unlink()
    counter.proxy().hand_over(2)

    assert [row["u"] for row in counter.rows] == [2]


def test_memory_does_not_grow_with_what_was_counted(start: Start) -> None:
    counter = start()
    proxy = counter.proxy()
    large = answer("words and words " * 120_000)
    proxy.hand_over(1, answer=large)
    before = resident_mib(counter.process.pid)
    for number in range(2, 30):
        proxy.hand_over(number, answer=large)

    assert resident_mib(counter.process.pid) < before + 16


def resident_mib(pid: int) -> float:
    done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


# --- the process -----------------------------------------------------------------------------------------------


def test_one_of_many_is_the_counter(start: Start) -> None:
    counters = [start() for _ in range(8)]
    proxy = eventually(lambda: Proxy(counters[0].root))
    proxy.hand_over(1)
    deadline = time.monotonic() + 20
    while sum(counter.process.poll() is None for counter in counters) > 1:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    proxy.hand_over(2)

    ended = [counter.process.poll() for counter in counters if counter.process.poll() is not None]
    assert ended == [9] * 7


def test_it_ends_when_nobody_is_connected_any_more(start: Start, data_root: Path) -> None:
    counter = start(idle=0.3)
    proxy = counter.proxy()
    proxy.hand_over(1)
    time.sleep(0.8)
    proxy.hand_over(2)
    proxy.socket.close()

    assert counter.ended() == 0
    assert not (data_root / "telemetry" / "counter.sock").exists()


def test_it_ends_when_those_connected_are_silent(start: Start) -> None:
    counter = start(idle=0.1, silent=0.5)
    proxy = counter.proxy()
    proxy.hand_over(1)

    assert counter.ended() == 0
    with pytest.raises(ConnectionError):
        proxy.hear()


def test_whoever_comes_while_it_ends_is_served_by_it_or_the_next(start: Start) -> None:
    """Proxies come in the very moments in which a counter without patience would end."""
    pause = random.Random(3)
    counters = [start(idle=0.05)]
    served = 0
    deadline = time.monotonic() + 30
    while served < 40:
        assert time.monotonic() < deadline
        if counters[-1].process.poll() is not None:
            counters.append(start(idle=0.05))
        try:
            proxy = Proxy(counters[0].root)
        except OSError:
            time.sleep(0.002)
            continue
        served += 1
        proxy.hand_over(served)
        proxy.socket.close()
        time.sleep(0.03 + pause.random() * 0.04)

    assert [row["u"] for row in counters[0].rows] == list(range(1, 41))
    assert len(counters) > 1


def test_the_socket_of_a_killed_counter_is_no_hindrance(start: Start) -> None:
    killed = start()
    killed.proxy().hand_over(1)
    killed.process.send_signal(signal.SIGKILL)
    killed.ended()
    with pytest.raises(ConnectionRefusedError):
        Proxy(killed.root)

    start().proxy().hand_over(2)

    assert [row["u"] for row in killed.rows] == [1, 2]


def test_everything_is_its_owners_alone(start: Start, data_root: Path) -> None:
    counter = start()
    counter.proxy().hand_over(1)
    counter.proxy().hand_over(2, LIST, tools("read"), row=DEFS)

    modes = {path.name: path.lstat().st_mode & 0o777 for path in (data_root / "telemetry").rglob("*")}
    folders = {"spool", "tool_defs"}
    assert {modes[name] for name in folders} == {0o700}
    assert {mode for name, mode in modes.items() if name not in folders} == {0o600}
    assert (data_root / "telemetry").stat().st_mode & 0o777 == 0o700


def test_no_content_touches_the_disk(start: Start, data_root: Path) -> None:
    marker = "MARKER5f1c"
    counter = start(engine="o200k")
    proxy = counter.proxy()
    call = {**CALL, "params": {"name": "query", "arguments": {"sql": marker}, "_meta": {"x": marker}}}
    proxy.hand_over(1, call, answer(marker))
    proxy.hand_over(2, call, marker.encode())
    proxy.hand_over(3, call, {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": marker, "data": marker}})
    proxy.hand_over(4, LIST, tools("read", description=marker), row=DEFS)
    bad = counter.proxy()
    bad.socket.sendall(marker.encode() + b"\n")
    with pytest.raises(ConnectionError):
        bad.hear()

    found = [path for path in data_root.rglob("*") if path.is_file() and marker.encode() in path.read_bytes()]
    assert found == []
    assert len(counter.rows) == 4


def test_the_entry_of_the_runtime_counts_with_the_runtimes_own_files(
    built_runtime: Path, tmp_path: Path, start: Start
) -> None:
    (entry,) = built_runtime.glob("runtime/*/entry/counter.py")
    root = tmp_path / "root"
    (root / "runtime").mkdir(parents=True)
    (root / "runtime" / entry.parents[1].name).symlink_to(entry.parents[1])
    here = root / "runtime" / entry.parents[1].name / "entry" / "counter.py"
    command = [sys.executable, "-I", "-S", "-B", str(here)]
    process = subprocess.Popen(command, env={"PATH": os.defpath}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    counter = Counter(root, process)
    try:
        counter.proxy().hand_over(1)
        assert [row["conf"] for row in counter.rows] == ["tokenizer-exact"]
        assert os.getpriority(os.PRIO_PROCESS, process.pid) >= 15
        assert counter.faults == []
    finally:
        process.kill()
        assert process.communicate() == (b"", b"")


def test_the_entry_does_nothing_where_telemetry_is_off(tmp_path: Path) -> None:
    script = tmp_path / "root" / "runtime" / "v" / "entry" / "counter.py"
    script.parent.mkdir(parents=True)
    text = entry_texts(())["counter"].replace('sys.path.append(sys.argv[0][:-16] + "site")\n', "")
    assert text != entry_texts(())["counter"]
    script.write_text(text, encoding="utf-8")
    env = {"PATH": os.defpath, "AGENT_CONNECTOR_TELEMETRY": "0"}
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, timeout=20, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (tmp_path / "root" / "telemetry").exists()
