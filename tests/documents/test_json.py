"""The JSON and JSONC editor by example: what is written where, what is refused, what comes back."""

import textwrap

import pytest
from agent_connector.documents.base import MISSING, Origin
from agent_connector.documents.json import JsonDocument
from agent_connector.documents.opening import open_document
from agent_connector.documents.proof import prove_append, prove_remove, prove_remove_item, prove_set
from agent_connector.errors import DocumentError, ProofError

OURS = ("mcpServers", "ours")
SERVER = {"command": "npx", "args": ["-y", "acme"]}


def parse(text, *, comments=False):
    return JsonDocument.parse(text.encode() if isinstance(text, str) else text, comments=comments)


def text_of(document):
    return document.data.decode()


def after_set(text, place=OURS, value=SERVER, *, comments=False):
    """The text with ``value`` in it; that it can be taken out again is checked in passing."""
    document = parse(text, comments=comments)
    edited = prove_set(document, place, value)
    if document.get(place) is MISSING:
        origins = {origin.place: origin for origin in edited.origins}
        assert prove_remove(edited.document, place, origins).data == document.data
    return text_of(edited.document)


def lines(text):
    return textwrap.dedent(text).lstrip("\n")


# --- how new members are written -----------------------------------------------------------------------------------


def test_an_empty_file_gets_an_object_with_two_spaces_and_a_final_newline():
    assert after_set("") == lines(
        """
        {
          "mcpServers": {
            "ours": {
              "command": "npx",
              "args": [
                "-y",
                "acme"
              ]
            }
          }
        }
        """
    )


@pytest.mark.parametrize("unit", ["  ", "    ", "\t", " ", "   "])
def test_the_indentation_of_the_file_is_used(unit):
    before = f'{{\n{unit}"a": 1\n}}\n'
    expected = '{\n>"a": 1,\n>"mcpServers": {\n>>"ours": {\n>>>"url": "u"\n>>}\n>}\n}\n'.replace(">", unit)
    assert after_set(before, value={"url": "u"}) == expected


def test_a_file_that_is_not_indented_stays_so():
    assert after_set('{\n"a": 1\n}', value={"url": "u"}) == (
        '{\n"a": 1,\n"mcpServers": {\n"ours": {\n"url": "u"\n}\n}\n}'
    )


def test_line_ends_are_the_file_s():
    assert after_set('{\r\n  "a": 1\r\n}\r\n', ("b",), [1]) == '{\r\n  "a": 1,\r\n  "b": [\r\n    1\r\n  ]\r\n}\r\n'


def test_with_mixed_line_ends_the_nearest_is_used():
    assert after_set('{\n  "a": 1,\r\n  "b": 2\r\n}\n', ("c",), 3) == '{\n  "a": 1,\r\n  "b": 2,\r\n  "c": 3\r\n}\n'


def test_a_minified_file_stays_minified():
    assert after_set('{"a":1}') == '{"a":1,"mcpServers":{"ours":{"command":"npx","args":["-y","acme"]}}}'


def test_an_object_on_one_line_stays_on_it():
    assert after_set('{"a": 1}', ("b",), {"c": [1, 2]}) == '{"a": 1, "b": {"c": [1, 2]}}'


def test_padding_inside_braces_is_kept_up():
    assert after_set('{ "a": 1 }', ("b",), {"c": 2}) == '{ "a": 1, "b": { "c": 2 } }'


def test_an_odd_colon_is_kept_up():
    assert after_set('{\n  "a" : 1\n}', ("b",), {"c": 2}) == '{\n  "a" : 1,\n  "b" : {\n    "c" : 2\n  }\n}'


def test_entries_written_on_one_line_each_get_a_neighbour_on_one_line():
    before = '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n'
    assert after_set(before) == (
        '{\n  "mcpServers": {\n    "a": { "command": "x" },\n'
        '    "ours": { "command": "npx", "args": ["-y", "acme"] }\n  }\n}\n'
    )


def test_an_empty_object_in_a_file_of_lines_is_opened():
    assert after_set('{\n  "mcpServers": {}\n}', value=1) == '{\n  "mcpServers": {\n    "ours": 1\n  }\n}'


def test_an_empty_object_in_a_minified_file_is_not_opened():
    assert after_set('{"mcpServers":{},"a":1}', value=1) == '{"mcpServers":{"ours":1},"a":1}'


