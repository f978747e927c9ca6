"""Metrics as a collector receives them: a server that decodes what is posted to it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from agent_connector.errors import TelemetryError, UsageError
from agent_connector.operations.context import Context
from agent_connector.operations.telemetry import TelemetryExportRequest
from agent_connector.operations.telemetry_export import telemetry_export
from agent_connector.telemetry import otel
from telemetry import spooling

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")


class Collector:
    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.paths: list[str] = []
        self.status = 200
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                import gzip

                from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.requests.append(ExportMetricsServiceRequest.FromString(body))
                collector.paths.append(self.path)
                self.send_response(collector.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def metrics(self) -> dict[str, Any]:
        (request,) = self.requests
        (resource,) = request.resource_metrics
        (scope,) = resource.scope_metrics
        return {metric.name: metric for metric in scope.metrics}


@pytest.fixture
def collector() -> Iterator[Collector]:
    one = Collector()
    thread = threading.Thread(target=one.server.serve_forever, args=(0.05,))
    thread.start()
    yield one
    one.server.shutdown()
    thread.join()
    one.server.server_close()


def told(point: Any) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in point.attributes}


def export(context: Context, endpoint: str = "", **more: Any) -> int:
    return telemetry_export(TelemetryExportRequest("otlp", endpoint=endpoint, **more), context).rows


def spool(context: Context, *rows: dict[str, Any]) -> None:
    spooling.spool(context.data_root, rows, day=time.strftime("%Y-%m-%d", time.gmtime()))


def test_calls_arrive_by_the_conventions_for_mcp(context: Context, collector: Collector) -> None:
    first, last = spooling.NOW_MS, spooling.NOW_MS + 60_000
    secrets = {"session": "a-session", "project": "00aa"}
    spool(
        context,
        spooling.row(first, ms=40.0, **secrets),
        spooling.row(first, ms=10.0, **secrets),
        spooling.row(last, ms=7000.0, error=1, **secrets),
    )
    assert export(context, collector.address) == 3
    assert collector.paths == ["/v1/metrics"]
    metric = collector.metrics()["mcp.server.operation.duration"]
    assert metric.unit == "s"
    good, bad = sorted(metric.histogram.data_points, key=lambda point: "error.type" in told(point))
    assert told(good) == {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "query",
        "network.transport": "pipe",
        "agent_connector.connector.id": "acme",
        "agent_connector.host.id": "codex",
    }
    assert told(bad)["error.type"] == "tool_error"
    assert tuple(good.explicit_bounds) == otel.SECONDS
    assert (good.count, good.sum, list(good.bucket_counts[:4])) == (2, pytest.approx(0.05), [1, 0, 1, 0])
    assert (bad.count, bad.min, bad.max) == (1, 7.0, 7.0)
    assert (good.start_time_unix_nano, good.time_unix_nano) == (first * 10**6, last * 10**6)
    assert metric.histogram.aggregation_temporality == 1  # delta
    sent = str(collector.requests)
    assert "a-session" not in sent
    assert "00aa" not in sent


def test_tokens_of_calls_and_of_turns_are_two_metrics(context: Context, collector: Collector) -> None:
    spool(context, spooling.row(), spooling.row(scope="model_turn", conf="host-native", out=5000, **{"in": 70_000}))
    export(context, collector.address)
    metrics = collector.metrics()
    calls = {
        told(point)["gen_ai.token.type"]: (point.sum, told(point)["agent_connector.confidence"])
        for point in metrics["agent_connector.tool.token.usage"].histogram.data_points
    }
    assert calls == {"input": (9, "tokenizer-exact"), "output": (99, "tokenizer-exact")}
    turns = metrics["gen_ai.client.token.usage"]
    assert turns.unit == "{token}"
    assert {told(point)["gen_ai.token.type"]: point.sum for point in turns.histogram.data_points} == {
        "input": 70_000,
        "output": 5000,
    }
    assert all(told(point)["gen_ai.operation.name"] == "chat" for point in turns.histogram.data_points)


def test_hooks_and_definitions_arrive_under_names_of_ours(context: Context, collector: Collector) -> None:
    hook = {"scope": "hook", "event": "PreToolUse", "verdict": "honored", "ms": 4.0}
    defined = {"scope": "tool_defs", "defs": "g"}
    spool(
        context,
        spooling.row(**hook),
        spooling.row(out=5, **defined),
        spooling.row(spooling.NOW_MS + 1, out=8, **defined),
    )
    export(context, collector.address)
    metrics = collector.metrics()
    (point,) = metrics["agent_connector.hook.duration"].histogram.data_points
    assert told(point)["agent_connector.hook.verdict"] == "honored"
    (gauge,) = metrics["agent_connector.tool.definition.tokens"].gauge.data_points
    assert (gauge.as_int or gauge.as_double) == 8


def test_of_nothing_nothing_is_sent(context: Context, collector: Collector) -> None:
    assert export(context, collector.address) == 0
    spool(context, spooling.row())
    assert export(context, collector.address, connector="other") == 0
    assert collector.requests == []


def test_a_collector_that_refuses_is_an_error(context: Context, collector: Collector) -> None:
    spool(context, spooling.row())
    collector.status = 400
    with pytest.raises(TelemetryError, match="did not take"):
        export(context, collector.address)


def test_the_collector_is_what_was_given_else_what_the_variables_say() -> None:
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector:4318/"}
    assert otel.endpoint_of("", env) == "https://collector:4318/v1/metrics"
    assert otel.endpoint_of("http://here:1", env) == "http://here:1/v1/metrics"
    assert otel.endpoint_of("http://here:1/v1/metrics", env) == "http://here:1/v1/metrics"
    env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] = "https://metrics/own/path"
    assert otel.endpoint_of("", env) == "https://metrics/own/path"


@pytest.mark.parametrize("endpoint", ["", "localhost:4318", "file:///etc/passwd", "http://me:secret@here", "http://"])
def test_what_is_no_collector_is_refused_and_no_password_is_repeated(endpoint: str) -> None:
    with pytest.raises(UsageError) as refused:
        otel.endpoint_of(endpoint, {})
    assert "secret" not in str(refused.value)


def test_without_the_extra_it_says_what_to_install(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.metric_exporter", None)
    with pytest.raises(UsageError, match="not installed") as refused:
        export(context, "http://127.0.0.1:9")
    assert "agent-connector-mcp[otel]" in refused.value.hint


def test_nothing_of_it_is_loaded_unless_asked_for() -> None:
    code = (
        "import sys, agent_connector.operations.telemetry_export, agent_connector.telemetry.otel\n"
        "print(*(name for name in sys.modules if name.startswith(('opentelemetry', 'requests', 'pyarrow'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
