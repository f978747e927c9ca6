"""What is measured, and how."""

from typing import Literal

from .fields import Flag, Model


class Calibration(Model):
    """``anthropic_count_tokens`` sends content to Anthropic's counting service: off unless asked for."""

    anthropic_count_tokens: Flag = False


class Telemetry(Model):
    """On by default, local, counts only."""

    enabled: Flag = True
    model_family_hint: Literal["auto", "openai", "anthropic", "generic"] = "auto"
    measure_tool_defs: Flag = True
    """Count what the tool definitions cost."""
    calibration: Calibration = Calibration.model_construct()
    host_native_usage: Flag = False
    """Count turns from the host's own logs."""
    store: Literal["ndjson", "sqlite"] = "sqlite"
    """Where rows end up: in the database that reports ask, or (ndjson) in a log of the connector's own only."""