def test_letters_are_written_as_they_are_and_lone_surrogates_escaped():
    assert after_set("{}", ("ключ",), "é\ud800\U0001f600\n") == '{\n  "ключ": "é\\ud800\U0001f600\\n"\n}'


def test_a_missing_final_newline_stays_missing():
    assert not after_set('{\n  "a": 1\n}').endswith("\n")


def test_an_array_gets_its_item_last_and_in_its_style():
    document = parse('{"hooks": {"Stop": [1, 2]}}')
    edited = prove_append(document, ("hooks", "Stop"), {"a": 3})
    assert text_of(edited.document) == '{"hooks": {"Stop": [1, 2, {"a": 3}]}}'
    assert edited.origins == ()


def test_an_array_is_created_on_the_way():
    edited = prove_append(parse('{"a":1}'), ("hooks", "Stop"), 3)
    assert text_of(edited.document) == '{"a":1,"hooks":{"Stop":[3]}}'
    assert edited.origins == (Origin(("hooks",), created=True), Origin(("hooks", "Stop"), created=True))


# --- comments and trailing commas ----------------------------------------------------------------------------------


def test_a_member_goes_behind_the_comment_on_the_line_of_the_one_before():
    assert after_set('{\n  "a": 1 // one\n  // the end\n}', ("b",), 2, comments=True) == (
        '{\n  "a": 1, // one\n  "b": 2\n  // the end\n}'
    )


def test_a_line_comment_in_an_object_on_one_line_forces_a_new_line():
    assert after_set('{"a": 1 // one\n}', ("b",), 2, comments=True) == '{"a": 1, // one\n  "b": 2\n}'


def test_a_block_comment_stays_with_its_member():
    assert after_set('{ "a": 1 /* one */ }', ("b",), 2, comments=True) == '{ "a": 1, /* one */ "b": 2 }'


def test_trailing_commas_are_kept_up():
    assert after_set('{\n  "a": 1, // one\n}\n', ("b",), {"c": [2]}, comments=True) == (
        '{\n  "a": 1, // one\n  "b": {\n    "c": [\n      2,\n    ],\n  },\n}\n'
    )


def test_a_first_member_goes_behind_the_comments_that_stand_there():
    assert after_set('{\n  "mcpServers": {\n    // none yet\n  }\n}', value=1, comments=True) == (
        '{\n  "mcpServers": {\n    // none yet\n    "ours": 1\n  }\n}'
    )


def test_a_file_of_comments_alone_keeps_them_above():
    assert after_set("// mine\n", ("a",), 1, comments=True) == '// mine\n{\n  "a": 1\n}\n'


def test_what_looks_like_a_comment_in_a_string_is_none():
    before = '{\n  "url": "https://x/*y*/,}", // real, with "quotes\n  "b": [1,\n  ],\n}'
    document = parse(before, comments=True)
    assert document.value() == {"url": "https://x/*y*/,}", "b": [1]}


def test_a_comment_behind_ours_survives_and_swallows_nothing():
    installed = parse('{\n  "a": 1, // one\n  "ours": 2 /* theirs */\n, "b": 3 }', comments=True)
    assert text_of(prove_remove(installed, ("ours",), {})) == '{\n  "a": 1, // one\n   /* theirs */\n "b": 3 }'


def test_a_line_comment_before_ours_does_not_reach_what_follows():
    installed = parse('{ // mine\n "ours": 2, "b": 3 }', comments=True)
    assert prove_remove(installed, ("ours",), {}).value() == {"b": 3}


def test_a_created_container_with_a_comment_of_the_user_s_stays():
    edited = prove_set(parse('{\n  "a": 1\n}', comments=True), OURS, 1)
    commented = edited.document.data.replace(b'"ours": 1', b'"ours": 1 // mine')
    origins = {origin.place: origin for origin in edited.origins}
    assert text_of(prove_remove(parse(commented, comments=True), OURS, origins)) == (
        '{\n  "a": 1,\n  "mcpServers": { // mine\n  }\n}'
    )


def test_strict_json_takes_no_comments_and_no_trailing_commas():
    for text, column in (('{"a": 1} // c', 10), ('{"a": 1,}', 9), ("{/**/}", 2)):
        with pytest.raises(DocumentError, match="strict JSON") as failure:
            parse(text)
        assert (failure.value.line, failure.value.column) == (1, column)


