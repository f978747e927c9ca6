"""The TOML editor, case by case: where things go, in which form, and what is left alone."""

from __future__ import annotations

import sys
import time
import tomllib
from textwrap import dedent

import pytest
from agent_connector.documents.base import MISSING, Origin, same_value
from agent_connector.documents.toml import TomlDocument
from agent_connector.errors import DocumentError, ProofError

SERVER = {"command": "run", "args": ["serve"], "env": {"A": "1"}}
HOOK = {"matcher": "m", "hooks": [{"type": "command", "command": "x"}]}


def parse(text):
    return TomlDocument.parse(text.encode() if isinstance(text, str) else text)


def origins_of(edited):
    return {origin.place: origin for origin in edited.origins}


def after_set(text, place, value):
    """The text after the edit, which must be undone exactly."""
    document = parse(text)
    edited = document.set(place, value)
    assert edited.document.get(place) == value
    assert same_value(edited.document.value(), tomllib.loads(edited.document.data.decode("utf-8-sig")))
    assert edited.document.remove(place, origins_of(edited)).data == document.data
    return edited.document.data.decode()


def after_append(text, place, item):
    document = parse(text)
    edited = document.append(place, item)
    assert edited.document.get(place)[-1] == item
    assert edited.document.remove_item(place, item, origins_of(edited)).data == document.data
    return edited.document.data.decode()


# --- reading ----------------------------------------------------------------------------------------------------


def test_values_are_json_values_and_dates_their_text():
    document = parse(
        "i = 0x1F\nf = 1e3\nb = true\nd = 1979-05-27\nt = 07:32:00\ndt = 1979-05-27 07:32:00Z\nx = {a.b = [1]}\n"
    )
    assert document.value() == {
        "i": 31,
        "f": 1000.0,
        "b": True,
        "d": "1979-05-27",
        "t": "07:32:00",
        "dt": "1979-05-27T07:32:00+00:00",
        "x": {"a": {"b": [1]}},
    }


def test_a_place_that_does_not_exist_is_missing_also_below_other_types():
    document = parse("a = 1\n[[list]]\nx = 1\n")
    assert document.get(("b",)) is MISSING
    assert document.get(("a", "b")) is MISSING
    assert document.get(("list", "x")) is MISSING
    assert document.get(()) == document.value()


def test_a_byte_order_mark_is_read_and_kept():
    assert after_set(b"\xef\xbb\xbfa = 1\n", ("b",), 2).startswith("\ufeffa = 1\nb = 2")


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"a = 1\nb = \n", 2, 5),
        (b"\xef\xbb\xbf\r\na\r\n", 2, 2),
        (b"a = [\n1,\n", 3, 1),
        (b"a = 1\n\n[t]\na = 1\na = 2\n", 5, 6),
        (b"a = 1\nb = '\xff'\n", 2, 6),
        (b"[a.b]\n[a.b]\n", 2, 5),
    ],
)
def test_what_does_not_parse_is_refused_with_line_and_column(data, line, column):
    with pytest.raises(DocumentError) as refusal:
        parse(data)
    assert (refusal.value.line, refusal.value.column) == (line, column)


def test_nesting_too_deep_for_the_parser_is_refused():
    with pytest.raises(DocumentError, match="nested too deeply"):
        parse("x = " + "[" * 5000 + "]" * 5000)


def test_the_line_breaks_and_escapes_of_toml_1_1_are_understood_and_edited():
    text = 'mcp_servers = {\n  # mine\n  own = { command = "\\e[0m" }, # last\n}\nat = 07:32\n'
    document = parse(text)
    assert document.value() == {"mcp_servers": {"own": {"command": "\x1b[0m"}}, "at": "07:32:00"}
    edited = document.set(("mcp_servers", "ours"), {"command": "run"})
    assert edited.document.data.decode() == text.replace("# last\n", '# last\n  ours = { command = "run" },\n')
    assert edited.document.remove(("mcp_servers", "ours"), {}).data == document.data


