"""Markdown files with YAML frontmatter, written so that any YAML reader gets back exactly what was meant."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./()-]*(?:,? [A-Za-z0-9_./()-]+)*")
"""Text that every YAML reader takes as the text it is: no indicators, no colon, no look of a number or a date."""
_WORDS_OF_YAML = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def markdown(frontmatter: Mapping[str, Any], body: str) -> str:
    """``body`` under ``frontmatter``; entries that are ``None`` are left out. Ends with one line end at least."""
    lines = [f"{_key(key)}: {yaml_value(value)}" for key, value in frontmatter.items() if value is not None]
    head = "---\n" + "\n".join(lines) + "\n---\n\n" if lines else ""
    return head + (body if body.endswith("\n") else body + "\n")


def one_line(text: str) -> str:
    """Runs of white space, line ends among them, as one space: for readers that go line by line."""
    return " ".join(text.split())


def yaml_value(value: Any) -> str:
    """A JSON value as YAML on one line: bare where that is safe, else as JSON, which YAML contains."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS_OF_YAML:
        return value
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _key(key: str) -> str:
    return key if _KEY.fullmatch(key) and key.lower() not in _WORDS_OF_YAML else yaml_value(key)