# --- what comes back -----------------------------------------------------------------------------------------------


def test_a_file_of_ours_alone_becomes_what_it_was():
    for before in (b"", b"\n", b" \r\n", b"\xef\xbb\xbf", b"{}", b"{ }\n", b"{\n\n}", b"\xef\xbb\xbf{\t}\r\n"):
        document = parse(before)
        edited = prove_set(document, OURS, SERVER)
        assert edited.origins[0] == Origin((), created=False, interior=before)
        origins = {origin.place: origin for origin in edited.origins}
        assert prove_remove(edited.document, OURS, origins).data == before


def test_a_file_that_we_created_and_others_filled_stays():
    edited = prove_set(parse(""), OURS, 1)
    origins = {origin.place: origin for origin in edited.origins}
    theirs = prove_set(edited.document, ("theirs",), 2).document
    assert text_of(prove_remove(theirs, OURS, origins)) == '{\n  "theirs": 2\n}\n'


def test_an_empty_container_gets_back_what_stood_in_it():
    edited = prove_set(parse('{"mcpServers": {\n\n}, "a": 1}'), OURS, 1)
    assert edited.origins == (Origin(("mcpServers",), created=False, interior=b"\n\n"),)


def test_a_container_of_unknown_origin_is_left_empty():
    installed = parse('{\n  "mcpServers": {\n    "ours": 1\n  },\n  "hooks": {"Stop": [ 7 ]}\n}')
    rest = prove_remove_item(prove_remove(installed, OURS, {}), ("hooks", "Stop"), 7, {})
    assert text_of(rest) == '{\n  "mcpServers": {},\n  "hooks": {"Stop": []}\n}'


def test_created_containers_go_up_to_the_first_that_is_in_use():
    edited = prove_set(parse('{"a": {"b": 1}}'), ("a", "c", "d", "e"), 1)
    origins = {origin.place: origin for origin in edited.origins}
    assert list(origins) == [("a", "c"), ("a", "c", "d")]
    assert text_of(prove_remove(edited.document, ("a", "c", "d", "e"), origins)) == '{"a": {"b": 1}}'


def test_the_last_of_equal_items_is_removed():
    document = parse('{"list": [1, true, 1.0, "1", 1, 2]}')
    once = prove_remove_item(document, ("list",), 1, {})
    assert text_of(once) == '{"list": [1, true, 1.0, "1", 2]}'
    assert text_of(prove_remove_item(once, ("list",), 1, {})) == '{"list": [1, true, "1", 2]}'


def test_removing_the_first_member_on_a_line_leaves_no_hole():
    assert text_of(prove_remove(parse('{"ours": 1, "b": 2}'), ("ours",), {})) == '{"b": 2}'


def test_blank_lines_of_the_user_s_around_ours_stay():
    edited = prove_set(parse('{\n  "a": 1\n}\n'), ("ours",), 2)
    spaced = edited.document.data.replace(b'\n  "ours"', b'\n\n  "ours"').replace(b"2\n", b"2\n\n")
    assert text_of(prove_remove(parse(spaced), ("ours",), {})) == '{\n  "a": 1\n\n\n}\n'


def test_removing_a_member_leaves_comma_first_layouts_valid():
    document = parse('{ "a": 1\n, "ours": 2\n, "b": 3\n}')
    assert prove_remove(document, ("ours",), {}).value() == {"a": 1, "b": 3}
    assert prove_remove(document, ("b",), {}).value() == {"a": 1, "ours": 2}


def test_a_replaced_value_is_all_that_changes():
    before = '{\n  "a": 1e3, "ours":   {"x": 1 }  , // c\n  "z": 1.0\n}'
    after = text_of(prove_set(parse(before, comments=True), ("ours",), {"y": 2}).document)
    assert after == '{\n  "a": 1e3, "ours":   {"y": 2}  , // c\n  "z": 1.0\n}'


def test_a_value_that_is_there_already_is_not_written_again():
    document = parse('{"mcpServers": {"ours": {"args": [  1.0 ], "command":"x"}}}')
    assert prove_set(document, OURS, {"command": "x", "args": [1]}).document is document


