"""YAML files as people write them: blocks and brackets, comments anywhere, anchors, merges, every kind of scalar."""

from __future__ import annotations

from hypothesis import strategies as st

SCALARS = (
    "1", "0x1F", "1e3", "-0.0", ".inf", "true", "yes", "null", "~", "2001-01-02", "plain text", "a:b", "a#b", "http://x/y?z=1",
    "'single '' quote'", '"double \\u00e9 \\" # no comment"', "é", '"# no: comment"', "'- x'", "!!str 1", "!mine x",
    '"two\n      lines"', "plain that\n      goes on",
)  # fmt: skip
FLOW = (
    "{}", "[]", "{ }", "{a: 1}", "{a: 1, 'b c': [1, 2,], }", '{"a": {"b": []}}', "[ 1,\n      2 ]",
    "{\n      a: 1, # c\n      b: 2\n      }",
    "[a, {b: c}, 'd']",
)  # fmt: skip
COMMENTS = ("# c", "#", "# key: value", "#   - item # more")
KEYS = ("u1", "u2", '"u 3"', "'u4'", "u5 ", "é6", "7", "mcp_servers", "hooks", "list", "deep")


@st.composite
def yaml_files(draw) -> bytes:
    """A whole file; anchors ``&base`` and ``&list`` stand first, where any alias can name them."""
    lines: list[str] = []
    if draw(st.booleans()):
        lines += draw(
            st.sampled_from((["---"], ["%YAML 1.2", "---"], ["# top", "", "---"], ["", "# top"], ["--- # c"]))
        )
    anchored = draw(st.booleans())
    if anchored:
        lines += ["base: &base", "  shared: 1", "some: &list [1, 2]"]
    lines += draw(mapping(0, 3, anchored=anchored))
    if draw(st.booleans()):
        lines += draw(st.sampled_from((["", ""], ["# end"], ["", "  # end"], ["..."], ["", "...", "# beyond"])))
    text = "\n".join(lines) + draw(st.sampled_from(("\n", "\n", "\n", "")))
    if draw(st.integers(0, 3)) == 0:
        text = text.replace("\n", "\r\n")
    mark = "\ufeff" if draw(st.integers(0, 5)) == 0 else ""
    return (mark + text).encode()


@st.composite
def mapping(draw, indent, depth, *, anchored):
    """Lines of a block mapping with at least one member."""
    lines = []
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique_by=lambda key: key.strip()))
    if anchored and draw(st.integers(0, 3)) == 0:
        lines.append(f"{' ' * indent}<<: *base")
    for key in keys:
        lines += draw(noise(indent))
        lines += draw(member(key, indent, depth, anchored=anchored))
    return [*lines, *draw(noise(indent))]


@st.composite
def noise(draw, indent):
    lines = draw(st.lists(st.sampled_from(("", "", "  ", *COMMENTS)), max_size=2)) if draw(st.booleans()) else []
    deeper = draw(st.sampled_from((0, indent, indent, indent + 2)))
    return [" " * deeper + line if line.startswith("#") else line for line in lines]


@st.composite
def member(draw, key, indent, depth, *, anchored):
    head = f"{' ' * indent}{key}:"
    behind = draw(st.sampled_from(("", "", "", "  # c", " ")))
    kinds = ["scalar", "flow", "empty", "block"] + (["map", "map", "map", "items"] if depth else [])
    kinds += ["alias"] if anchored else []
    match draw(st.sampled_from(kinds)):
        case "scalar":
            value = draw(st.sampled_from(SCALARS)).replace("\n", "\n" + " " * indent)
            return (f"{head} {value}" + behind).split("\n")
        case "flow":
            value = draw(st.sampled_from(FLOW)).replace("\n", "\n" + " " * indent)
            return (f"{head} {value}" + behind).split("\n")
        case "alias":
            return [f"{head} {draw(st.sampled_from(('*base', '*list')))}{behind}"]
        case "empty":
            return [head + behind]
        case "block":
            header = draw(st.sampled_from(("|", ">", "|-", "|+", ">+ # c", "|2")))
            body = draw(st.sampled_from((["text"], ["# text", "", "more"], ["text", "", ""])))
            return [f"{head} {header}", *(f"{' ' * (indent + 2)}{line}" if line else "" for line in body)]
        case "items":
            dash = indent + draw(st.sampled_from((0, 2, 2, 4)))
            return [head + behind, *draw(items(dash, depth - 1, anchored=anchored))]
    property_ = draw(st.sampled_from(("", "", "", "", " &own", " !mine")))
    step = draw(st.sampled_from((2, 2, 4, 3)))
    return [head + property_ + behind, *draw(mapping(indent + step, depth - 1, anchored=anchored))]


@st.composite
def items(draw, dash, depth, *, anchored):
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(noise(dash))
        match draw(st.sampled_from(("scalar", "map", "empty", "nested"))):
            case "scalar":
                lines += f"{' ' * dash}- {draw(st.sampled_from(SCALARS[:16]))}".split("\n")
            case "empty":
                lines.append(f"{' ' * dash}-")
            case "nested":
                lines += [f"{' ' * dash}- - a", f"{' ' * dash}  - {{b: 1}}"]
            case _:
                inner = draw(mapping(dash + 2, depth, anchored=anchored)) if depth > 0 else [f"{' ' * dash}  a: 1"]
                first = next(at for at, line in enumerate(inner) if line.strip() and not line.strip().startswith("#"))
                inner = inner[first:]
                lines += [f"{' ' * dash}- {inner[0][dash + 2 :]}", *inner[1:]]
    return lines
