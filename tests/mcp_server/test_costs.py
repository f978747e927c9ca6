"""telemetry_report and leaderboard through the protocol."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from telemetry import spooling

from .conftest import content, text

pytestmark = pytest.mark.anyio


def spool(root: Path, *rows: dict[str, Any]) -> None:
    spooling.spool(root, rows, day=time.strftime("%Y-%m-%d", time.gmtime()))


def row(**more: Any) -> dict[str, Any]:
    return spooling.row(int(time.time() * 1000) - 60_000, **more)


async def test_an_agent_is_told_what_each_tool_costs(agent) -> None:
    spool(agent.data_root, row(tool="small"), row(tool="big", out=5000))
    result = await agent.call("telemetry_report", since="24h")
    told = content(result)
    assert [one["name"] for one in told["rows"]] == ["acme · big", "acme · small"]
    assert (told["rows"][0]["tokens"], told["rows"][0]["confidence"]) == (5009, "tokenizer-exact")
    assert told["total"]["calls"] == 2
    assert "acme · big" in text(result)


async def test_long_reports_are_cut_and_say_so(agent) -> None:
    spool(agent.data_root, *(row(tool=f"tool-{n:03}") for n in range(70)))
    result = await agent.call("telemetry_report")
    told = content(result)
    assert (len(told["rows"]), told["more"]) == (20, 50)
    assert told["total"]["calls"] == 70
    assert len(text(result)) < 3500


async def test_boards_keep_their_origins(agent) -> None:
    spool(agent.data_root, row(), row(scope="model_turn", conf="host-native", out=9000))
    told = content(await agent.call("leaderboard"))
    assert [board["origin"] for board in told["boards"]] == ["mcp-self", "host-native-live"]
    assert told["boards"][0]["rows"][0]["name"] == "acme"
    assert told["boards"][1]["rows"][0]["tokens"] == 9009


async def test_with_nothing_counted_an_agent_can_say_why(agent) -> None:
    assert "Nothing has been counted yet" in text(await agent.call("telemetry_report"))
    assert "Nothing has been counted yet" in text(await agent.call("leaderboard", by="surface"))


async def test_what_is_no_window_is_refused(agent) -> None:
    result = await agent.call("telemetry_report", since="soon")
    assert result.is_error
    assert "24h" in text(result)