# --- what is refused ------------------------------------------------------------------------------------------------

SYNTAX_ERRORS = {
    "missing comma": ('{\n  "a": 1\n  "b": 2\n}', 3, 3),
    "missing colon": ('{"a" 1}', 1, 6),
    "truncated in an object": ('{\n  "a": 1,\n', 3, 1),
    "truncated in a string": ('{"a": "b', 1, 7),
    "trailing content": ('{"a": 1}\r\n}', 2, 1),
    "two documents": ("{}\n{}", 2, 1),
    "single quotes": ("{'a': 1}", 1, 2),
    "bare key": ("{a: 1}", 1, 2),
    "NaN": ('{"NaN": "NaN",\n "a": NaN}', 2, 7),
    "Infinity": ('{"a": [1, -Infinity]}', 1, 11),
    "raw control character": ('{"a": "b\tc"}', 1, 9),
    "stray comma": ('{"a": [,]}', 1, 8),
    "two commas": ("[1,,]", 1, 4),
    "comma alone": ("{,}", 1, 2),
    "leading zero": ('{"a": 01}', 1, 8),
    "nothing but a comma": (",", 1, 1),
}


@pytest.mark.parametrize("comments", [False, True])
@pytest.mark.parametrize(("text", "line", "column"), SYNTAX_ERRORS.values(), ids=SYNTAX_ERRORS)
def test_a_file_that_does_not_parse_is_refused_with_line_and_column(text, line, column, comments):
    with pytest.raises(DocumentError) as failure:
        parse(text, comments=comments)
    assert (failure.value.line, failure.value.column) == (line, column)
    assert failure.value.reason


def test_a_comment_that_does_not_end_is_refused_where_it_begins():
    with pytest.raises(DocumentError, match="line 2, column 1: a comment that does not end"):
        parse('{"a": 1}\n/* c', comments=True)


def test_truncation_is_called_by_its_name():
    with pytest.raises(DocumentError, match="line 3, column 1: the file ends too early"):
        parse('{"a": 1\n\n')


@pytest.mark.parametrize(
    ("data", "reason", "line", "column"),
    [
        ('{"a": 1}'.encode("utf-16"), "UTF-16", 1, 1),
        ('{"a": "é"}'.encode("latin-1"), "not UTF-8", 1, 8),
        (b'{\n"\xc3\xa9": "\xed\xa0\x80"}', "not UTF-8", 2, 7),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", "expecting value", 1, 1),
    ],
)
def test_other_encodings_are_refused(data, reason, line, column):
    with pytest.raises(DocumentError, match=reason) as failure:
        parse(data)
    assert (failure.value.line, failure.value.column) == (line, column)


def test_deep_nesting_is_refused_and_does_not_crash():
    for text in ("[" * 100_000, '{"a":' * 100_000, '{"b": 1, "a": ' + "[" * 100_000 + "]" * 100_000 + "}"):
        with pytest.raises(DocumentError):
            parse(text)


def test_nesting_at_the_edge_of_what_is_possible_is_edited_or_refused():
    outcomes = set()
    for depth in range(700, 1000, 3):
        try:
            prove_set(parse('{"a": ' + '{"a": ' * depth + "1" + "}" * depth + "}"), ("a", "a", "ours"), 1)
            outcomes.add("edited")
        except (DocumentError, ProofError):
            outcomes.add("refused")
    assert "edited" in outcomes


def test_numbers_beyond_all_limits_stay_as_they_are():
    digits = "9" * 5000
    before = f'{{\n  "a": {digits},\n  "b": 1e400, "c": -1e-400\n}}'
    assert after_set(before, ("d",), 1) == f'{{\n  "a": {digits},\n  "b": 1e400, "c": -1e-400,\n  "d": 1\n}}'


@pytest.mark.parametrize(
    ("root", "kind"), [("[]", "an array"), ("1", "a number"), ('"x"', "a string"), ("null", "null")]
)
def test_a_root_that_is_no_object_cannot_be_edited(root, kind):
    document = parse(root)
    for edit in (
        lambda: document.set(OURS, 1),
        lambda: document.append(("a",), 1),
        lambda: document.remove(OURS, {}),
        lambda: document.remove_item(("a",), 1, {}),
    ):
        with pytest.raises(ProofError, match=f"the root is {kind}, not an object"):
            edit()
    assert document.get(OURS) is MISSING


