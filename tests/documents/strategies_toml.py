"""Valid TOML files as people and hosts write them: every form of everything, with noise between the lines."""

from __future__ import annotations

import tomllib

from hypothesis import strategies as st

STRINGS = (
    '"x"',
    '"é \\u00e9 \\" # ] } , ="',
    "'C:\\path # [x]'",
    '""',
    "''",
    '"""\none\n  two ""x"" \\\n   three"""',
    "'''\nraw \"\"\" # [not.a.table]\nkey = 1\n'''",
    '"""ends with quotes"""""',
    "'''ends with quotes'''''",
)
SCALARS = (
    *STRINGS,
    "1_000",
    "0x1F",
    "0o17",
    "0b1",
    "9007199254740993",
    "-0.0",
    "1e3",
    "6.02E+23",
    "1.0",
    "+inf",
    "nan",
    "true",
    "false",
    "1979-05-27",
    "1979-05-27 07:32:00.5",
    "1979-05-27T07:32:00-07:00",
    "07:32:00",
)
ARRAYS = (
    "[]",
    "[ ]",
    "[\n]",
    "[\n  # nothing yet\n]",
    "[1, 2,3 ]",
    '["a", "b",]',
    '[\n  "a", # one\n  "b"  # two\n]',
    '[\n\t"a",\n\t"b", # two\n\t# three\n]',
    "[[1], [ '#' , \"]\"]]",
    "[{a = 1}, { b.c = [ 2 ] } ]",
    "[\n    { command = 'x', args = ['y'] },\n    { command = 'z' } ,\n]",
)
INLINE_TABLES = (
    "{}",
    "{ }",
    "{ a = 1 }",
    "{a.b = 1, a.c = {d = [{}]}}",
    "{ own = { command = 'x', args = [] }, \"q.k\" = 1.5 }",
)
VALUES = SCALARS + ARRAYS + INLINE_TABLES

NAMES = ("a", "b", "command", "args", "env", '"dotted.name"', "'lit key'", '"\\u00e9"', "1", '""', "with-dash")
SERVERS = (
    "mcp_servers",
    "mcp_servers.own",
    'mcp_servers . "x.y"',
    "mcp_servers.own.env",
    "mcp_servers.'z z'.tools.t",
)
TABLES = (
    *SERVERS,
    "tui",
    "features",
    "deep.er.table",
    "deep",
    'projects."/home/u/é x"',
    "projects.'C:\\x'",
    "hooks",
    'hooks.state."/h/.codex/hooks.json:pre_tool_use:0:0"',
)
ARRAYS_OF_TABLES = (
    "hooks.PreToolUse",
    "hooks.PreToolUse.hooks",
    "hooks.Stop",
    "list",
    "list.sub",
    "mcp_servers.many",
)
ROOT_KEYS = (
    "model",
    "notify",
    "mcp_servers",
    "mcp_servers.own.command",
    "mcp_servers.own.args",
    "hooks.PreToolUse",
    "hooks.Stop",
    "list",
    "tui.theme",
    "deep . er",
    '"quoted key"',
)
COMMENTS = ("# c", "#", "# [commented.out]", '# key = """', "\t# tabbed é", "#[x]")
NOISE = st.lists(st.sampled_from(("", "", *COMMENTS, "   ")), max_size=3)
TAILS = st.sampled_from(("", "", "", "  ", " # behind", "\t#"))
EQUALS = st.sampled_from((" = ", "=", "\t= ", " =  "))


@st.composite
def key_lines(draw, keys):
    lines = draw(NOISE)
    return [*lines, draw(st.sampled_from(keys)) + draw(EQUALS) + draw(st.sampled_from(VALUES)) + draw(TAILS)]


@st.composite
def sections(draw):
    indent = draw(st.sampled_from(("", "", "", "  ")))
    if draw(st.booleans()):
        header = f"[{draw(st.sampled_from(TABLES))}]"
    else:
        header = f"[[{draw(st.sampled_from(ARRAYS_OF_TABLES))}]]"
    lines = [*draw(NOISE), indent + header + draw(TAILS)]
    for block in draw(st.lists(key_lines((*NAMES, "a . b", "PreToolUse", "theme", "own.command")), max_size=3)):
        lines += block
    return lines


def parses(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@st.composite
def toml_files(draw):
    """The bytes of a valid file. Blocks that would contradict those before them are left out."""
    blocks = draw(st.lists(key_lines(ROOT_KEYS), max_size=3)) + draw(st.lists(sections(), max_size=5))
    text = ""
    for block in blocks:
        longer = text + "".join(line + "\n" for line in block)
        if parses(longer):
            text = longer
    text += "\n".join(draw(NOISE))
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    newlines = draw(st.sampled_from(("lf", "lf", "crlf", "mixed")))
    if newlines == "crlf":
        text = text.replace("\n", "\r\n")
    elif newlines == "mixed":
        lines = text.split("\n")
        text = "".join(line + ("\r\n" if len(line) % 2 else "\n") for line in lines[:-1]) + lines[-1]
    mark = draw(st.sampled_from((b"", b"", b"", b"\xef\xbb\xbf")))
    return mark + text.encode()
