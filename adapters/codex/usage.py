"""What Codex's rollouts say a thread cost: ``sessions/YYYY/MM/DD/rollout-*.jsonl`` and the archived ones.

Newer versions write a ``token_usage_record`` per reply. Older ones told running totals again and again
(``token_count``): a reply was there where the totals moved. Forks and subagents may tell their parent's replies once
more, with the old time stamps or new ones; their totals go on from the parent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from agent_connector.adapters.families.usage_logs import Scanned, each_line, moment, tokens
from agent_connector.location import Location
from agent_connector.usage.reader import JsonLinesReader, LogFiles
from agent_connector.usage.records import Kin, ServerCall, UsageRecord


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    total_tokens: int | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(
            map(
                tokens,
                (
                    self.input_tokens,
                    self.cached_input_tokens,
                    self.cache_write_input_tokens,
                    self.output_tokens,
                    self.reasoning_output_tokens,
                ),
            )
        )


_Numbers = tuple[int, ...]
"""(input, of it cached, of it written to the cache, output, of it reasoning)"""


class _Info(msgspec.Struct, gc=False):
    total_token_usage: _Usage | None = None
    last_token_usage: _Usage | None = None
    model: str | None = None


class _Item(msgspec.Struct, gc=False):
    type: str = ""
    id: str = ""
    server: str = ""


class _Payload(msgspec.Struct, gc=False):
    """Of all the kinds of lines that are looked at."""

    type: str = ""
    id: str | None = None
    cwd: str | None = None
    model: str | None = None
    model_name: str | None = None
    model_provider: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    thread_source: str | None = None
    source: msgspec.Raw = msgspec.Raw()
    info: _Info | None = None
    item: _Item | None = None
    thread_id: str | None = None
    response_id: str | None = None
    usage: _Usage | None = None
    thread_token_usage: _Usage | None = None


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    timestamp: str = ""
    payload: msgspec.Raw = msgspec.Raw()


class _Spawn(msgspec.Struct, gc=False):
    parent_thread_id: str = ""


class _Subagent(msgspec.Struct, gc=False):
    thread_spawn: _Spawn | None = None


class _Source(msgspec.Struct, gc=False):
    subagent: _Subagent | str | None = None


class _Thread(msgspec.Struct):
    """What is to be known of a file's lines when the next ones are read."""

    id: str = ""
    parent: str = ""
    subagent: bool = False
    cwd: str = ""
    provider: str = ""
    model: str = ""
    totals: _Numbers | None = None
    has_records: bool = False
    """Whether it tells each reply by itself; then totals say nothing new."""


_LINES = msgspec.json.Decoder(_Line, strict=False)
_PAYLOADS = msgspec.json.Decoder(_Payload, strict=False)
_SOURCES = msgspec.json.Decoder(_Source, strict=False)


def scan(lines: Sequence[bytes], cursor: Any) -> Scanned:
    thread = msgspec.convert(cursor or {}, _Thread)
    scanned = Scanned()

    def take(line: _Line) -> None:
        work = _KINDS.get(line.type)
        if work is None or not line.payload:
            return
        try:
            payload = _PAYLOADS.decode(line.payload)
        except msgspec.MsgspecError:
            scanned.refused += 1
            return
        work(thread, payload, line.timestamp, scanned)

    each_line(lines, _LINES, scanned, take)
    scanned.cursor = msgspec.to_builtins(thread)
    return scanned


def _meta(thread: _Thread, payload: _Payload, _timestamp: str, scanned: Scanned) -> None:
    if thread.id:  # a fork's copy of its parent's lines has the parent's, too
        return
    thread.id = payload.id or ""
    thread.cwd = payload.cwd or ""
    thread.provider = payload.model_provider or ""
    spawned_by = payload.parent_thread_id or _spawned_by(payload.source)
    thread.subagent = bool(spawned_by) or payload.thread_source == "subagent"
    thread.parent = spawned_by if thread.subagent else ""
    for other in {spawned_by, payload.forked_from_id or ""} - {""}:
        scanned.upserts.append(Kin(thread.id, other))


def _spawned_by(source: msgspec.Raw) -> str:
    try:
        told = _SOURCES.decode(source) if source else None
    except msgspec.MsgspecError:  # a word: how the thread was started
        return ""
    subagent = told.subagent if told is not None else None
    return subagent.thread_spawn.parent_thread_id if isinstance(subagent, _Subagent) and subagent.thread_spawn else ""


def _context(thread: _Thread, payload: _Payload, _timestamp: str, _scanned: Scanned) -> None:
    thread.model = payload.model or payload.model_name or thread.model
    thread.cwd = payload.cwd or thread.cwd


def _record(thread: _Thread, payload: _Payload, timestamp: str, scanned: Scanned) -> None:
    thread.has_records = True
    if payload.usage is None or (thread.id and payload.thread_id not in (None, thread.id)):  # its parent's own has it
        return
    so_far = payload.thread_token_usage.numbers if payload.thread_token_usage else ()
    key = " ".join([thread.id, payload.response_id or timestamp, *map(str, so_far)])
    _reply(thread, payload.usage.numbers, timestamp, scanned, key=key)


def _event(thread: _Thread, payload: _Payload, timestamp: str, scanned: Scanned) -> None:
    if payload.type == "token_count":
        _count(thread, payload, timestamp, scanned)
    elif payload.item is not None and payload.item.type == "McpToolCall":
        call = ServerCall(
            key=payload.item.id or timestamp, session=thread.id, server=payload.item.server, t=moment(timestamp)
        )
        scanned.upserts.append(call)


def _count(thread: _Thread, payload: _Payload, timestamp: str, scanned: Scanned) -> None:
    info = payload.info
    if thread.has_records or info is None or info.total_token_usage is None:
        return
    totals = info.total_token_usage.numbers
    before, thread.totals = thread.totals, totals
    if totals == before:  # told again, for something else that moved
        return
    last = info.last_token_usage.numbers if info.last_token_usage else _moved(before, totals)
    if not thread.model:
        thread.model = payload.model or info.model or ""
    _reply(thread, last, timestamp, scanned, key=" ".join(map(str, (*totals, "+", *last))), of=thread.id)


def _moved(before: _Numbers | None, totals: _Numbers) -> _Numbers:
    """A total that went down began anew."""
    if before is None or any(new < old for new, old in zip(totals, before, strict=True)):
        return totals
    return tuple(new - old for new, old in zip(totals, before, strict=True))


def _reply(thread: _Thread, numbers: _Numbers, timestamp: str, scanned: Scanned, *, key: str, of: str = "") -> None:
    whole, cached, written, output, reasoning = numbers
    if not whole and not output:
        return
    scanned.upserts.append(
        UsageRecord(
            key=key,
            thread=of,
            session=thread.id,
            parent=thread.parent,
            subagent=thread.subagent,
            project=thread.cwd,
            model=thread.model,
            provider=thread.provider,
            t=moment(timestamp),
            input=tokens(whole - cached - written),
            output=output,
            cache_read=cached,
            cache_write=written,
            reasoning=min(reasoning, output),
        )
    )


_KINDS = {
    "session_meta": _meta,
    "turn_context": _context,
    "token_usage_record": _record,
    "event_msg": _event,
}

READER = JsonLinesReader(
    logs=(
        LogFiles(
            Location("home", (".codex",), "CODEX_HOME"),
            ("sessions/**/rollout-*.jsonl", "archived_sessions/**/rollout-*.jsonl"),
        ),
    ),
    wanted=(b"token_count", b"token_usage_record", b"turn_context", b"session_meta", b"McpToolCall"),
    scan=scan,
)
