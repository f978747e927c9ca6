"""Native matchers let through whatever the definition's own regex would match on the native or the bare name."""

from __future__ import annotations

import re
import warnings

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.families.matchers import portable
from hypothesis import given
from hypothesis import strategies as st

PATTERNS = (
    "acme_write", "acme_write|acme_read", "^acme_write$", "^acme_(write|read)$", "^acme_write$|^other$", "acme_.*",
    "mcp__acme__.*", "^mcp__acme__acme_write$", "Bash", "^Bash$", "Bash|Edit|Write", r"acme\.write", "[a-c]cme_write",
    "(?:acme|other)_write", r"\bacme_write\b", "(?=acme)", "(?<!x)acme", "(?i)ACME_WRITE", r"(a)cme_\1", "acme-write",
    r"acme\-write", "acme_write{1}", "(acme_write", "*", "", ".*", "a|", "x*+", "[[]", "a{,2}", r"\Aacme_write\Z",
    r"^\w+_write$", "[^x]*write$", "(?P<n>acme)_write", "^(?:acme_write)$", "[a&&b]", "Shell", "^Shell$",
)  # fmt: skip
BARE = ("acme_write", "acme_read", "acme.write", "acme-write", "other", "write", "ACME_WRITE", "x")
BUILT_IN = ("Bash", "Edit", "Write", "Shell", "Read")


def wants(pattern: str, *names: str) -> bool:
    """What the hook process decides: the definition's regex on the native and on the bare name."""
    if pattern in {"", "*"}:
        return True
    return any(re.search(pattern, name) for name in names)


def claude_or_codex_fires(matcher: str, name: str) -> bool:
    """Words and ``|`` alone are compared for equality; anything else is an unanchored regex."""
    if matcher in {"", "*"}:
        return True
    if re.fullmatch(r"[A-Za-z0-9_|]+", matcher):
        return name in matcher.split("|")
    return re.search(matcher, name) is not None


def cursor_fires(matcher: str, name: str) -> bool:
    return matcher in {"", "*"} or re.search(matcher, name) is not None


def compiles(pattern: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(pattern)
    except re.error:
        return False
    return True


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("pattern", [pattern for pattern in PATTERNS if pattern == "*" or compiles(pattern)])
def test_no_host_filters_out_what_the_definition_wants(pattern):
    claude, codex, cursor = (CATALOG.get(host).hooks for host in ("claude-code", "codex", "cursor"))
    for bare in BARE:
        for server in ("acme", "my-server"):
            native = f"mcp__{server}__{bare}"
            if wants(pattern, native, bare):
                assert claude_or_codex_fires(claude.matcher("PreToolUse", pattern), native)
                mangled = re.sub(r"[^A-Za-z0-9_]", "_", native)
                if wants(pattern, mangled, mangled.rpartition("__")[2]):
                    assert claude_or_codex_fires(codex.matcher("PreToolUse", pattern), mangled)
            if wants(pattern, f"MCP:{bare}", bare):
                assert cursor_fires(cursor.matcher("PreToolUse", pattern), f"MCP:{bare}")
    for name in BUILT_IN:
        if wants(pattern, name):
            assert claude_or_codex_fires(claude.matcher("PreToolUse", pattern), name)
            assert claude_or_codex_fires(codex.matcher("PreToolUse", pattern), name)
            assert cursor_fires(cursor.matcher("PreToolUse", pattern), name)


_WORDS = st.text("abw_.|^$()[]*+?-\\:{}1,", min_size=0, max_size=8)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@given(pattern=_WORDS, bare=st.text("abw_", min_size=1, max_size=5))
def test_any_regex_of_a_definition_is_a_subset_of_what_is_written(pattern, bare):
    if not compiles(pattern):
        return
    native = f"mcp__srv__{bare}"
    if wants(pattern, native, bare):
        assert claude_or_codex_fires(portable(pattern, bare_after="__"), native)
    if wants(pattern, f"MCP:{bare}", bare):
        assert cursor_fires(portable(pattern, bare_after="MCP:"), f"MCP:{bare}")


def test_a_bare_word_becomes_a_regex_that_is_found_inside_the_native_name():
    claude = CATALOG.get("claude-code").hooks
    assert claude.matcher("PreToolUse", "acme_write") == "(?:acme_write)"
    assert claude.matcher("PreToolUse", "^acme_write$") == "(?:^|__)acme_write$"
    assert not claude_or_codex_fires(claude.matcher("PreToolUse", "acme_write"), "mcp__acme__acme_read")


@pytest.mark.parametrize(
    ("pattern", "native"),
    [
        ("(?:^a$)|(?:^b$)", "(?:(?:^|__)a$)|(?:(?:^|__)b$)"),
        ("^^a", "(?:^|__)a"),
        ("^(|b)^b", "(?:^|__)(|b)b"),
        ("(^a|b)^c", "((?:^|__)a|b)c"),
    ],
)
def test_only_the_first_anchor_on_a_way_becomes_text(pattern, native):
    assert CATALOG.get("claude-code").hooks.matcher("PreToolUse", pattern) == native


def test_codex_spells_a_dash_of_a_name_as_an_underscore():
    matcher = CATALOG.get("codex").hooks.matcher("PreToolUse", "mcp__my-server__.*")
    assert claude_or_codex_fires(matcher, "mcp__my_server__echo")
    assert not claude_or_codex_fires(matcher, "mcp__other__echo")


@pytest.mark.parametrize(
    "pattern",
    ["(?=acme)x", "(?<!x)acme", r"(a)\1", "(?i)acme", r"\bacme", "(?P<n>a)", "a++", "[a&&b]", "[a--b]", "(", r"\p"],
)
def test_what_regex_dialects_read_differently_is_not_narrowed(pattern):
    for host in ("claude-code", "codex", "cursor"):
        assert CATALOG.get(host).hooks.matcher("PreToolUse", pattern) == ""


def test_cursor_is_not_narrowed_by_a_servers_name_or_by_marks_of_a_comment():
    cursor = CATALOG.get("cursor").hooks
    assert cursor.matcher("PreToolUse", "mcp__acme__.*") == ""
    assert cursor.matcher("PreToolUse", "a//b") == ""
    assert cursor.matcher("PreToolUse", "a/*") == ""
    assert cursor.matcher("PreToolUse", "^acme_write$") == "(?:^|MCP:)acme_write$"
