"""The page on hosts is made from the descriptions."""

from __future__ import annotations

from pathlib import Path

from agent_connector.adapters.document import hosts_page

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"


def test_the_page_on_hosts_is_what_the_descriptions_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == hosts_page(), (
        "docs/hosts.md is stale: python -m agent_connector.adapters.document > docs/hosts.md"
    )
