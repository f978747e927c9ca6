"""What real hosts log of a turn is what their model said it billed."""

from __future__ import annotations

from types import ModuleType

import anthropic_messages
import openai_responses
import pytest
from agent_connector.adapters.claude_code import usage as claude_code
from agent_connector.adapters.codex import usage as codex_usage
from agent_connector.machine import Machine
from agent_connector.usage.reading import Reading, read_usage
from host_homes import ClaudeCode, Codex
from test_harness import QUERY, register_with_claude, register_with_codex

pytestmark = pytest.mark.real_host


def logged(reader: ModuleType, host: ClaudeCode | Codex) -> Reading:
    home = host.home.path
    return read_usage(reader.READER, Machine(os="linux", home=home, cwd=host.home.project, env={}))


def test_claude_code_logs_what_was_billed(claude: ClaudeCode) -> None:
    register_with_claude(claude)
    tool = "mcp__acme-db__acme_query"
    claude.turn(QUERY.format(tool=tool), "--allowedTools", tool).succeeded()
    billed = anthropic_messages.USAGE
    replies = len(claude.model.turns)

    reading = logged(claude_code, claude)

    assert len(reading.records) == replies > 1
    for record in reading.records:
        assert (record.input, record.output) == (billed["input_tokens"], billed["output_tokens"])
        assert record.cache_read == billed["cache_read_input_tokens"]
        assert record.cache_write == billed["cache_creation_input_tokens"]
        assert record.project == str(claude.home.project)
    assert [call.server for call in reading.calls] == ["acme-db"]
    assert reading.skipped == ()


def test_codex_logs_what_was_billed(codex: Codex) -> None:
    register_with_codex(codex)
    codex.turn(QUERY.format(tool="mcp__acme_db__acme_query")).succeeded()
    billed = openai_responses.USAGE
    cached = billed["input_tokens_details"]["cached_tokens"]
    replies = len(codex.model.turns)

    reading = logged(codex_usage, codex)

    assert len(reading.records) == replies > 1
    for record in reading.records:
        assert (record.input, record.cache_read) == (billed["input_tokens"] - cached, cached)
        assert (record.output, record.reasoning) == (billed["output_tokens"], 5)
        assert record.project == str(codex.home.project)
        assert record.model
    assert [call.server for call in reading.calls] == ["acme-db"]
    assert reading.skipped == ()
