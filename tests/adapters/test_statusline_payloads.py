"""What each host's status line payload says, and that the reader of it is light."""

from __future__ import annotations

import json
from importlib import import_module, resources
from types import ModuleType
from typing import Any

import pytest
from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.adapters.families.statusline_payloads import CLAUDE_CODE_LIKE, fields_of

CATALOGUE = BuiltinCatalogue()
HOSTS = [host_id for host_id in CATALOGUE.built_in_ids() if CATALOGUE.get(host_id).statusline]
PARTS = {"model": {"id", "display_name"}, "cost": {"total_usd"}, "context": {"used_tokens", "max_tokens", "percent"}}
PLAIN = {"session_id", "cwd", "project", "transcript_path"}


def module(host: str) -> ModuleType:
    return import_module(f"agent_connector.adapters.{host.replace('-', '_')}.statusline")


def sample(host: str) -> dict[str, Any]:
    folder = resources.files(f"agent_connector.adapters.{host.replace('-', '_')}") / "samples"
    return json.loads((folder / "StatusLine.json").read_bytes())


@pytest.mark.parametrize("host", HOSTS)
def test_the_description_names_the_reader_in_its_own_light_module(host: str) -> None:
    dialect = CATALOGUE.get(host).statusline
    assert dialect is not None
    assert dialect.parse is module(host).parse
    assert dialect.parse.__module__ == module(host).__name__


@pytest.mark.parametrize("host", HOSTS)
def test_a_sample_is_read_into_fields_of_the_context(host: str) -> None:
    fields = module(host).parse(sample(host))

    assert fields.keys() <= PLAIN | PARTS.keys()
    assert fields.keys() >= PLAIN - {"transcript_path"}
    assert all(fields.get(group, {}).keys() <= parts for group, parts in PARTS.items())


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("odd", [None, 7, True, "", [], {}, {"id": 3}, [{"a": 1}]])
def test_what_has_another_shape_is_left_out(host: str, odd: Any) -> None:
    payload = dict.fromkeys(sample(host), odd)

    assert module(host).parse(payload) == {}
    assert module(host).parse({}) == {}


def test_claude_code_before_the_first_reply() -> None:
    payload = sample("claude-code")
    payload["context_window"] |= {"current_usage": None, "used_percentage": None, "remaining_percentage": None}

    assert module("claude-code").parse(payload)["context"] == {"max_tokens": 1_000_000}


def test_claude_codes_tokens_are_what_its_percentage_counts() -> None:
    payload = sample("claude-code")
    payload["context_window"] |= {"total_input_tokens": 999_999}  # a sum over the session in older versions

    assert module("claude-code").parse(payload)["context"]["used_tokens"] == 1003 + 200 + 300


def test_cursors_project_is_where_it_works_and_not_where_it_keeps_transcripts() -> None:
    payload = sample("cursor")

    assert module("cursor").parse(payload)["project"] == "/home/dev/project"
    assert "cost" not in module("cursor").parse(payload)


def test_the_first_place_that_has_it_counts() -> None:
    assert fields_of({"cwd": "/b"}, CLAUDE_CODE_LIKE) == {"cwd": "/b"}
    assert fields_of({"cwd": "/b", "workspace": {"current_dir": "/a"}}, CLAUDE_CODE_LIKE) == {"cwd": "/a"}
