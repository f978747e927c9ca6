"""Reports over any window equal what is added up by hand, row by row."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from agent_connector.errors import UsageError
from agent_connector.telemetry import latency, reports, retention
from agent_connector.telemetry.reports import Query
from agent_connector.telemetry.since import since_ms
from agent_connector.telemetry.store import Store
from agent_connector.telemetry.words import BY
from hypothesis import given
from hypothesis import strategies as st
from telemetry.spooling import DAY, HOUR, NOW, NOW_MS, row, spool

SPAN = 120 * DAY


def some_rows(count: int) -> list[dict[str, Any]]:
    dice = Random(7)
    rows = []
    for n in range(count):
        # Some right at the beginning of hours, days and blocks.
        t = NOW_MS - dice.randrange(SPAN)
        step = dice.choice((1, 1, 1, HOUR, DAY, 32 * DAY))
        rows.append(
            row(
                t - t % step - dice.choice((0, 0, 1)) * (step > 1),
                u=n,
                scope=dice.choice(("call", "call", "call", "hook", "model_turn")),
                connector=dice.choice(("acme", "other")),
                host=dice.choice(("codex", "cursor", "")),
                tool=dice.choice(("query", "write", "")),
                session=f"s{dice.randrange(9)}",
                project=dice.choice(("00aa", "00bb")),
                event=dice.choice(("PreToolUse", "")),
                conf=dice.choice(("heuristic", "tokenizer-approx", "tokenizer-exact")),
                ms=dice.choice((None, dice.lognormvariate(3, 1))),
                error=dice.choice((0, 0, 1)),
                out=dice.randrange(1000),
                **{"in": dice.randrange(1000)},
            )
        )
    return rows


ROWS = some_rows(1500)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = tmp_path_factory.mktemp("reports") / "data"
    spool(root, [{key: value for key, value in one.items() if value is not None} for one in ROWS])
    with Store.open(root) as opened:
        opened.fold(now=NOW)
        yield opened


def by_hand(query: Query) -> dict[tuple[str, ...], tuple[int, ...]]:
    sums: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0] * 7)
    for one in ROWS:
        told = {"verdict": "", **one, "day": reports._date(one["t"] // DAY)}
        if query.scope != one["scope"] or (query.since is not None and one["t"] < query.since):
            continue
        if query.connector not in ("", one["connector"]) or query.host not in ("", one["host"]):
            continue
        found = sums[tuple(told[name] for name in reports.keys(query.by))]
        for at, value in enumerate(
            (1, one["error"], one["inb"], one["outb"], one["in"], one["out"], one["ms"] is not None)
        ):
            found[at] += value
    return {key: tuple(found) for key, found in sums.items()}


def asked(store: Store, query: Query) -> dict[tuple[str, ...], tuple[int, ...]]:
    found = store.ask(lambda connection: reports.groups(connection, query))
    for one in found.values():
        assert sum(one.mix.values()) == one.calls
        assert sum(one.latency.values()) == one.timed
    return {
        key: (one.calls, one.errors, one.inb, one.outb, one.tin, one.tout, one.timed) for key, one in found.items()
    }


@given(
    by=st.sampled_from(BY),
    scope=st.sampled_from(("call", "hook", "model_turn")),
    since=st.none()
    | st.integers(NOW_MS - SPAN - DAY, NOW_MS + 5)
    | st.integers(0, SPAN // HOUR).map(lambda hours: NOW_MS // DAY * DAY - hours * HOUR)
    | st.sampled_from(ROWS).map(lambda one: one["t"] + 1)
    | st.sampled_from(ROWS).map(lambda one: one["t"]),
    connector=st.sampled_from(("", "acme", "nobody")),
    host=st.sampled_from(("", "codex")),
)
def test_every_window_is_exact(
    store: Store, by: Any, scope: Any, since: int | None, connector: str, host: str
) -> None:
    query = Query(by, scope, since, connector, host)
    assert asked(store, query) == by_hand(query)


def test_percentiles_are_right_to_a_twentieth(store: Store) -> None:
    found = store.ask(lambda c: reports.groups(c, Query("connector")))
    for connector in ("acme", "other"):
        taken = sorted(
            one["ms"]
            for one in ROWS
            if one["scope"] == "call" and one["connector"] == connector and one["ms"] is not None
        )
        cuts = statistics.quantiles(taken, n=20)
        for share, exact in ((0.5, cuts[9]), (0.95, cuts[18])):
            told = found[connector,].percentile(share)
            assert told is not None
            assert abs(told - exact) / exact < 0.06


@given(st.lists(st.integers(0, 10**10), min_size=1, max_size=300))
def test_a_histogram_survives_being_packed_and_its_percentile_lies_in_its_range(taken: list[int]) -> None:
    some = latency.buckets(taken)
    counts = latency.unpack(latency.blob(some))
    assert counts == Counter(some)
    assert latency.unpack(latency.pack(counts)) == counts
    assert latency.unpack(latency.blob(some, away=True)) == {bucket: -count for bucket, count in counts.items()}
    for share in (0.0, 0.5, 0.95, 1.0):
        found = latency.percentile(counts, share)
        assert found is not None
        assert found <= max(max(taken), 2) / 1000 * 1.1
        assert found * 1.1 >= min(min(taken), 2**31) / 1000


@pytest.mark.parametrize("counts", [{3: 5, 9: -2}, {}, {200: 1_000_000}, {255: 1, 0: 1}])
def test_histograms_that_take_away_are_packed_as_well(counts: dict[int, int]) -> None:
    assert latency.unpack(latency.pack(counts)) == counts


def test_of_nothing_there_is_no_percentile() -> None:
    assert latency.percentile({}, 0.5) is None


# --- what is let go of --------------------------------------------------------------------------------------------


def test_what_is_old_is_kept_per_day(tmp_path: Path) -> None:
    ages = (1, 300, 399, 401, 500, 800)
    spool(tmp_path, [row(NOW_MS - age * DAY, tool=f"t{age}", u=n) for age in ages for n in range(3)])
    with Store.open(tmp_path) as store:
        store.fold(now=NOW)
        pruned = store.ask(lambda c: c.execute("SELECT count(*) FROM rows").fetchone())
        assert pruned == (9,)
        everything = store.ask(lambda c: reports.groups(c, Query()))
        assert {key[1]: one.calls for key, one in everything.items()} == {f"t{age}": 3 for age in ages}
        for by, since_days, kept in (("tool", 500, 5), ("session", 450, 4), ("day", 799, 5), ("tool", 399, 3)):
            since = NOW_MS - since_days * DAY
            found = store.ask(lambda c, by=by, since=since: reports.groups(c, Query(by, since=since)))  # type: ignore[misc]
            assert sum(one.calls for one in found.values()) == 3 * kept
        assert store.ask(lambda c: reports.is_rounded(c, NOW_MS - 500 * DAY))
        assert not store.ask(lambda c: reports.is_rounded(c, NOW_MS - 300 * DAY))


def test_pruning_happens_once_a_day_by_itself(tmp_path: Path) -> None:
    def rows(store: Store) -> int:
        return int(store.ask(lambda c: c.execute("SELECT count(*) FROM rows").fetchone())[0])

    with Store.open(tmp_path) as store:
        store.fold(now=NOW)
        spool(tmp_path, [row(NOW_MS - 500 * DAY)])
        store.fold(now=NOW + 60)
        assert rows(store) == 1
        store.fold(now=NOW + 86_400)
        assert rows(store) == 0


def test_a_clock_that_was_ahead_does_not_stop_pruning(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.fold(now=NOW + 900 * 86_400)
        spool(tmp_path, [row(NOW_MS - 500 * DAY)])
        store.fold(now=NOW)
        assert store.ask(lambda c: c.execute("SELECT count(*) FROM rows").fetchone()) == (0,)


def test_a_database_over_its_size_lets_the_oldest_days_go(tmp_path: Path) -> None:
    spool(tmp_path, [row(NOW_MS - n * HOUR, u=n) for n in range(6000)])
    with Store.open(tmp_path) as store:
        store.fold(now=NOW)
        before = store.ask(lambda c: reports.groups(c, Query("day")))
        done = store.ask(lambda c: retention.prune(c, store.folder, now=NOW, cap_bytes=700_000))
        assert done.bytes_before > 700_000 > done.bytes_after
        assert 0 < done.rows < 6000
        (oldest, left) = store.ask(lambda c: c.execute("SELECT min(t), count(*) FROM rows").fetchone())
        assert left == 6000 - done.rows
        assert oldest > NOW_MS - 5999 * HOUR
        after = store.ask(lambda c: reports.groups(c, Query("day")))
        assert {key: one.calls for key, one in after.items()} == {key: one.calls for key, one in before.items()}
        recent = store.ask(lambda c: reports.groups(c, Query(since=NOW_MS - 50 * HOUR - 5)))
        assert sum(one.calls for one in recent.values()) == 51


def test_the_paths_of_projects_can_be_forgotten(tmp_path: Path) -> None:
    spool(tmp_path, [row(project="00aa")])
    told = tmp_path / "telemetry" / "projects.ndjson"
    told.write_text('{"project": "00aa", "path": "/srv/a-secret-place", "t": 1}\n')
    with Store.open(tmp_path) as store:
        store.fold(now=NOW)
        assert store.ask(lambda c: retention.forget_paths(c, store.folder)).paths == 1
        assert store.ask(reports.paths) == {}
        store.fold(now=NOW)
        assert store.ask(reports.paths) == {}
        assert sum(one.calls for one in store.ask(lambda c: reports.groups(c, Query("project"))).values()) == 1
    assert not told.exists()
    assert b"a-secret-place" not in (tmp_path / "telemetry" / "telemetry.db").read_bytes()


def test_long_logs_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "LOG_CAP_BYTES", 10)
    folder = tmp_path / "telemetry" / "log"
    folder.mkdir(parents=True)
    (folder / "acme.ndjson").write_text("x" * 11)
    (folder / "small.ndjson").write_text("x")
    with Store.open(tmp_path) as store:
        store.fold(now=NOW)
        assert [path.name for path in store.logs()] == ["acme.1.ndjson", "small.ndjson"]
        assert [path.name for path in store.logs("acme")] == ["acme.1.ndjson"]


# --- windows as people say them -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("", None),
        ("30s", NOW_MS - 30_000),
        ("15m", NOW_MS - 15 * 60_000),
        ("24h", NOW_MS - DAY),
        ("7d", NOW_MS - 7 * DAY),
        ("999999999d", 0),
        ("2026-09-21", NOW_MS // DAY * DAY),
        ("2026-09-21T14:13:20", NOW_MS),
        ("2026-09-21T14:13:20Z", NOW_MS),
        ("2026-09-21T16:13:20+02:00", NOW_MS),
    ],
)
def test_a_window_is_an_age_a_date_or_a_moment(text: str, ms: int | None) -> None:
    assert since_ms(text, NOW) == ms


@pytest.mark.parametrize("text", ["7", "d", "7w", "-7d", "7 d", "yesterday", "2026-13-01", "20260921", "1e3s", "٣d"])
def test_anything_else_is_refused_with_what_to_say(text: str) -> None:
    with pytest.raises(UsageError, match="not a time to begin at") as refused:
        since_ms(text, NOW)
    assert "24h" in refused.value.hint
