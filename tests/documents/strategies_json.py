"""Generated JSON and JSONC files as people and programs really write them: any layout, any trivia, odd literals.

Every member that stands for "the user's" has a unique key (``u1``, ``u2`` …) and the value ``1``, so that tests can
edit the text around it by plain search and replace, as a person would.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

quick = settings(
    max_examples=60,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

LITERALS = (
    "1",
    "true",
    "null",
    "12345678901234567890",
    "1e3",
    "1.0",
    "9007199254740993",
    "-0",
    "-0.0",
    "1E400",
    '""',
    '"é “quoted” \u2028"',
    r'"\u00e9\/\ud83d\ude00"',
    r'"\ud800"',
    '"https://example.com/*not a comment*/"',
    r'"\\"',
    r'"\", ] }"',
    '"a, ]"',
    "{}",
    "[]",
    "[ ]",
    "{\n}",
)
KEYS = ("a", "z", "Ünï", r"\u0061b", "", "a.b", "//", "$schema", ": ", r"q\"q", "é{")
BLANKS = ("", " ", "  ", "\t", "\n", "\n\n", "\n  ", "\n\t\t")
COMMENTS = ("/* c */", '// line, with "quotes" {\n', "/* two\n lines, ] */", "/**/", "//\n", "/* // */ ")


@dataclass(frozen=True)
class Layout:
    """How gaps between tokens are filled: pretty, on one line, minified, or at random from ``pool``."""

    kind: str
    unit: str
    newline: str
    pool: tuple[str, ...]
    trailing: bool


def layouts(*, comments: bool) -> st.SearchStrategy[Layout]:
    trivia = st.sampled_from(BLANKS + COMMENTS) if comments else st.sampled_from(BLANKS)
    return st.builds(
        Layout,
        kind=st.sampled_from(("pretty", "pretty", "line", "minified", "ragged")),
        unit=st.sampled_from(("  ", "\t", "    ", " ", "")),
        newline=st.sampled_from(("\n", "\r\n")),
        pool=st.lists(trivia, min_size=1, max_size=7).map(tuple),
        trailing=st.booleans() if comments else st.just(False),
    )


class Pairs(list):
    pass


class Items(list):
    pass


TREES = (
    *LITERALS,
    Items([Items(), Items(["1", "2.50"]), Pairs([("a", "null")])]),
    Pairs([("a", Pairs([("b", Pairs([("c", Items(["[1,2]"]))]))]))]),
    Pairs([(key, "0") for key in KEYS]),
)
SERVERS = st.sampled_from(("absent", "absent", "empty", "one", "two", "two and a scalar"))
HOOKS = st.sampled_from(("absent", "empty", "event", "item"))
OTHERS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(TREES), max_size=2)


@st.composite
def texts(draw, *, comments: bool) -> str:
    """A file with an object at its root. ``mcpServers`` and ``hooks`` stand in it or not, empty or not."""
    numbers = itertools.count(1)

    def users() -> tuple[str, str]:
        return (f"u{next(numbers)}", "1")

    members: list[tuple[str, object]] = [users() for _ in range(draw(st.integers(0, 2)))]
    members += draw(OTHERS).items()
    servers, hooks = draw(SERVERS), draw(HOOKS)
    if servers != "absent":
        names = {"empty": (), "one": ("s1",)}.get(servers, ("s1", "s2"))
        inside = Pairs((name, Pairs([("command", '"x"'), users()])) for name in names)
        inside += [users()] if servers == "two and a scalar" else []
        members.append(("mcpServers", inside))
    if hooks != "absent":
        event = Items([Pairs([users()])]) if hooks == "item" else Items()
        members.append(("hooks", Pairs() if hooks == "empty" else Pairs([("Stop", event)])))
    turn = draw(st.integers(0, max(len(members) - 1, 0)))
    return written(Pairs(members[turn:] + members[:turn]), draw(layouts(comments=comments)), comments=comments)


def written(root: object, layout: Layout, *, comments: bool) -> str:
    pool = itertools.cycle(layout.pool)

    def gap(depth: int | None) -> str:
        """Between two tokens; ``depth`` where a pretty layout begins a line."""
        extra = next(pool) if comments else ""
        if layout.kind == "ragged":
            return next(pool)
        if depth is None:
            return ""
        if layout.kind == "pretty":
            comment = f" {extra.strip()}" if extra.strip() else ""
            return comment + "\n" + layout.unit * depth
        return extra if comments else ""

    def write(tree: object, depth: int) -> str:
        if isinstance(tree, str):
            return tree
        opening, closing = ("{", "}") if isinstance(tree, Pairs) else ("[", "]")
        if not tree:
            return f"{opening}{gap(None)}{closing}"
        parts = []
        for at, entry in enumerate(tree):
            space = "" if layout.kind == "minified" else " "
            if isinstance(tree, Pairs):
                key, value = entry
                text = f'"{key}"{gap(None)}:{space}{gap(None)}{write(value, depth + 1)}'
            else:
                text = write(entry, depth + 1)
            separator = "" if at == 0 else space if layout.kind == "line" else ""
            parts.append(f"{separator}{gap(depth + 1)}{text}{gap(None)}")
        trailing = "," if layout.trailing else ""
        return f"{opening}{','.join(parts)}{trailing}{gap(depth)}{closing}"

    text = gap(None) + write(root, 0) + gap(0) if layout.kind != "minified" else write(root, 0)
    return text.replace("\n", layout.newline)


def files(*, comments: bool) -> st.SearchStrategy[bytes]:
    """Whole files: objects, and what counts as an empty document; with and without a BOM."""
    blank = st.sampled_from(("", " ", "\n", "\r\n\r\n", "\t"))
    if comments:
        blank |= st.sampled_from(("// only a comment", "// only a comment\n", "/* a */ /* b */", "\n/* a */\n\n"))
    bodies = st.one_of(texts(comments=comments), texts(comments=comments), texts(comments=comments), blank)
    return st.builds(lambda bom, text: bom + text.encode(), st.sampled_from((b"", b"", b"\xef\xbb\xbf")), bodies)


def values() -> st.SearchStrategy[object]:
    """What we write: JSON values as Python has them."""
    scalars = st.sampled_from(
        (None, True, False, 0, -(2**70), 1.5, -0.0, 1e300, "", "é\u2028", "\ud800", '"\\\r\n\x00')
    )
    scalars |= st.text(max_size=3)
    lists = st.lists(scalars, max_size=3)
    objects = st.dictionaries(st.sampled_from(("a", "b", "", "é\n", "\udfff")), scalars | lists, max_size=3)
    return scalars | lists | objects | st.lists(objects, max_size=2)