@pytest.mark.parametrize(
    ("found", "kind"),
    [('"oops"', "a string"), ("null", "null"), ("[]", "an array"), ("true", "a boolean"), ("0", "a number")],
)
def test_a_wrong_type_under_our_key_is_named_and_kept(found, kind):
    document = parse(f'{{"mcpServers": {found}}}')
    with pytest.raises(ProofError, match=f"mcpServers holds {kind}, not an object"):
        prove_set(document, OURS, SERVER)
    assert document.get(OURS) is MISSING


@pytest.mark.parametrize(("found", "kind"), [("{}", "an object"), ("null", "null"), ('"x"', "a string")])
def test_only_arrays_are_appended_to(found, kind):
    with pytest.raises(ProofError, match=f"hooks.Stop holds {kind}, not an array"):
        prove_append(parse(f'{{"hooks": {{"Stop": {found}}}}}'), ("hooks", "Stop"), 1)


def test_a_key_that_stands_twice_on_the_way_is_refused_with_its_line():
    document = parse('{\n  "mcpServers": {},\n  "a": 1,\n  "mcpServers": {"ours": 1}\n}')
    for edit in (lambda: prove_set(document, OURS, 1), lambda: prove_remove(document, OURS, {})):
        with pytest.raises(DocumentError, match="line 4, column 3: the key 'mcpServers'"):
            edit()


def test_a_key_that_stands_twice_elsewhere_is_the_user_s_business():
    before = '{\n  "x": {"a": 1, "a": 2},\n  "b": 1,\n  "b": 2\n}'
    assert parse(before).value() == {"x": {"a": 2}, "b": 2}
    assert after_set(before, ("c",), 3) == before.replace('"b": 2', '"b": 2,\n  "c": 3')


def test_an_escaped_key_is_the_key():
    with pytest.raises(DocumentError, match="line 1, column 10"):
        prove_set(parse('{"a": 1, "\\u0061": 2}'), ("a",), 3)
    assert after_set('{"\\u0061": 1}', ("a",), 3) == '{"\\u0061": 3}'


CANNOT_BE_SAID = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "a key that is no string": {1: 2},
    "an object of Python's": {"a": object()},
    "too many digits": 10**5000,
    "a tuple": (1, 2),
}


@pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in CANNOT_BE_SAID.items()])
def test_values_that_json_cannot_say_are_refused(value):
    with pytest.raises(ProofError):
        prove_set(parse('{"a": 1}'), ("b",), value)


def test_what_is_not_there_cannot_be_removed():
    for text in ("", "{}", '{"mcpServers": {}}'):
        with pytest.raises(ProofError, match=r"nothing stands at mcpServers\.ours"):
            parse(text).remove(OURS, {})
    for place in (("b",), ("a",)):
        with pytest.raises(ProofError):
            parse('{"a": [1]}').remove_item(place, 2, {})


def test_the_document_itself_is_no_place():
    for edit in (
        lambda: parse("{}").set((), {}),
        lambda: parse("{}").append((), 1),
        lambda: parse("{}").remove((), {}),
        lambda: parse("{}").remove_item((), 1, {}),
    ):
        with pytest.raises(ProofError):
            edit()


def test_an_empty_document_means_an_empty_object():
    for data in (b"", b"\xef\xbb\xbf", b" \n"):
        assert parse(data).value() == {}
        assert parse(data).get(OURS) is MISSING


def test_a_bom_is_read_and_kept():
    edited = prove_set(parse(b'\xef\xbb\xbf{"\xc3\xa9":1}'), ("b",), 2)
    assert edited.document.data == b'\xef\xbb\xbf{"\xc3\xa9":1,"b":2}'


def test_formats_open_as_they_are_named():
    assert open_document("jsonc", b"{} // c").value() == {}
    with pytest.raises(DocumentError):
        open_document("json", b"{} // c")


def test_a_large_file_of_small_members_is_edited_like_any_other():
    body = ",\n".join(f'    "k{number}": {{"é": [{number}]}}' for number in range(5000))
    before = f'{{\n  "projects": {{\n{body}\n  }},\n  "mcpServers": {{}}\n}}\n'
    after = after_set(before, ("projects", "k4711", "ours"), 1)
    assert after == before.replace('{"é": [4711]}', '{"é": [4711], "ours": 1}')


