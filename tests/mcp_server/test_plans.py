"""Plans in the data root: an hour long, private, and never of anybody's invention."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_connector.errors import PlanChangedError, UsageError
from agent_connector.mcp_server.server.plans import LIFETIME_SECONDS, Plan, PlanStore


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> PlanStore:
    return PlanStore(tmp_path / "data", clock)


PLAN = Plan("install", {"connector": "acme"}, "/here", commands=("npx acme",), files=(("create", "/x"),), diff="+a")


def test_what_is_kept_comes_back_the_same_also_to_another_process(tmp_path: Path, store: PlanStore, clock) -> None:
    kept = store.put(PLAN)
    assert PlanStore(tmp_path / "data", clock).get(kept.id) == kept
    assert (kept.operation, kept.commands, kept.files) == (PLAN.operation, PLAN.commands, PLAN.files)


def test_no_two_plans_have_one_handle(store: PlanStore) -> None:
    assert store.put(PLAN).id != store.put(PLAN).id


def test_a_plan_lives_for_an_hour(store: PlanStore, clock: Clock, tmp_path: Path) -> None:
    kept = store.put(PLAN)
    clock.now += LIFETIME_SECONDS
    assert store.get(kept.id) == kept
    clock.now += 1
    with pytest.raises(UsageError, match="live for an hour"):
        store.get(kept.id)
    store.put(PLAN)
    assert not (tmp_path / "data" / "plans" / f"{kept.id}.json").exists()


def test_a_plan_of_the_future_is_none(store: PlanStore, clock: Clock) -> None:
    kept = store.put(PLAN)
    clock.now -= 10
    with pytest.raises(UsageError):
        store.get(kept.id)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"id": 5}', "\x00"])
def test_a_damaged_plan_is_no_plan(tmp_path: Path, store: PlanStore, damage: str) -> None:
    kept = store.put(PLAN)
    (tmp_path / "data" / "plans" / f"{kept.id}.json").write_text(damage)
    with pytest.raises(UsageError):
        store.get(kept.id)
    assert store.ids() == ()


def test_a_plan_under_another_name_is_no_plan(tmp_path: Path, store: PlanStore) -> None:
    kept = store.put(PLAN)
    folder = tmp_path / "data" / "plans"
    (folder / f"{kept.id}.json").rename(folder / "0123456789abcdef.json")
    with pytest.raises(UsageError):
        store.get("0123456789abcdef")


def test_the_newest_plan_is_listed_first(store: PlanStore, clock: Clock) -> None:
    first = store.put(PLAN)
    clock.now += 5
    second = store.put(PLAN)
    assert store.ids() == (second.id, first.id)


def test_arguments_may_be_left_out_or_repeated_but_not_changed() -> None:
    PLAN.require_same("install", {})
    PLAN.require_same("install", {"connector": "acme"})
    with pytest.raises(PlanChangedError, match="connector, targets"):
        PLAN.require_same("install", {"connector": "other", "targets": ["codex"]})
    with pytest.raises(UsageError, match="not of uninstall"):
        PLAN.require_same("uninstall", {})


def test_an_applied_plan_keeps_what_was_shown(store: PlanStore) -> None:
    kept = store.put(PLAN)
    store.mark_applied(kept)
    applied = store.get(kept.id)
    assert applied.diff == PLAN.diff
    assert applied.arguments == {}
    with pytest.raises(UsageError, match="applied already"):
        applied.require_same("install", {"connector": "acme"})


def test_a_plan_is_json(tmp_path: Path, store: PlanStore) -> None:
    kept = store.put(PLAN)
    assert json.loads((tmp_path / "data" / "plans" / f"{kept.id}.json").read_bytes())["id"] == kept.id