def test_the_ordinary_path_does_not_load_tomlkit(tmp_path):
    import subprocess

    program = (
        "import sys; from agent_connector.documents.toml import TomlDocument;"
        "TomlDocument.parse(b'a = 1\\n').set(('b', 'c'), {'d': 1});"
        "sys.exit('tomlkit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False).returncode == 0


# --- where tables go --------------------------------------------------------------------------------------------


def test_a_table_goes_behind_the_last_of_its_group():
    text = dedent(
        """\
        [mcp_servers.own]
        command = "x" # behind
        # args = ["commented out"]

        # About the projects.
        [projects."/x"]
        trust_level = "trusted"
        """
    )
    assert after_set(text, ("mcp_servers", "ours"), SERVER) == dedent(
        """\
        [mcp_servers.own]
        command = "x" # behind
        # args = ["commented out"]

        [mcp_servers.ours]
        command = "run"
        args = ["serve"]

        [mcp_servers.ours.env]
        A = "1"

        # About the projects.
        [projects."/x"]
        trust_level = "trusted"
        """
    )


def test_a_comment_that_touches_the_next_header_stays_with_it():
    text = "[mcp_servers.own]\nx = 1\n# About z.\n[z]\n"
    assert after_set(text, ("mcp_servers", "ours"), {"y": 1}) == (
        "[mcp_servers.own]\nx = 1\n\n[mcp_servers.ours]\ny = 1\n# About z.\n[z]\n"
    )


@pytest.mark.parametrize("last_line", ["a = 1", "a = 1 # c \t", "[z]", "a = 1\n\n# the end"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "\n\t\n", "\r\n", "\r\n\r\n  "])
def test_at_the_end_of_a_file_its_last_bytes_stay_the_last(last_line, end):
    newline = "\r\n" if "\r" in end else "\n"
    last_line = last_line.replace("\n", newline)
    assert after_set(last_line + end, ("t",), {"b": 1}) == f"{last_line}{newline * 2}[t]{newline}b = 1{end}"


@pytest.mark.parametrize("blank", ["", "\n", "\r\n\r\n", "  \n\t", "\ufeff", "\ufeff\n"])
def test_a_blank_file_is_begun_and_blank_again(blank):
    document = parse(blank)
    edited = document.set(("t", "x"), {"a": 1})
    newline = "\r\n" if "\r" in blank else "\n"
    mark = "\ufeff" if blank.startswith("\ufeff") else ""
    assert edited.document.data.decode() == f"{mark}[t.x]{newline}a = 1{newline}"
    assert Origin((), created=False, interior=blank.encode()) in edited.origins
    assert edited.document.remove(("t", "x"), origins_of(edited)).data == document.data


def test_what_a_host_appends_to_a_file_that_we_began_stays():
    edited = parse("").set(("t", "x"), {"a": 1})
    host = b'\n[projects."/x"]\ntrust_level = "trusted"\n'
    assert parse(edited.document.data + host).remove(("t", "x"), origins_of(edited)).data == host


def test_line_breaks_are_those_of_the_lines_around():
    text = "a = 1\r\n\r\n[mcp_servers.own]\r\nb = 1\r\n\n[c]\n"
    assert after_set(text, ("mcp_servers", "ours"), {"x": 1, "y": {"z": 1}}) == (
        "a = 1\r\n\r\n[mcp_servers.own]\r\nb = 1\r\n"
        "\r\n[mcp_servers.ours]\r\nx = 1\r\n\r\n[mcp_servers.ours.y]\r\nz = 1\r\n\n[c]\n"
    )


def test_names_are_quoted_where_they_must_be():
    text = after_set("", ("mcp_servers", 'a."b" é'), {"x-y_1": 1, "": 2, "q.k": {"\n": 3}})
    assert text == (
        '[mcp_servers."a.\\"b\\" é"]\nx-y_1 = 1\n"" = 2\n\n[mcp_servers."a.\\"b\\" é"."q.k"]\n"\\n" = 3\n'
    )


def test_values_are_written_so_that_they_mean_the_same():
    value = {
        "text": 'q" b\\ \t \n \x00 \x7f é 😀',
        "numbers": [0, -1, 2**63 - 1, 1.0, -0.0, 1e300, 1e-7, float("inf"), float("-inf")],
        "mixed": [1, "a", {"b": [{}]}, []],
        "tables": [{"a": 1}, {"b": {"c": 2}}, {}],
        "empty": {},
        "flag": True,
    }
    written = parse("").set(("t",), value).document
    assert same_value(tomllib.loads(written.data.decode()), {"t": value})
    assert str(written.get(("t", "numbers"))[4]) == "-0.0"
    nan = parse("").set(("t",), float("nan")).document
    assert nan.data == b"t = nan\n"


# --- where keys go ----------------------------------------------------------------------------------------------


def test_a_key_of_the_root_goes_behind_the_last_one_there():
    assert after_set("a = 1 # one\n# c\n\n[t]\n", ("b",), [1]) == "a = 1 # one\nb = [1]\n# c\n\n[t]\n"


def test_a_key_of_the_root_goes_below_the_heading_comment():
    assert after_set("# My config.\n\n[t]\n", ("b",), 1) == "# My config.\n\nb = 1\n\n[t]\n"


def test_a_key_of_the_root_goes_above_everything_else_where_the_first_comment_belongs_to_a_header():
    assert after_set("# About t.\n[t]\n", ("b",), 1) == "b = 1\n\n# About t.\n[t]\n"
    assert after_set("\n[t]", ("b",), 1) == "b = 1\n\n\n[t]"


def test_a_key_goes_into_the_table_that_has_a_header():
    assert after_set("[t]\n  a = 1\n\n[t.s]\n", ("t", "b"), 1) == "[t]\n  a = 1\nb = 1\n\n[t.s]\n"
    assert after_set("[t] # empty\n[u]\n", ("t", "b"), 1) == "[t] # empty\nb = 1\n[u]\n"


def test_a_key_beside_dotted_keys_is_dotted_too():
    assert after_set("t . s.a = 1\nu = 1\n", ("t", "s", "b"), 1) == "t . s.a = 1\nt.s.b = 1\nu = 1\n"
    assert after_set("[t]\ns.a = 1\nu = 1\n", ("t", "s", "b"), 1) == "[t]\ns.a = 1\ns.b = 1\nu = 1\n"


def test_a_table_that_only_its_subtables_make_gets_a_header_for_its_first_key():
    document = parse("[t.a]\nx = 1\n\n[u]\n")
    edited = document.set(("t", "b"), 1)
    assert edited.document.data == b"[t.a]\nx = 1\n\n[t]\nb = 1\n\n[u]\n"
    assert edited.origins == (Origin(("t",), created=True),)
    other = edited.document.set(("t", "c"), 2)
    assert other.origins == ()
    one_left = other.document.remove(("t", "b"), origins_of(edited))
    assert one_left.data == b"[t.a]\nx = 1\n\n[t]\nc = 2\n\n[u]\n"
    assert one_left.remove(("t", "c"), origins_of(edited)).data == document.data


def test_a_deep_key_makes_one_header_and_reports_every_container():
    edited = parse("").set(("a", "b", "c"), 1)
    assert edited.document.data == b"[a.b]\nc = 1\n"
    assert [origin.place for origin in edited.origins] == [(), ("a",), ("a", "b")]


# --- inline tables and dotted parents ---------------------------------------------------------------------------


def test_an_entry_beside_inline_tables_is_inline():
    assert after_set("mcp_servers = { own = {a = 1} } # c\n", ("mcp_servers", "ours"), SERVER) == (
        'mcp_servers = { own = {a = 1}, ours = { command = "run", args = ["serve"], env = { A = "1" } } } # c\n'
    )


@pytest.mark.parametrize("empty", ["{}", "{ }", "{\t }"])
def test_an_empty_inline_table_is_filled_and_empty_again(empty):
    document = parse(f"mcp_servers = {empty}\n")
    edited = document.set(("mcp_servers", "ours", "env", "A"), "1")
    assert edited.document.data == b'mcp_servers = { ours = { env = { A = "1" } } }\n'
    assert edited.origins == (
        Origin(("mcp_servers",), created=False, interior=empty[1:-1].encode()),
        Origin(("mcp_servers", "ours"), created=True),
        Origin(("mcp_servers", "ours", "env"), created=True),
    )
    assert edited.document.remove(("mcp_servers", "ours", "env", "A"), origins_of(edited)).data == document.data


def test_an_entry_goes_deep_into_inline_tables():
    assert after_set("a = { b.c = { d = 1 } }\n", ("a", "b", "c", "e"), 2) == "a = { b.c = { d = 1, e = 2 } }\n"
    assert after_set("a = { b.c = { d = 1 } }\n", ("a", "b", "e"), 2) == "a = { b.c = { d = 1 }, b.e = 2 }\n"


def test_an_entry_beside_dotted_keys_gets_a_header_of_its_own():
    assert after_set('mcp_servers.own.command = "x"\n\n[z]\n', ("mcp_servers", "ours"), {"a": 1}) == (
        'mcp_servers.own.command = "x"\n\n[z]\n\n[mcp_servers.ours]\na = 1\n'
    )


# --- arrays -----------------------------------------------------------------------------------------------------


def test_an_element_goes_behind_the_last_one_and_its_subtables():
    text = "[[hooks.Pre]]\nx = 1\n[[hooks.Pre.hooks]]\ny = 1\n\n[z]\na = 1\n"
    assert after_append(text, ("hooks", "Pre"), HOOK) == (
        "[[hooks.Pre]]\nx = 1\n[[hooks.Pre.hooks]]\ny = 1\n"
        '\n[[hooks.Pre]]\nmatcher = "m"\n\n[[hooks.Pre.hooks]]\ntype = "command"\ncommand = "x"\n'
        "\n[z]\na = 1\n"
    )


def test_an_element_goes_behind_the_last_one_of_an_interrupted_array():
    text = "[[a]]\nx = 1\n[b]\n[[a]]\nx = 2\n[c]\n[a.s]\ny = 1\n[d]\n"
    assert after_append(text, ("a",), {"x": 3}) == text.replace("[d]", "\n[[a]]\nx = 3\n[d]")


def test_a_new_array_of_tables_goes_to_the_end():
    text = '[hooks.state."k"]\ntrusted_hash = "h"\n\n[z]\na = 1\n'
    assert after_append(text, ("hooks", "Pre"), {"a": 1}) == text + "\n[[hooks.Pre]]\na = 1\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[]", "[9]"),
        ("[ ]", "[9]"),
        ("[\n]", "[\n  9\n]"),
        ("[ # none\n  ]", "[ # none\n    9\n  ]"),
        ("[1,2]", "[1,2, 9]"),
        ("[1, 2 , ]", "[1, 2, 9 , ]"),
        ("[\n\t1,\n\t2\n]", "[\n\t1,\n\t2,\n\t9\n]"),
        ("[\n  1,\n  2,\n]", "[\n  1,\n  2,\n  9,\n]"),
        ("[\n  1, # one\n  2, # two\n]", "[\n  1, # one\n  2, # two\n  9,\n]"),
        ("[\n  1, # one\n  2  # two\n  # end\n]", "[\n  1, # one\n  2,  # two\n  9\n  # end\n]"),
        ("[\n  1\n  , # odd\n]", "[\n  1,\n  9\n  , # odd\n]"),
    ],
)
def test_an_item_is_put_into_brackets_as_the_others_stand_there(before, after):
    assert after_append(f"a = {before}\n", ("a",), 9) == f"a = {after}\n"


