"""Files with a list of things called by name, in every form people and hosts give it, among other content."""

from __future__ import annotations

import json
import tomllib

from hypothesis import strategies as st

NAMES = ("own", "two words", "dash-ed", "é", "a.b", "x=y]", "[odd]")
"""Names of a person's own elements; never ``ours``."""
COMMENTS = ("# c", "#", "# [[servers]]", "# - name: ours", '# name = "ours"')

names = st.lists(st.sampled_from(NAMES), max_size=3, unique=True)


@st.composite
def toml_lists(draw) -> bytes:
    """The array ``servers`` under headers or between brackets, or not there; ``deep.servers`` may be as well."""
    blocks = [draw(st.sampled_from(("", "# top\n", 'model = "x" # keep\n\n')))]
    called = draw(names)
    form = draw(st.sampled_from(("headers", "headers", "headers", "one line", "lines", "empty")))
    if form == "headers":
        for name in called:
            blocks += draw(st.lists(st.sampled_from(("\n", *(f"{comment}\n" for comment in COMMENTS))), max_size=2))
            blocks.append(_toml_tables(draw, name))
            if draw(st.integers(0, 3)) == 0:
                blocks.append(f'[other.{len(blocks)}]\nx = "[[servers]]"\n')
    elif form == "one line":
        blocks.append(f"servers = [{', '.join(_inline(name) for name in called)}] # behind\n")
    elif form == "lines":
        lines = [f"  {_inline(name)},{draw(st.sampled_from(('', ' # c')))}\n" for name in called]
        blocks.append(f"servers = [\n{''.join(lines)}]\n")
    blocks.append(draw(st.sampled_from(("", "\n[last]\ny = 1\n", "# the end", "\n\n[[last]]\ny = 1"))))
    text = "".join(blocks)
    tomllib.loads(text)
    return _ends(draw, text)


def _toml_tables(draw, name: str) -> str:
    spaced = draw(st.sampled_from(("[[servers]]", "[[ servers ]] # c", "  [[servers]]")))
    lines = [
        spaced,
        *draw(st.permutations([f"name = {json.dumps(name, ensure_ascii=False)}", 'command = "npx" # why'])),
    ]
    lines += draw(st.sampled_from(([], ["", "# of mine"], ["args = [", '  "-y", # yes', "]"])))
    lines += draw(st.sampled_from(([], ["[servers.env]", "A = '1'"], ["", "  [servers.env]", "  A = '1'", "  # b"])))
    return "".join(line + "\n" for line in lines)


def _inline(name: str) -> str:
    return f"{{ name = {json.dumps(name, ensure_ascii=False)}, args = ['#', \"]\"] }}"


@st.composite
def yaml_lists(draw) -> bytes:
    """The list ``servers`` in blocks or between brackets, or not there."""
    lines = draw(st.sampled_from(([], ["# top"], ["name: mine", "version: 1.0.0"], ["---", "models: [a, b] # c"])))
    called = draw(names)
    indent = draw(st.sampled_from((0, 0, 2, 4)))
    form = draw(st.sampled_from(("block", "block", "block", "flow", "nothing", "empty")))
    if form == "block" and called:
        lines = [*lines, "servers:" + draw(st.sampled_from(("", "  # mine")))]
        for name in called:
            lines += draw(
                st.lists(st.sampled_from(("", *(" " * indent + comment for comment in COMMENTS))), max_size=2)
            )
            lines += [" " * indent + line if line else "" for line in _yaml_item(draw, name)]
    elif form == "flow":
        items = ", ".join(f"{{name: {json.dumps(name, ensure_ascii=False)}, args: ['#']}}" for name in called)
        lines = [*lines, f"servers: [{items}]"]
    elif form == "nothing":
        lines = [*lines, "servers:"]
    lines += draw(st.sampled_from(([], ["last: {a: 1}"], ["", "# the end"], ["last:", "- name: ours"])))
    return _ends(draw, "\n".join(lines) + "\n")


def _yaml_item(draw, name: str) -> list[str]:
    quoted = json.dumps(name, ensure_ascii=False)
    lead = draw(st.sampled_from(("- ", "-   ")))
    members = draw(st.permutations([[f"name: {quoted}"], ["command: npx # why"], ["env:", "  A: '1'"]]))
    lines = [line for member in members for line in member]
    return [lead + lines[0], *(" " * len(lead) + line for line in lines[1:])]


@st.composite
def json_lists(draw) -> bytes:
    """The array ``servers`` on lines or on one, or not there; JSONC."""
    called = draw(names)
    items = [json.dumps({"name": name, "args": ["]", "//"]}, ensure_ascii=False) for name in called]
    match draw(st.sampled_from(("lines", "one line", "missing"))):
        case "lines":
            inside = ",\n".join(f"    {item}{draw(st.sampled_from(('', ' /* c */')))}" for item in items)
            text = (
                f'{{\n  // top\n  "servers": [\n{inside}\n  ],\n  "last": 1\n}}\n' if items else '{"servers": [\n]}'
            )
        case "one line":
            text = f'{{"servers": [{", ".join(items)}], "last": {{}}}}'
        case _:
            text = draw(st.sampled_from(("", "{}\n", '{"last": 1}')))
    return _ends(draw, text)


def _ends(draw, text: str) -> bytes:
    if draw(st.integers(0, 3)) == 0:
        text = text.replace("\n", "\r\n")
    return text.encode()
