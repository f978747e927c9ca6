"""What looks like a secret, and the three things done with it: hide it, remember it as a digest, compare with that.

One rule for diffs, reports, logs and the ledger. It errs on the side of hiding: a masked build number harms nobody.
References such as ``${env:TOKEN}`` and ``$TOKEN`` are names, not secrets, and stay readable.
"""

from __future__ import annotations

import re  # the patterns stay texts: what is never asked for is never compiled
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from .documents.base import same_value

MASK = "***"

_CONFIDENTIAL = (
    "token|secret|passwords?|passwd|pass|pgpass|pwd|passphrase|passcode|credentials?|authorization|cookies?|apikey|privatekey|"
    "accesskey|bearer|jwt|signature|keys?|tokens|secrets|auth|pat|otp|pin"
)
_SECRET_NAME = rf"(?:^|[^a-z])(?:{_CONFIDENTIAL})(?=$|[^a-z])"
_NAMES_A_VARIABLE = r"(?:^|[^a-z])env(?:[^a-z]?vars?|[^a-z]?name|[^a-z]?key)?$"
"""Keys such as Codex's ``bearer_token_env_var``: what stands there is the name of a variable."""
_WORD_START = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"

_REFERENCE = r"\$\{[^}]*\}|\{env:[^}]*\}|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%"
_ONLY_REFERENCES = rf"(?i)\s*(?:(?:bearer|basic|token)\s+)?(?:(?:{_REFERENCE})[\s:,;]*)+"
_LOOSE_WORDS = ("token", "key", "secret", "passw", "pwd", "credential", "auth", "sig")
_LOOSE_NAME = (
    r"[\w-]{0,64}(?:token|key|secret|passw(?:or)?d|pwd|credential|authorization|auth|signature|sig)[\w-]{0,64}"
)
_VALUE = rf"(?!\s*(?:{_REFERENCE}))"
_SECRET_PARTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("://",), rf"(?i)(?<=://){_VALUE}[^\s/@?#]+(?=@)"),
    (_LOOSE_WORDS, rf"(?i)(?:[?&;]{_LOOSE_NAME}=){_VALUE}(?P<value>[^&\s#;]+)"),
    (("bearer", "basic"), rf"(?i)\b(?:bearer|basic)\s+{_VALUE}(?P<value>[\w.~+/=-]{{6,}})"),
    (
        ("authorization",),
        rf"(?i)\b(?:proxy-)?authorization\s*[:=]\s*(?!(?:bearer|basic)\s){_VALUE}(?P<value>[^\s\"']+)",
    ),
    (_LOOSE_WORDS, rf"(?i)(?<![\w-])--?{_LOOSE_NAME}[= ]{_VALUE}(?P<value>[^\s-]\S*)"),
    (_LOOSE_WORDS, rf"(?i)(?<![\w?&-]){_LOOSE_NAME}=(?!=){_VALUE}(?P<value>[^\s;&]+)"),
    (("x-",), rf"(?i)\bx-{_LOOSE_NAME}\s*:\s*{_VALUE}(?P<value>\S+)"),
    (("sk-", "sk_", "pk-", "pk_", "rk-", "rk_"), r"\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{12,}"),
    (("gho_", "ghp_", "ghs_", "ghu_", "ghr_"), r"\bgh[opsur]_[A-Za-z0-9]{16,}"),
    (("github_pat_", "glpat-"), r"\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}"),
    (("npm_", "pypi-", "hf_"), r"\bnpm_[A-Za-z0-9]{16,}|\bpypi-[\w-]{16,}|\bhf_[A-Za-z0-9]{16,}"),
    (("xox", "akia"), r"\bxox[a-z]-[\w-]{8,}|\bAKIA[A-Z0-9]{12,}"),
    (("aiza", "ya29."), r"\bAIza[\w-]{20,}|\bya29\.[\w-]+"),
    (("eyj",), r"\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?"),
    (
        ("-----begin ",),
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
)
"""What is secret by its own shape or by what stands right before it; a group ``value`` narrows it. Before each
pattern stands what it needs, in small letters: it is compiled and tried only where one of these is."""
_SAME_LETTERS = str.maketrans("\u0130\u0131\u017f", "iis")
"""What patterns take for these letters where case does not count, and ``lower`` does not."""
_FLAG = rf"(?i)--?{_LOOSE_NAME}"
_SHORTEST_PART = 5
"""Letters that any of them needs."""
_SHORTEST_RUN = 20
_RUN = rf"[A-Za-z0-9_+=-]{{{_SHORTEST_RUN},}}"
_HEX = r"(?i)[0-9a-f]{32,}"
_FILE_PATH = r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?![/\\])"
_QUOTED = r"""("(?:[^"\\]|\\.)*"|'[^']*')"""
_LONGEST_NAME = 128
_BARE_PAIR = (
    r"\s*(?:- )?(?P<name>[\w.-]+)\s*[:=]\s*"
    r"(?P<value>(?!(?:[\d.]+|true|false|null|none|~)\s*$)[^\s\"'{}\[\],|>&*]+)\s*"
)
"""A whole line of YAML or of an .env file."""
_DIGEST = r"[0-9a-f]{64}"
_UNPRINTABLE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
    "|[\U000e0000-\U000e007f]"
)
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def mask(value: Any) -> Any:
    """A JSON value for display: secret-looking strings, or the parts of them that look so, are ``***``."""
    return _walk(value, _masked, secret=False)