def test_two_items_of_ours_in_a_commented_array_go_in_any_order():
    for text in ("a = [\n  1, # one\n]\n", "a = [\n  1 # one\n]\n", "a = []\n", "a = [\n  # none\n]\n"):
        document = parse(text)
        one = document.append(("a",), 8)
        two = one.document.append(("a",), 9)
        origins = origins_of(one)
        for first, second in ((8, 9), (9, 8)):
            assert two.document.remove_item(("a",), first, origins).remove_item(("a",), second, origins).data == (
                document.data
            )


def test_the_last_of_equal_items_goes():
    document = parse("[[a]]\nx = 1 # first\n\n[[a]]\nx = 1.0 # second\n\n[[a]]\nx = true\n")
    assert document.remove_item(("a",), {"x": 1}, {}).data == b"[[a]]\nx = 1 # first\n\n[[a]]\nx = true\n"


def test_an_item_that_is_not_there_is_not_removed():
    with pytest.raises(ProofError, match="no such item"):
        parse("a = [1]\n").remove_item(("a",), True, {})


# --- removal among foreign edits --------------------------------------------------------------------------------


def installed(text="model = 'm'\n\n[mcp_servers.own]\nx = 1\n\n[z]\ny = 1\n"):
    edited = parse(text).set(("mcp_servers", "ours"), SERVER)
    return edited.document.data.decode(), origins_of(edited)


