"""The version of this agent-connector, as a constant: asking the package's metadata costs two empty interpreters."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
"""Equal to ``version`` in pyproject.toml (a test holds it)."""
