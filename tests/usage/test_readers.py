"""Readers of usage logs against logs whose totals are known, in every combination of their traps that matters."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from agent_connector.adapters.claude_code import usage as claude_code
from agent_connector.adapters.codex import usage as codex
from agent_connector.machine import Machine
from agent_connector.usage.reading import read_usage
from hypothesis import given, settings
from hypothesis import strategies as st
from usage_logs import TRAPS, Logs, Reply

READERS = {"claude-code": claude_code.READER, "codex": codex.READER}
STYLES = ("records", "copied", "restamped")


def read(home: Path) -> tuple[list[Reply], Counter[str], list[str]]:
    """(what was read, calls by server, why something was not read)"""
    machine = Machine(os="linux", home=home, cwd=home, env={})
    found, calls, skipped = [], Counter(), []
    for host, reader in READERS.items():
        reading = read_usage(reader, machine)
        for one in reading.records:
            found.append(
                Reply(
                    host, one.session, one.model, one.project, one.t, one.input, one.output, one.cache_read,
                    one.cache_write, one.reasoning, one.subagent,
                )
            )  # fmt: skip
        calls.update(call.server for call in reading.calls)
        skipped += [skip.reason for skip in reading.skipped]
    return found, calls, skipped


def written(home: Path, traps: frozenset[str], seed: int = 1) -> Logs:
    logs = Logs(home, traps, seed)
    for project in ("/home/dev/shop", "/home/dev/other"):
        logs.claude_session(9, project)
        for style in STYLES:
            logs.codex_session(8, project, style=style)
    return logs


def in_order(replies: list[Reply]) -> list[Reply]:
    return sorted(replies, key=lambda one: (one.host, one.session, one.t, one.input))


@pytest.mark.parametrize(
    "traps",
    [(), *((one,) for one in TRAPS), *combinations(TRAPS, 2), TRAPS],
    ids=lambda traps: "+".join(traps) or "none",
)
def test_every_reply_is_read_once_as_it_was(tmp_path, traps):
    logs = written(tmp_path, frozenset(traps))

    found, calls, skipped = read(tmp_path)

    assert in_order(found) == in_order(logs.truth)
    assert calls == logs.calls
    assert bool(skipped) is ("noise" in traps)


@settings(max_examples=25)
@given(traps=st.frozensets(st.sampled_from(TRAPS)), seed=st.integers(0, 1 << 30))
def test_whatever_stands_beside_what(tmp_path_factory, traps, seed):
    home = tmp_path_factory.mktemp("home")

    logs = written(home, traps, seed)

    assert in_order(read(home)[0]) == in_order(logs.truth)