def test_comments_above_and_below_our_table_stay():
    text, origins = installed()
    text = text.replace("[mcp_servers.ours]", "# why I have this\n[mcp_servers.ours]")
    text = text.replace('A = "1"', 'A = "1"\n# B = "2"')
    assert parse(text).remove(("mcp_servers", "ours"), origins).data.decode() == (
        "model = 'm'\n\n[mcp_servers.own]\nx = 1\n\n# why I have this\n# B = \"2\"\n\n[z]\ny = 1\n"
    )


def test_tables_that_came_between_our_table_and_its_subtable_stay():
    text, origins = installed()
    text = text.replace("\n[mcp_servers.ours.env]", "\n[mcp_servers.new]\n# c\nq = 1\n\n[mcp_servers.ours.env]")
    assert parse(text).remove(("mcp_servers", "ours"), origins).data.decode() == (
        "model = 'm'\n\n[mcp_servers.own]\nx = 1\n\n[mcp_servers.new]\n# c\nq = 1\n\n[z]\ny = 1\n"
    )


def test_our_table_is_found_wherever_it_was_moved():
    text, origins = installed("[mcp_servers.own]\nx = 1\n\n[z]\ny = 1\n")
    start, end = text.index("[mcp_servers.ours]"), text.index("[z]")
    original = text[:start] + text[end:]
    ours = text[start:end]
    assert parse(ours + original).remove(("mcp_servers", "ours"), origins).data.decode() == original
    assert parse(original + "\n" + ours[:-1]).remove(("mcp_servers", "ours"), origins).data.decode() == original


