"""What Claude Code's transcripts say a session cost: ``projects/<folder>/<session>.jsonl`` and its subagents'.

One reply is a line for each of its blocks, with growing numbers; a resumed or forked session copies lines under
another session's id; an aside (``/btw``) tells the parent's replies again with other request ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from agent_connector.adapters.families.usage_logs import Scanned, each_line, moment, tokens
from agent_connector.location import Location
from agent_connector.usage.reader import JsonLinesReader, LogFiles
from agent_connector.usage.records import ServerCall, UsageRecord

_SYNTHETIC = "<synthetic>"
"""The model of what the host itself says in the model's place."""
_SERVER = "mcp__"


class _CacheWrites(msgspec.Struct, gc=False):
    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: _CacheWrites | None = None


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str = ""
    name: str = ""


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None
    content: list[_Block] | str | None = None


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    timestamp: str = ""
    sessionId: str = ""  # noqa: N815  # as the host writes it
    agentId: str | None = None  # noqa: N815
    cwd: str = ""
    uuid: str = ""
    requestId: str | None = None  # noqa: N815
    isSidechain: bool = False  # noqa: N815
    message: msgspec.Raw = msgspec.Raw()
    costUSD: float | None = None  # noqa: N815


_LINES = msgspec.json.Decoder(_Line, strict=False)
_MESSAGES = msgspec.json.Decoder(_Message, strict=False)


def scan(lines: Sequence[bytes], _cursor: Any) -> Scanned:
    scanned = Scanned()

    def take(line: _Line) -> None:
        if line.type != "assistant" or not line.message:
            return
        try:
            message = _MESSAGES.decode(line.message)
        except msgspec.MsgspecError:
            scanned.refused += 1
            return
        _reply(line, message, scanned)

    return each_line(lines, _LINES, scanned, take)


def _reply(line: _Line, message: _Message, scanned: Scanned) -> None:
    usage = message.usage
    if usage is None or message.model == _SYNTHETIC:
        return
    t = moment(line.timestamp)
    agent = line.agentId or ""
    session = f"{line.sessionId}/{agent}" if line.isSidechain and agent else line.sessionId
    reply = message.id or ""
    writes = usage.cache_creation or _CacheWrites()
    long = tokens(writes.ephemeral_1h_input_tokens)
    written = max(tokens(usage.cache_creation_input_tokens), tokens(writes.ephemeral_5m_input_tokens) + long)
    scanned.upserts.append(
        UsageRecord(
            key=f"{reply} {line.requestId or ''}" if reply else line.uuid or f"{session} {line.timestamp}",
            reply=reply,
            session=session,
            parent=line.sessionId if session != line.sessionId else "",
            subagent=line.isSidechain,
            project=line.cwd,
            model=message.model or "",
            provider="anthropic",
            t=t,
            input=tokens(usage.input_tokens),
            output=tokens(usage.output_tokens),
            cache_read=tokens(usage.cache_read_input_tokens),
            cache_write=written,
            cache_write_1h=min(long, written),
            cost=line.costUSD,
        )
    )
    for block in message.content if isinstance(message.content, list) else ():
        if block.type == "tool_use" and block.name.startswith(_SERVER):
            server = block.name[len(_SERVER) :].partition("__")[0]
            scanned.upserts.append(ServerCall(key=block.id or line.uuid, session=session, server=server, t=t))


READER = JsonLinesReader(
    logs=(
        LogFiles(Location("home", (".claude",), "CLAUDE_CONFIG_DIR"), ("projects/**/*.jsonl",)),
        LogFiles(Location("config", ("claude",), "CLAUDE_CONFIG_DIR"), ("projects/**/*.jsonl",)),
    ),
    wanted=(b'"usage"',),
    scan=scan,
)