# --- files as they are found ---------------------------------------------------------------------------------------

CLAUDE_SETTINGS = lines(
    """
    {
      "$schema": "https://json.schemastore.org/claude-code-settings.json",
      "permissions": {"allow": ["Bash(git:*)", "Read(~/**)"], "deny": []},
      "hooks": {
        "PreToolUse": [
          {
            "matcher": "Bash",
            "hooks": [{ "type": "command", "command": "jq -r '.tool_input.command' >> ~/log // no comment" }]
          }
        ]
      },
      "cost": 1.50, "big": 12345678901234567890, "exp": 1e3, "one": 1.0, "edge": 9007199254740993
    }"""
)
VSCODE_MCP = lines(
    """
    // servers of this workspace
    {
    \t"inputs": [
    \t\t{ "type": "promptString", "id": "key", "password": true }, // asked once
    \t],
    \t"servers": {
    \t\t/* "old": { "command": "old" }, */
    \t\t"github": {
    \t\t\t"url": "https://api.example.com/mcp/", // trailing
    \t\t\t"headers": { "Authorization": "Bearer ${input:key}" },
    \t\t},
    \t\t// "next": …
    \t},
    }
    """
)
CURSOR_WINDOWS = "\ufeff" + lines(
    r"""
    {
        "mcpServers":{
            "a b":{"command":"C:\\Program Files\\x.exe","args":[]}
        }
    }
    """
).replace("\n", "\r\n")
UGLY = {
    "claude settings": (CLAUDE_SETTINGS, ("hooks", "PreToolUse"), False),
    "claude settings, new event": (CLAUDE_SETTINGS, ("hooks", "Stop"), False),
    "vs code": (VSCODE_MCP, ("inputs",), True),
    "vs code, new key": (VSCODE_MCP, ("servers", "github", "args"), True),
    "cursor on windows": (CURSOR_WINDOWS, ("mcpServers", "a b", "args"), False),
    "brackets everywhere": ('{"a":[{"b":[{\n"c":[]}]}]\n,"d":{"e":[[],[{}]]}}', ("d", "e"), False),
    "comma first": ('{ "a": 1\n, "b": [ 1\n       , 2 ]\n}', ("b",), False),
    "old mac line ends": ('{\r  "a": 1, // c\r  "b": [\r    1\r  ]\r}\r', ("b",), True),
    "allman": ('{\n\t"a":\n\t{\n\t\t"b":\n\t\t[\n\t\t\t1\n\t\t]\n\t}\n}\n', ("a", "b"), False),
    "nothing but comments": ("/* a */\n// b", ("hooks", "Stop"), True),
    "comments around an empty root": ("// a\n{ // b\n} // c", ("hooks", "Stop"), True),
    "comment in every gap": (
        '/*0*/{/*1*/"a"/*2*/:/*3*/{/*4*/"b"/*5*/:/*6*/[/*7*/1/*8*/,/*9*/]/*10*/}/*11*/}/*12*/',
        ("a", "b"),
        True,
    ),
    "blank lines and trailing spaces": ('{  \n\n  "a": [   \n\n  ]  \n\n}  \n\n', ("a",), False),
}


@pytest.mark.parametrize(("text", "array", "comments"), UGLY.values(), ids=UGLY)
def test_ugly_files_get_every_byte_back(text, array, comments):
    before = text.encode()
    document = parse(before, comments=comments)
    origins = {}
    for kind, place, value in (("item", array, SERVER), ("item", array, 1), ("set", OURS, SERVER)):
        edited = (prove_append if kind == "item" else prove_set)(document, place, value)
        document = edited.document
        for origin in edited.origins:
            origins.setdefault(origin.place, origin)
    document = prove_remove_item(document, array, SERVER, origins)
    document = prove_remove(document, OURS, origins)
    assert prove_remove_item(document, array, 1, origins).data == before


def test_siblings_of_ours_are_untouched_to_the_byte():
    after = after_set(VSCODE_MCP, ("servers", "ours"), {"command": "x"}, comments=True)
    assert after == VSCODE_MCP.replace("\t\t},\n", '\t\t},\n\t\t"ours": {\n\t\t\t"command": "x",\n\t\t},\n')