@pytest.mark.parametrize(
    "rewritten",
    [
        "mcp_servers = { ours = { command = 'run', args = [\n'serve', # c\n], env = { A = '1' } } }\nk = 1\n",
        "mcp_servers.ours.command = 'run'\nmcp_servers.ours.args = ['serve']\nk = 1\nmcp_servers.ours.env.A = '1'\n",
        "k = 1\n[mcp_servers]\nours = { command = 'run', args = ['serve'], env.A = '1' }\n",
        "k = 1\n[mcp_servers]\nours.command = 'run'\n\n\nours.args = ['serve']\nours.env.A = '1'",
        "k = 1\n[mcp_servers.ours.env]\nA = '1'\n[mcp_servers.ours]\ncommand = 'run'\nargs = ['serve']",
        "mcp_servers = { ours.command = 'run', ours.args = ['serve'], ours.env.A = '1' }\nk = 1\n",
    ],
)
def test_our_entry_is_removed_by_meaning_in_whatever_form_a_host_wrote_it(rewritten):
    edited = parse("k = 1\n").set(("mcp_servers", "ours"), SERVER)
    changed = parse(rewritten)
    assert changed.value() == edited.document.value()
    assert changed.remove(("mcp_servers", "ours"), origins_of(edited)).data.decode().strip() == "k = 1"


