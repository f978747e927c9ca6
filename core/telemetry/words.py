"""The words of rows and reports. Light: whatever only names them loads nothing else."""

from __future__ import annotations

from typing import Literal

By = Literal["tool", "session", "project", "host", "connector", "event", "day"]
BY: tuple[By, ...] = ("tool", "session", "project", "host", "connector", "event", "day")
RowScope = Literal["call", "tool_defs", "hook", "model_turn"]
ROW_SCOPES: tuple[RowScope, ...] = ("call", "tool_defs", "hook", "model_turn")

CONFIDENCES = ("heuristic", "tokenizer-approx", "tokenizer-calibrated", "tokenizer-exact", "host-native")
"""How tokens are known, from the weakest to the best."""
RANK = {name: rank for rank, name in enumerate(CONFIDENCES)}
"""As the database holds them."""
