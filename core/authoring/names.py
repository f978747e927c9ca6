"""Rules for names that become file names, paths or environment variables, on every system.

Each function answers why a name is refused, or ``""``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from .findings import Finding, Path

KEBAB = r"^[a-z0-9][a-z0-9-]*$"
ENV_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
SECRET_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"  # noqa: S105  a pattern
LOGIN_KEY = r"^[a-z0-9][a-z0-9-]{0,31}$"

LONGEST_NAME = 100
"""It becomes part of file names, with something before and after it."""

_WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_NOT_IN_FILE_NAMES = re.compile(r'[<>:"|?*\x00-\x1f\x7f]')


def matches(pattern: str, text: str) -> bool:
    # fullmatch: ``$`` alone would let a trailing newline through
    return re.fullmatch(pattern, text) is not None


def kebab_fault(name: str) -> str:
    if not name:
        return "must not be empty"
    if not matches(KEBAB, name):
        return "must be kebab-case: lower-case letters, digits and hyphens, starting with a letter or digit"
    if len(name) > LONGEST_NAME:
        return f"must have at most {LONGEST_NAME} characters"
    if name in _WINDOWS_DEVICES:
        return "is a reserved device name on Windows"
    return ""


def to_kebab(name: str) -> str:
    """The name with every run of other characters as one hyphen."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def relative_path_fault(path: str) -> str:
    """Why ``path`` is not a plain relative path below a folder, on any system."""
    if not path:
        return "must not be empty"
    if "\\" in path:
        return "must use forward slashes"
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "must be relative"
    for segment in path.split("/"):
        fault = _segment_fault(segment)
        if fault:
            return fault
    return ""


def _segment_fault(segment: str) -> str:
    if segment in ("", "."):
        return "must not have empty or '.' segments"
    if segment == "..":
        return "must not leave the folder ('..')"
    if _NOT_IN_FILE_NAMES.search(segment):
        return "has a character that file names cannot have everywhere"
    if segment != segment.rstrip(". "):
        return "has a segment that ends with a dot or a space, which Windows drops"
    if segment.split(".")[0].rstrip(" ").lower() in _WINDOWS_DEVICES:
        return "has a segment that is a reserved device name on Windows"
    if len(segment.encode("utf-8", "surrogatepass")) > 255:
        return "has a segment longer than 255 bytes"
    return ""


def same_file_name(path: str) -> str:
    """Equal for paths that are one file where case or Unicode form does not count."""
    return unicodedata.normalize("NFC", path).casefold()


def path_clashes(paths: Iterable[str], at: Path) -> Iterator[Finding]:
    """Paths that would be the same file somewhere, or a file where another needs a folder."""
    seen: dict[str, str] = {}
    for path in paths:
        key = same_file_name(path)
        if key in seen:
            yield Finding((*at, path), f'is the same file as "{seen[key]}" where case does not count')
        seen.setdefault(key, path)
    for path in paths:
        segments = same_file_name(path).split("/")
        for depth in range(1, len(segments)):
            parent = "/".join(segments[:depth])
            if parent in seen:
                yield Finding((*at, path), f'needs a folder where the file "{seen[parent]}" stands')
