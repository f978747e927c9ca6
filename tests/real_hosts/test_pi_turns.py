"""Whole turns of Pi: our tool is called through ``serve``, and the module of our hooks does what the verdicts say."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_homes import Home
from installed_connector import Installed
from model_server import Model
from node_homes import Pi

pytestmark = pytest.mark.real_host


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(Pi(home, model), home.path / "connector")


def test_tools_that_are_chosen_are_shown_to_the_model_and_called_through_serve(connector: Installed) -> None:
    server = {**connector.server, "tools": {"exclude": ["*_write"]}}
    connector.define({}, server=server)

    turn = connector.turn(
        "\n".join(
            [
                connector.calls_tool("acme_query", sql="select 'one' as marker"),
                connector.calls_tool("acme_write", sql="delete from orders"),
                "SAY done",
            ]
        )
    )

    turn.finished.succeeded()
    assert [call["arguments"]["sql"] for call in turn.calls] == ["select 'one' as marker"]
    assert '"one"' in turn.results[0]
    offered = turn.requests[0].offered_tools
    assert (connector.tool("acme_query") in offered, connector.tool("acme_write") in offered) == (True, False)
