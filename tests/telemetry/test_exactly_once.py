"""From the host's pipe to the database: every call that was answered is there once, whatever was killed meanwhile."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from agent_connector.telemetry.reports import Query, groups
from agent_connector.telemetry.store import Store
from agent_connector.telemetry.words import RANK
from served import Host, calls, kill_counters, make_root, settled, spooled

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets"),
]

PROXIES = 12
SETTLING_SECONDS = 0.5
"""What was answered longer ago has been handed on or written, also on a busy machine."""


@pytest.fixture
def root(built_runtime: Path, tmp_path: Path) -> Path:
    return make_root(tmp_path / "it's $here", built_runtime)


def at_rest(host: Host, rounds: int) -> None:
    """Killed in a pause, in which one call is still unanswered: that one is none."""
    for number in range(rounds):
        host.call("big" if number % 9 == 4 else "small")
        time.sleep(random.random() * 0.02)
    host.ask("never")
    time.sleep(SETTLING_SECONDS)
    host.kill()


def to_the_end(host: Host, rounds: int) -> None:
    for number in range(rounds):
        host.call("big" if number % 9 == 4 else "small")
        time.sleep(random.random() * 0.03)
    host.end()


@contextmanager
def beside(work: Any) -> Iterator[None]:
    """``work`` over and over, in a thread of its own, until the block is left; what it raises is raised."""
    over = threading.Event()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            while not over.is_set():
                work()
        except BaseException as error:  # noqa: BLE001 - raised below
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert not failed, failed


def fold(root: Path) -> None:
    with Store.open(root) as store:
        store.fold()
    time.sleep(0.05)


def counted(root: Path, host: Host) -> None:
    """Wait until the counter has counted all it was answered."""
    deadline = time.monotonic() + 60
    while sum("out" in row for row in calls(root, host.session)) < host.answered and time.monotonic() < deadline:
        time.sleep(0.1)


def stored(root: Path) -> tuple[dict[str, int], dict[tuple[int, int], int]]:
    """Calls by session, and rank of confidence by row."""
    with Store.open(root) as store:
        store.fold()
        sessions = groups(store.connection, Query(by="session"))
        rows = store.connection.execute("SELECT t, u, conf FROM rows").fetchall()
    assert len({(t, u) for t, u, _ in rows}) == len(rows)
    by_session: dict[str, int] = {}
    for key, group in sessions.items():
        (session,) = (part for part in key if part.startswith("session-"))
        by_session[session] = by_session.get(session, 0) + group.calls
    return by_session, {(t, u): conf for t, u, conf in rows}


def test_what_was_answered_is_there_once_though_proxies_and_counters_are_killed(root: Path) -> None:
    hosts = [Host(root, f"session-{number}") for number in range(PROXIES)]
    ways = [at_rest if number % 3 == 1 else to_the_end for number in range(PROXIES)]
    threads = [threading.Thread(target=way, args=(host, 25)) for way, host in zip(ways, hosts, strict=True)]
    killed: set[int] = set()

    with beside(lambda: fold(root)):
        for thread in threads:
            thread.start()
        for _ in range(3):
            time.sleep(0.7)
            killed.update(kill_counters(root))
        for thread in threads:
            thread.join()
        late = [Host(root, f"session-late-{number}") for number in range(2)]  # for them a counter starts anew
        for host in late:
            host.call()
            counted(root, host)
            host.end()
        settled(root)

    found, confidence = stored(root)
    assert killed
    assert found == {host.session: host.answered for host in (*hosts, *late)}
    best: dict[tuple[int, int], int] = {}
    for row in spooled(root):
        key = (row["t"], row["u"])
        best[key] = max(best.get(key, 0), RANK[row.get("conf", "heuristic")] if "out" in row else 0)
    assert confidence == best
    assert set(confidence.values()) == {RANK["heuristic"], RANK["tokenizer-exact"]}
    kill_counters(root)


def test_a_proxy_that_is_killed_at_any_moment_leaves_no_call_twice_and_none_that_was_not_answered(root: Path) -> None:
    hosts = [Host(root, f"session-{number}") for number in range(6)]
    settled_before = {}

    for number, host in enumerate(hosts):
        for _ in range(3):
            host.call()
        time.sleep(SETTLING_SECONDS)
        settled_before[host.session] = host.answered
        for _ in range(number):
            host.call("big" if number % 2 else "small")
        host.ask("never")
        time.sleep(number * 0.005)
        host.kill()
    settled(root)

    found, _ = stored(root)
    for host in hosts:
        assert settled_before[host.session] <= found[host.session] <= host.answered
    kill_counters(root)
