"""JSON text of hook payloads and replies, without the ``json`` package.

Importing ``json`` costs a hook process as much as a second interpreter start, nearly all of it for ``re``, which only
its pure Python fall-backs need. The scanner and encoder in C behind it are taken directly here. They are private to
CPython, so anything unexpected of them leads to ``json`` itself.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

MAX_DEPTH = 500
"""Arrays and objects inside each other. Below what every interpreter's own recursion limit permits."""

BOM = b"\xef\xbb\xbf"
_SPACE = " \t\n\r"
_INFINITE = (float("inf"), float("-inf"))


def _no_number(name: str) -> "NoReturn":
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    return _no_number(text) if value in _INFINITE else value


class _Options:
    """What the scanner in C reads its settings from."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = staticmethod(_finite)
    parse_int = int
    parse_constant = staticmethod(_no_number)
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the scanner reads it and keeps its own


def _scanner_in_c() -> "Callable[[str, int], tuple[Any, int]] | None":
    try:
        from _json import make_scanner

        options: Any = _Options
        scan: Callable[[str, int], tuple[Any, int]] = make_scanner(options)
        return scan if scan('{"a":[1,2.5,"b",null]} ', 0) == ({"a": [1, 2.5, "b", None]}, 22) else None
    except Exception:  # noqa: BLE001 - whatever is different about it, json knows
        return None


def _encoder_in_c() -> "Callable[[Any], str] | None":
    try:
        from _json import encode_basestring_ascii, make_encoder

        def encode(value: "Any") -> str:
            # The first argument notices containers that contain themselves; a new one, since an error leaves traces.
            make = make_encoder({}, _not_json, encode_basestring_ascii, None, ":", ",", False, False, False)  # noqa: FBT003
            return "".join(make(value, 0))

        return encode if encode({"a": [1, 2.5, "b\u00e9", None]}) == '{"a":[1,2.5,"b\\u00e9",null]}' else None
    except Exception:  # noqa: BLE001
        return None


def _not_json(value: object) -> "NoReturn":
    raise ValueError(f"{type(value).__name__} is no JSON value")


_scan = _scanner_in_c()
_encode = _encoder_in_c()


def loads(data: bytes) -> "Any":
    """The value of one JSON text in UTF-8, with or without a byte order mark.

    Raises ``ValueError`` for everything else: other bytes, no text at all, trailing text, NaN and infinities, numbers
    no double holds, more than :data:`MAX_DEPTH` levels.
    """
    text = data.removeprefix(BOM).decode("utf-8").strip(_SPACE)
    try:
        value, end = _scan(text, 0) if _scan else _loads_slowly(text)
    except StopIteration as stop:
        raise ValueError(f"no JSON at character {stop.value}") from None
    except RecursionError:
        raise _too_deep() from None
    except (TypeError, AttributeError, SystemError):
        value, end = _loads_slowly(text)
    if end != len(text):
        raise ValueError(f"more text after the JSON, at character {end}")
    # No deeper than it has openings: nearly every text is told by counting them.
    if text.count("[") + text.count("{") > MAX_DEPTH and isinstance(value, dict | list):
        _check_depth(value)
    return value


def payload_in(data: bytes, faults: "list[tuple[str, str]]") -> "dict[str, Any] | None":
    """The host's object. Without one nothing of an author's is run, and ``faults`` say so."""
    try:
        payload = loads(data)
    except (ValueError, MemoryError):
        payload = None
    if isinstance(payload, dict):
        return payload
    faults.append(("bad-payload" if data.strip() else "no-payload", ""))
    return None


def _loads_slowly(text: str) -> "tuple[Any, int]":
    import json

    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_no_number)
    except RecursionError:
        raise _too_deep() from None
    return value, len(text)


def _check_depth(value: "Any") -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> "ValueError":
    return ValueError(f"more than {MAX_DEPTH} levels")


def dumps(value: "Any") -> str:
    """One line of JSON in ASCII, without spaces.

    Half a surrogate pair, which a host written in another language may refuse together with the whole text, becomes
    U+FFFD. Raises ``ValueError`` for what is no JSON value: NaN, infinities, other types, values that contain
    themselves.
    """
    try:
        text = _written(value)
        # Real pairs look the same in ASCII, so this only says where a look is needed.
        return _written(_whole(value)) if "\\ud" in text else text
    except RecursionError:
        raise _too_deep() from None
    except TypeError as error:
        raise ValueError(str(error)) from None


def _written(value: "Any") -> str:
    if _encode:
        try:
            return _encode(value)
        except (AttributeError, SystemError):
            pass
    import json

    return json.dumps(value, separators=(",", ":"), allow_nan=False, default=_not_json)


def _whole(value: "Any") -> "Any":
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value