def test_a_container_stays_when_it_is_not_recorded_as_ours():
    assert parse("[mcp_servers]\n\n[mcp_servers.a]\n").remove(("mcp_servers", "a"), {}).data == b"[mcp_servers]\n"
    assert parse("m = { a = 1 }\n").remove(("m", "a"), {}).value() == {"m": {}}


def test_removing_what_is_not_there_is_refused():
    with pytest.raises(ProofError, match="nothing stands at a"):
        parse("").remove(("a", "b"), {})


# --- replacement ------------------------------------------------------------------------------------------------


def test_replacing_a_value_touches_its_span_only():
    text = "a  =  'old' # why\r\n[t]\nb = { c = [1, 2], d = 0x1F }"
    document = parse(text)
    assert document.set(("a",), "new").document.data.decode() == text.replace("'old'", '"new"')
    assert document.set(("t", "b", "c"), {"e": 1}).document.data.decode() == text.replace("[1, 2]", "{ e = 1 }")


def test_replacing_a_table_keeps_its_position_and_the_comments_above():
    text, _ = installed("[mcp_servers.own]\nx = 1\n\n# about z\n[z]\ny = 1\n")
    text = text.replace("[mcp_servers.ours]", "# mine\n  [mcp_servers.ours] # c")
    replaced = parse(text).set(("mcp_servers", "ours"), {"url": "u", "http_headers": {"H": "v"}}).document
    assert replaced.data.decode() == (
        "[mcp_servers.own]\nx = 1\n\n# mine\n"
        '  [mcp_servers.ours]\nurl = "u"\n\n[mcp_servers.ours.http_headers]\nH = "v"\n'
        "\n# about z\n[z]\ny = 1\n"
    )


def test_setting_the_value_that_stands_there_changes_nothing():
    document = parse("a = { b = 1_000, c = 'x' }\n")
    assert document.set(("a",), {"c": "x", "b": 1000}).document is document


# --- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("mcp_servers = 'oops'\n", ("mcp_servers", "x"), "mcp_servers is a string, not a table"),
        ("mcp_servers = []\n", ("mcp_servers", "x"), "mcp_servers is an array, not a table"),
        ("[[mcp_servers]]\n", ("mcp_servers", "x"), "mcp_servers is an array, not a table"),
        ("[a]\n'b.c' = true\n", ("a", "b.c", "d", "e"), r'a\."b\.c" is a boolean, not a table'),
        ("a = 2024-01-01\n", ("a", "b"), "a is a string, not a table"),
        ("", (), "no place to edit"),
    ],
)
def test_a_wrong_type_on_the_way_is_named_and_nothing_is_edited(text, place, message):
    with pytest.raises(ProofError, match=message):
        parse(text).set(place, {})


@pytest.mark.parametrize("there", ["'x'", "1", "{}", "true"])
def test_nothing_is_appended_to_what_is_no_array(there):
    with pytest.raises(ProofError, match="not an array"):
        parse(f"hooks = {there}\n").append(("hooks",), {})


def test_a_plain_item_is_not_appended_to_an_array_of_tables():
    with pytest.raises(ProofError, match="array of tables"):
        parse("[[hooks]]\n").append(("hooks",), 1)


@pytest.mark.parametrize("value", [None, {"a": {"b": None}}, [None], 2**63, {"a": -(2**63) - 1}, "\ud800", {1: 2}])
def test_what_toml_cannot_say_is_refused(value):
    with pytest.raises(ProofError):
        parse("").set(("a",), value)


# --- speed ------------------------------------------------------------------------------------------------------


def test_a_large_file_is_edited_in_a_few_times_what_the_parser_takes():
    text = "".join(f'[projects."/home/u/project-{number}"]\ntrust_level = "trusted"\n\n' for number in range(2000))

    def cpu(work):
        times = []
        for _ in range(3):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
        return min(times)

    parsing = cpu(lambda: tomllib.loads(text))
    editing = cpu(lambda: parse(text).set(("mcp_servers", "ours"), SERVER))
    assert editing < 10 * parsing
