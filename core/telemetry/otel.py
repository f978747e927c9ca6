"""Rows as OpenTelemetry metrics, sent to a collector over OTLP/HTTP. Only ever when a person asks for it.

Names follow the semantic conventions for MCP and for generative AI; where those have none, they begin with
``agent_connector.``. One run sends one window: sums and histograms are deltas from its first row to its last, so two
runs over the same rows count twice. Neither sessions nor projects are sent.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import TelemetryError, UsageError

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import Metric, MetricExporter

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
TOKENS = tuple(float(4**power) for power in range(14))
"""Bounds that the conventions give for durations of MCP operations, and for numbers of tokens."""
_METRICS_PATH = "/v1/metrics"
_TIMEOUT_SECONDS = 10.0

_Attributes = tuple[tuple[str, str], ...]
_DURATION = ("mcp.server.operation.duration", "s", "How long the MCP server took for a request.", SECONDS)
_TURN_TOKENS = ("gen_ai.client.token.usage", "{token}", "Tokens of a turn, as the host told them.", TOKENS)
_CALL_TOKENS = (
    "agent_connector.tool.token.usage",
    "{token}",
    "Tokens of a tool call's arguments and result.",
    TOKENS,
)
_HOOK_DURATION = ("agent_connector.hook.duration", "s", "How long a connector's hook took.", SECONDS)
_DEFINITION = ("agent_connector.tool.definition.tokens", "{token}", "Tokens of a tool's definition.")

_Instrument = tuple[str, str, str, tuple[float, ...]]


def endpoint_of(given: str, env: Mapping[str, str]) -> str:
    """Where metrics are posted: what was given, else what the variables of OpenTelemetry say. Raises
    :class:`UsageError` where that is nothing, or no web address."""
    own = env.get("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "")
    base = given or env.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    if not given and own:
        return _checked(own)
    if not base:
        raise UsageError(
            "no collector was named", hint="Say --endpoint http://localhost:4318, or set OTEL_EXPORTER_OTLP_ENDPOINT."
        )
    return _checked(base if base.rstrip("/").endswith(_METRICS_PATH) else base.rstrip("/") + _METRICS_PATH)


def _checked(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"not the address of a collector: {endpoint!r}", hint="Say http://localhost:4318.")
    if parts.username or parts.password:
        raise UsageError(
            "a password in the collector's address would stand in logs and process lists",
            hint="Set OTEL_EXPORTER_OTLP_HEADERS instead.",
        )
    return endpoint


def exporter(endpoint: str) -> MetricExporter:
    """What sends to ``endpoint``. Raises :class:`UsageError` without the libraries of the extra."""
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    except ImportError:
        raise UsageError(
            "OTLP needs OpenTelemetry, which is not installed here",
            hint="pip install 'agent-connector-mcp[otel]', or --format json.",
        ) from None
    return OTLPMetricExporter(endpoint=endpoint, timeout=_TIMEOUT_SECONDS)


def send(records: Iterable[Mapping[str, Any]], ready: MetricExporter, version: str) -> int:
    """Send what these records (:mod:`.records`) come to; how many there were. Raises :class:`TelemetryError` where
    the collector does not take it."""
    import logging

    from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, ResourceMetrics, ScopeMetrics
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    sums = _Sums()
    count = 0
    for record in records:
        sums.add(record)
        count += 1
    if not count:
        return 0
    scope = ScopeMetrics(InstrumentationScope("agent_connector", version), sums.metrics(), "")
    resource = Resource({"service.name": "agent-connector", "service.version": version})
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())  # what went wrong is said once, by us
    result = ready.export(MetricsData([ResourceMetrics(resource, [scope], "")]))
    ready.shutdown()
    if result is not MetricExportResult.SUCCESS:
        raise TelemetryError(
            "the collector did not take the metrics", hint="Is it running, and does it speak OTLP over HTTP?"
        )
    return count


class _Histogram:
    __slots__ = ("bounds", "counts", "least", "most", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        self.least = float("inf")
        self.most = float("-inf")

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value
        self.least = min(self.least, value)
        self.most = max(self.most, value)


class _Sums:
    def __init__(self) -> None:
        self._histograms: dict[_Instrument, dict[_Attributes, _Histogram]] = {}
        self._definitions: dict[_Attributes, tuple[int, int]] = {}
        """attributes -> (ms, tokens) of the newest"""
        self._first = self._last = 0

    def add(self, record: Mapping[str, Any]) -> None:
        moment = record["ts"]
        self._first = min(self._first or moment, moment)
        self._last = max(self._last, moment)
        {"call": self._call, "hook": self._hook, "model_turn": self._turn, "tool_defs": self._defined}[
            record["scope"]
        ](record)

    def _call(self, record: Mapping[str, Any]) -> None:
        what = {
            **_where(record),
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": record["toolName"],
            "network.transport": "pipe",
        }
        if record["isError"]:
            what["error.type"] = "tool_error"
        if record["latencyMs"] is not None:
            self._put(_DURATION, what, record["latencyMs"] / 1000)
        self._tokens(_CALL_TOKENS, record, {**_where(record), "gen_ai.tool.name": record["toolName"]})

    def _turn(self, record: Mapping[str, Any]) -> None:
        told = {**_where(record), "gen_ai.operation.name": "chat", "gen_ai.provider.name": "_OTHER"}
        self._tokens(_TURN_TOKENS, record, told)

    def _hook(self, record: Mapping[str, Any]) -> None:
        if record["latencyMs"] is not None:
            told = {"agent_connector.hook.event": record["event"], "agent_connector.hook.verdict": record["verdict"]}
            self._put(_HOOK_DURATION, {**_where(record), **told}, record["latencyMs"] / 1000)

    def _defined(self, record: Mapping[str, Any]) -> None:
        key = _key({**_where(record), "gen_ai.tool.name": record["toolName"]})
        self._definitions[key] = max(self._definitions.get(key, (0, 0)), (record["ts"], record["outputTokens"]))

    def _tokens(self, instrument: _Instrument, record: Mapping[str, Any], attributes: Mapping[str, str]) -> None:
        told = {**attributes, "agent_connector.confidence": record["confidenceSource"]}
        for kind, count in (("input", record["inputTokens"]), ("output", record["outputTokens"])):
            self._put(instrument, {**told, "gen_ai.token.type": kind}, count)

    def _put(self, instrument: _Instrument, attributes: Mapping[str, str], value: float) -> None:
        points = self._histograms.setdefault(instrument, {})
        key = _key(attributes)
        if key not in points:
            points[key] = _Histogram(instrument[3])
        points[key].add(value)

    def metrics(self) -> list[Metric]:
        from opentelemetry.sdk.metrics.export import (
            AggregationTemporality,
            Gauge,
            Histogram,
            HistogramDataPoint,
            Metric,
            NumberDataPoint,
        )

        first, last = self._first * 1_000_000, self._last * 1_000_000
        found = []
        for (name, unit, about, bounds), points in self._histograms.items():
            data = [
                HistogramDataPoint(
                    dict(key), first, last, sum(one.counts), one.total, one.counts, bounds, one.least, one.most
                )
                for key, one in points.items()
            ]
            found.append(Metric(name, about, unit, Histogram(data, AggregationTemporality.DELTA)))
        if self._definitions:
            now = time.time_ns()
            gauge = [NumberDataPoint(dict(key), now, now, tokens) for key, (_, tokens) in self._definitions.items()]
            name, unit, about = _DEFINITION
            found.append(Metric(name, about, unit, Gauge(gauge)))
        return found


def _where(record: Mapping[str, Any]) -> dict[str, str]:
    told = {"agent_connector.connector.id": record["connectorId"], "agent_connector.host.id": record["hostPlatform"]}
    return {name: value for name, value in told.items() if value}


def _key(attributes: Mapping[str, str]) -> _Attributes:
    return tuple(sorted(attributes.items()))
