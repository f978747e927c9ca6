"""Bytes of a config file -> the editor of its format, loaded only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..vocabulary import FormatId
    from .base import Document


def open_document(format_id: FormatId, data: bytes) -> Document:
    """Raises :class:`DocumentError` with line and column for bytes that do not parse in this format.

    ``json`` is strict; ``jsonc`` takes comments and trailing commas. Empty and blank files are empty documents.
    """
    if format_id == "toml":
        from .toml import TomlDocument

        return TomlDocument.parse(data)
    if format_id == "yaml":
        from .yaml import YamlDocument

        return YamlDocument.parse(data)
    from .json import JsonDocument

    return JsonDocument.parse(data, comments=format_id == "jsonc")