def mask_line(line: str, previous: str = "") -> str:
    """One line of a config file for display; strings under secret-looking names in it are masked too.

    ``previous``: the line before it, which may end with the name, or the flag of a command, that a string stands
    under.
    """
    shown, name = [], _name_at_end(previous)
    for part in re.split(_QUOTED, line):
        if _is_quoted(part):
            inner = _masked(part[1:-1], secret=is_secret_name(name))
            shown.append(part[0] + inner + part[-1])
        else:
            shown.append(_masked(part, secret=False))
        name = _name_before(part, name)
    text = "".join(shown)
    bare = re.fullmatch(_BARE_PAIR, text)
    if bare and is_secret_name(bare["name"]) and _is_literal(bare["value"]):
        return f"{text[: bare.start('value')]}{MASK}{text[bare.end('value') :]}"
    return text


def _name_at_end(line: str) -> str:
    name = ""
    for part in re.split(_QUOTED, line):
        name = _name_before(part, name)
    return name


def _is_quoted(part: str) -> bool:
    return part[:1] in ("'", '"') and len(part) > 1


def _name_before(part: str, name: str) -> str:
    """The name that what follows ``part`` of a line stands under: ``"name"``, then ``:``; or ``name = ``."""
    if _is_quoted(part):
        return part[1:-1]
    between = part.strip()
    if between.endswith((":", "=")):
        # Only the end is looked at: searching a long line for a name at its end takes the square of its length.
        bare = re.search(r"[\w.-]+$", between[:-1].rstrip()[-_LONGEST_NAME:])
        if bare:
            return bare[0]
    return name if between in ("", ":", "=") or (between == "," and _is_flag(name)) else ""


def fingerprint(value: Any) -> Any:
    """A JSON value to remember: each string that holds something secret-looking becomes ``{"sha256": hex}``.

    Taking the fingerprint of a fingerprint changes nothing.
    """
    return _walk(value, _digested, secret=False)


def digest(text: str) -> dict[str, str]:
    """The fingerprint of a text of which nothing is to be kept, secret-looking or not."""
    from hashlib import sha256

    return {"sha256": sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}


def matches(remembered: Any, current: Any) -> bool:
    """Whether ``current`` is, by meaning, the value whose fingerprint was taken."""
    if _is_digest(remembered) and isinstance(current, str):
        return bool(digest(current) == remembered)
    if isinstance(remembered, dict) and isinstance(current, dict):
        return remembered.keys() == current.keys() and all(matches(remembered[key], current[key]) for key in current)
    if isinstance(remembered, list) and isinstance(current, list):
        return len(remembered) == len(current) and all(map(matches, remembered, current))
    return same_value(remembered, current)


def printable(text: str) -> str:
    """``text`` with everything escaped that a terminal obeys instead of showing: controls, bidirectional and
    invisible characters, lone surrogates."""
    return text if text.isprintable() else re.sub(_UNPRINTABLE, _escape, text)


def is_secret_name(name: str) -> bool:
    """Whether what stands under this key or variable is taken for a secret."""
    words = re.sub(_WORD_START, "_", name).lower()
    return re.search(_SECRET_NAME, words) is not None and re.search(_NAMES_A_VARIABLE, words) is None


def looks_secret(text: str) -> bool:
    """Whether a string holds something secret-looking, whatever key it stands under."""
    return next(_secret_spans(text), None) is not None


# --- the rule --------------------------------------------------------------------------------------------------


def _walk(value: Any, replace: Any, *, secret: bool) -> Any:
    """``secret``: the key above says that strings below are secrets."""
    if isinstance(value, str):
        return replace(value, secret=secret)
    if isinstance(value, dict):
        if _is_digest(value):
            return value
        return {key: _walk(item, replace, secret=secret or is_secret_name(str(key))) for key, item in value.items()}
    if isinstance(value, list):
        return [
            _walk(item, replace, secret=secret or _is_flag(before))
            for before, item in zip([None, *value], value, strict=False)
        ]
    return value


def _masked(text: str, *, secret: bool) -> str:
    if secret and _is_literal(text):
        return MASK
    shown, end = "", 0
    for start, stop in sorted(_secret_spans(text)):
        if stop > end:
            shown += text[end : max(start, end)] + ("" if start < end else MASK)
            end = stop
    return shown + text[end:]


def _digested(text: str, *, secret: bool) -> str | dict[str, str]:
    return digest(text) if (secret and _is_literal(text)) or looks_secret(text) else text


def _is_literal(text: str) -> bool:
    """There is something in it besides references."""
    return bool(text.strip()) and re.fullmatch(_ONLY_REFERENCES, text) is None


def _is_flag(item: Any) -> bool:
    """A command line argument whose successor is a secret."""
    return isinstance(item, str) and re.fullmatch(_FLAG, item) is not None and is_secret_name(item)


def _is_digest(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"sha256"}
        and isinstance(value["sha256"], str)
        and re.fullmatch(_DIGEST, value["sha256"]) is not None
    )


def _secret_spans(text: str) -> Iterator[tuple[int, int]]:
    if len(text) < _SHORTEST_PART:
        return
    small = _small(text)
    for needles, pattern in _SECRET_PARTS:
        if any(map(small.__contains__, needles)):
            for match in re.finditer(pattern, text):
                yield match.span("value" if "value" in match.re.groupindex else 0)
    if len(text) < _SHORTEST_RUN or re.match(_FILE_PATH, text):
        return
    for run in re.finditer(_RUN, text):
        if re.search(_HEX, run[0]) or _is_random(run[0]):
            yield run.span()


def _small(text: str) -> str:
    return text.translate(_SAME_LETTERS).lower()


def _is_random(run: str) -> bool:
    """Letters and digits change places far more often in a random string than in words and version numbers."""
    classes = ["d" if char.isdigit() else "u" if char.isupper() else "l" if char.islower() else "" for char in run]
    if "d" not in classes:
        return False
    turns = sum(1 for left, right in pairwise(classes) if left and right and left != right)
    return turns > 0.28 * len(run)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
