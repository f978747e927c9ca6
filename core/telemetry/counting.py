"""From what was said in a call to a row of numbers, with how well they are known."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Literal

from .extraction import Definition, read_call
from .frames import Frame
from .modalities import Family
from .tokens import BYTES_PER_TOKEN, Tokens

Confidence = Literal["heuristic", "tokenizer-approx", "tokenizer-calibrated", "tokenizer-exact"]

_DIGITS = 16


def call_row(frame: Frame, tokens: Tokens, ratio: float | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The row of a call, and the texts that were counted for it.

    ``ratio``: tokens of the family's own counting to one of ours, where it is known.
    """
    row = dict(frame.row)
    try:
        call = read_call(frame.request, frame.answer, frame.family)
    except ValueError:
        return {**row, **_by_size(row, frame)}, ()
    asked, exactly_asked = _sum(call.asked, tokens, ratio)
    answered, exactly_answered = _sum(call.answered, tokens, ratio)
    row.setdefault("tool", call.tool)
    row["error"] = int(bool(row.get("error")) or call.is_error)
    row["in"], row["out"] = asked, answered + call.estimated
    exactly = exactly_asked and exactly_answered
    row["conf"] = label(frame.family, counted=exactly, only_text=not call.estimated, calibrated=ratio is not None)
    return row, call.asked + call.answered


def definition_rows(
    frame: Frame, definitions: Iterable[Definition], tokens: Tokens, ratio: float | None
) -> list[dict[str, Any]]:
    """A row for each definition, all of one generation; of none a row without a name, so that those of before go.

    Each has a number of its own, made of the frame's: a frame that is handed over again gives the same rows.
    """
    definitions = tuple(definitions)
    shared = {
        key: value for key, value in frame.row.items() if key not in ("error", "inb", "ms", "outb", "tool", "u")
    }
    shared["defs"] = generation(definitions, definitions_label(frame.family, tokens, ratio))
    rows = []
    for index, definition in enumerate(definitions or (Definition("", ""),)):
        count, exactly = _sum((definition.text,), tokens, ratio)
        rows.append(
            {
                **shared,
                "u": _number(frame.row["u"], index),
                "tool": definition.name,
                "outb": len(definition.text.encode("utf-8", "surrogatepass")),
                "out": count,
                "conf": label(frame.family, counted=exactly, only_text=True, calibrated=ratio is not None),
            }
        )
    return rows


def generation(definitions: Iterable[Definition], label: str) -> str:
    """The id of a set of definitions, whatever their order. Counted better than before, they are another one."""
    texts = sorted(definition.text for definition in definitions)
    return hashlib.sha256("\n".join([label, *texts]).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def definitions_label(family: Family, tokens: Tokens, ratio: float | None) -> Confidence:
    counted = tokens.source != "heuristic"
    return label(family, counted=counted, only_text=True, calibrated=ratio is not None)


def label(family: Family, *, counted: bool, only_text: bool, calibrated: bool) -> Confidence:
    """``counted``: by the encoding, all of it; ``only_text``: nothing in it was estimated by formula."""
    if not counted:
        return "heuristic"
    if not only_text:
        return "tokenizer-approx"
    if family == "openai":
        return "tokenizer-exact"
    return "tokenizer-calibrated" if calibrated else "tokenizer-approx"


def _sum(texts: Iterable[str], tokens: Tokens, ratio: float | None) -> tuple[int, bool]:
    total, exactly = 0, True
    for text in texts:
        count, counted = tokens.measure(text)
        total += count
        exactly = exactly and counted
    return (total if ratio is None or not exactly else round(total * ratio)), exactly


def _by_size(row: dict[str, Any], frame: Frame) -> dict[str, Any]:
    asked, answered = row.get("inb", len(frame.request)), row.get("outb", len(frame.answer))
    return {
        "in": -int(-asked // BYTES_PER_TOKEN),
        "out": -int(-answered // BYTES_PER_TOKEN),
        "conf": "heuristic",
    }


def _number(u: int, index: int) -> int:
    """63 bits."""
    return int.from_bytes(hashlib.sha256(f"{u}/{index}".encode()).digest()[:8], "big") >> 1
