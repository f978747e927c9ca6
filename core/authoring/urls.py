"""What a URL in a definition must be like."""

from __future__ import annotations

from urllib.parse import urlsplit

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def url_fault(url: str) -> str:
    """Why ``url`` is not an https URL (plain http counts on loopback), or ``""``."""
    if any(ord(letter) < 0x21 or 0x7F <= ord(letter) < 0xA0 for letter in url):
        return "must be an https URL (without spaces or control characters)"
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return "must be an https URL"
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)):
        return "must be an https URL"
    return ""


def carries_more(url: str) -> str:
    """Why ``url`` says more than an address, or ``""``."""
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None or "#" in url:
        return "must not carry credentials or a fragment"
    return ""
