"""A model on 127.0.0.1: answers as the prompt's script says and keeps every request for the test to look at."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

import anthropic_messages
import gemini_generate
import openai_chat
import openai_responses
from model_script import NO_SCRIPT

DIALECTS: dict[str, ModuleType] = {
    "/v1/messages": anthropic_messages,
    "/v1/responses": openai_responses,
    "/v1/chat/completions": openai_chat,
    ":generateContent": gemini_generate,
    ":streamGenerateContent": gemini_generate,
}
"""End of a path -> who answers there."""


def dialect_of(path: str) -> ModuleType | None:
    return next((dialect for end, dialect in DIALECTS.items() if path.endswith(end)), None)


@dataclass(frozen=True)
class ModelRequest:
    """One request that a host sent to its model."""

    path: str
    body: dict[str, Any]

    @property
    def dialect(self) -> ModuleType:
        found = dialect_of(self.path)
        assert found is not None
        return found

    @property
    def offered_tools(self) -> list[str]:
        return self.dialect.offered_tools(self.body)

    @property
    def tool_results(self) -> list[tuple[str, bool]]:
        """(text, is_error) of every tool result so far; only the Messages dialect tells errors apart."""
        return self.dialect.tool_results(self.body)

    @property
    def conversation(self) -> str:
        """All text the model was given, the tool definitions aside."""
        return self.dialect.conversation(self.body)


@dataclass
class Model:
    """The running stand-in: ``base_url`` without ``/v1``, and what it was asked."""

    base_url: str
    requests: list[ModelRequest] = field(default_factory=list)

    @property
    def turns(self) -> list[ModelRequest]:
        """The requests that offered tools: the conversation itself, without titles and summaries."""
        return [request for request in self.requests if request.offered_tools]

    @property
    def last(self) -> ModelRequest:
        """The last request of the conversation: it holds all that was said and returned before."""
        assert self.turns, "the host never asked its model"
        return self.turns[-1]

    def forget(self) -> None:
        self.requests.clear()


@contextmanager
def serving() -> Iterator[Model]:
    """A model on an ephemeral port of 127.0.0.1 until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.model = Model(f"http://127.0.0.1:{server.server_address[1]}")  # type: ignore[attr-defined]
    server.numbers = itertools.count(1)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.model  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path.split("?")[0] == "/v1/models":
            self._send_json({"object": "list", "data": [], "models": [], "has_more": False})
        else:
            self._send_json({"error": {"type": "not_found_error", "message": self.path}}, status=404)

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain", 200)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        path = self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            self._send_json({"input_tokens": anthropic_messages.USAGE["input_tokens"]})
        elif path.endswith(":countTokens"):
            self._send_json({"totalTokens": gemini_generate.USAGE["promptTokenCount"]})
        elif dialect_of(path):
            self._answer(path, body)
        else:
            self._send_json({"error": {"type": "not_found_error", "message": path}}, status=404)

    def _answer(self, path: str, body: dict[str, Any]) -> None:
        request = ModelRequest(path, body)
        self.server.model.requests.append(request)  # type: ignore[attr-defined]
        dialect = request.dialect
        wanted = dialect.next_step(body) if request.offered_tools else NO_SCRIPT
        message = dialect.reply(body, wanted, next(self.server.numbers))  # type: ignore[attr-defined]
        if body.get("stream") or path.endswith(":streamGenerateContent"):
            self._send(_stream(dialect, message), "text/event-stream", 200)
        else:
            self._send_json(message)

    def _send_json(self, value: Any, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), "application/json", status)

    def _send(self, payload: bytes, content_type: str, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Hosts hang up in the middle of things: nothing of that is worth a line in a test's output."""


def _stream(dialect: ModuleType, message: dict[str, Any]) -> bytes:
    lines = []
    for event in dialect.events(message):
        name = f"event: {event['type']}\n" if "type" in event else ""
        lines.append(f"{name}data: {json.dumps(event)}\n\n")
    end = getattr(dialect, "END_OF_STREAM", "")
    return "".join([*lines, f"data: {end}\n\n" if end else ""]).encode()
