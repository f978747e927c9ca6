"""What is counted of a call: what a model reads of it, as hosts were seen to hand it on."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import pytest
from agent_connector.telemetry.extraction import read_call, read_page
from agent_connector.telemetry.modalities import Family, image_size, image_tokens, sound_tokens

FAMILIES: tuple[Family, ...] = ("openai", "anthropic", "generic")


def call(result: Any = None, *, family: Family = "generic", params: Any = None, error: Any = None) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params or {"name": "t", "arguments": {}}}
    answer = {"jsonrpc": "2.0", "id": 1, **({"error": error} if error is not None else {"result": result})}
    return read_call(json.dumps(request).encode(), json.dumps(answer).encode(), family)


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


# --- arguments -------------------------------------------------------------------------------------------------


def test_arguments_are_counted_as_compact_json_without_escapes() -> None:
    found = call({"content": []}, params={"name": "query", "arguments": {"sql": "größer 字", "n": [1, 2.5, None]}})

    assert found.asked == ('{"sql":"größer 字","n":[1,2.5,null]}',)
    assert found.tool == "query"


def test_a_call_without_arguments_asks_nothing() -> None:
    assert call({"content": []}, params={"name": "t"}).asked == ()


@pytest.mark.parametrize("family", FAMILIES)
def test_what_belongs_to_host_and_server_is_never_looked_at(family: Family) -> None:
    hidden = "HIDDEN"
    params = {
        "name": "t",
        "arguments": {"a": 1},
        "_meta": {"x": hidden},
        "requestState": hidden,
        "inputResponses": {"x": hidden},
    }
    block = {"_meta": {"x": hidden}, "annotations": {"audience": [hidden]}}
    result = {
        "_meta": {"x": hidden},
        "requestState": hidden,
        "inputRequests": {"x": hidden},
        "content": [
            {**text("shown"), **block},
            {"type": "resource_link", "uri": "u:1", "name": "n", **block},
            {"type": "resource", "resource": {"uri": "u:2", "text": "t", "_meta": {"x": hidden}}, **block},
            {"type": "hologram", "x": 1, "data": hidden, "_meta": {"x": hidden}},
        ],
    }
    found = call(result, family=family, params=params)

    assert found.answered[0] == "shown"
    assert hidden not in " ".join(found.asked + found.answered)


# --- results ---------------------------------------------------------------------------------------------------


def test_texts_are_counted_one_by_one() -> None:
    found = call({"content": [text("one"), text("two"), text("")]})

    assert (found.answered, found.estimated, found.is_error) == (("one", "two"), 0, False)


@pytest.mark.parametrize("family", ["openai", "anthropic"])
def test_a_structured_result_takes_the_place_of_the_texts(family: Family) -> None:
    found = call({"content": [text("a table")], "structuredContent": {"rows": [1]}}, family=family)

    assert found.answered == ('{"rows":[1]}',)


def test_images_are_kept_beside_a_structured_result_by_one_family() -> None:
    result = {"content": [text("x"), {"type": "image", "data": ""}], "structuredContent": {"a": 1}}

    assert call(result, family="anthropic").estimated == 1568
    assert call(result, family="openai").estimated == 0


def test_a_failed_call_shows_its_text_or_its_structured_result() -> None:
    result = {"content": [text("went wrong")], "structuredContent": {"a": 1}, "isError": True}

    assert call(result, family="anthropic").answered == ("went wrong",)
    assert call(result, family="openai").answered == ('{"a":1}',)
    assert call(result).is_error


@pytest.mark.parametrize(
    ("content", "structured", "counted"),
    [
        ([text('{\n  "a": 1\n}')], {"a": 1}, ['{\n  "a": 1\n}']),
        ([text("5")], {"result": 5}, ["5"]),
        ([text("hello")], {"result": "hello"}, ["hello"]),
        ([text("[1, 2]")], {"result": [1, 2]}, ["[1, 2]"]),
        ([text("in words")], {"a": 1}, ["in words", '{"a":1}']),
        ([text("hello")], {"result": "other"}, ["hello", '{"result":"other"}']),
        ([], {"a": 1}, ['{"a":1}']),
        ([text("x")], None, ["x"]),
    ],
)
def test_where_the_host_is_unknown_the_same_is_not_counted_twice(
    content: list[Any], structured: Any, counted: list[str]
) -> None:
    assert list(call({"content": content, "structuredContent": structured}).answered) == counted


def test_an_error_of_the_protocol_shows_its_message() -> None:
    error = {"code": -32000, "message": "no table", "data": {"table": "x"}}

    assert call(error=error, family="anthropic").answered == ("no table",)
    assert call(error=error, family="openai").answered == ("no table", '{"table":"x"}')
    assert call(error=error).is_error


def test_resources_and_links_read_as_hosts_write_them() -> None:
    content = [
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "inside"}},
        {"type": "resource_link", "uri": "file:///b", "name": "b", "description": "more"},
    ]

    assert call({"content": content}, family="anthropic").answered == (
        "file:///a inside",
        "[Resource link: b] file:///b (more)",
    )
    assert call({"content": content}, family="openai").answered == (
        '{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"inside"}}',
        '{"type":"resource_link","uri":"file:///b","name":"b","description":"more"}',
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_base64_is_never_counted_as_text(family: Family) -> None:
    data = base64.b64encode(b"PAYLOAD" * 1000).decode()
    content = [
        {"type": "image", "data": data, "mimeType": "image/png"},
        {"type": "audio", "data": data, "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "u:1", "blob": data}},
        {"type": "resource", "resource": {"uri": "u:2", "blob": data, "mimeType": "image/png"}},
        {"type": "hologram", "data": data},
    ]
    found = call({"content": content}, family=family)

    assert "UEFZTE9BR" not in " ".join(found.answered)
    assert found.estimated > 0


def test_a_file_costs_a_sentence_or_its_base64_as_the_host_has_it() -> None:
    content = [{"type": "resource", "resource": {"uri": "u:1", "blob": "A" * 1460}}]

    assert call({"content": content}, family="anthropic").estimated == 60
    assert call({"content": content}, family="openai").estimated == 1000


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b"{}", b'{"result":[]}', b'{"error":3}', b"\xff", b"[" * 100_000, b'{"result":' + b"[" * 9000],
)
def test_what_is_no_answer_is_an_error_of_one_kind(answer: bytes) -> None:
    request = b'{"params":{"name":"t","arguments":{}}}'
    with pytest.raises(ValueError):
        read_call(request, answer, "generic")
    with pytest.raises(ValueError):
        read_call(answer, b'{"result":{"content":[]}}', "generic")


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"content": "x"},
        {"content": 3},
        {"content": [3, None, "x"]},
        {"content": [{}]},
        {"content": [{"type": 3}]},
    ],
)
def test_content_of_other_shapes_is_no_fault(result: Any) -> None:
    assert not call(result).is_error


def test_parts_of_a_block_with_other_types_are_no_fault() -> None:
    blocks = [
        {"type": "text", "text": 3},
        {"type": "image", "data": {}},
        {"type": "audio"},
        {"type": "resource_link"},
    ]

    assert call({"content": blocks}).estimated == 1568


# --- definitions -----------------------------------------------------------------------------------------------


def test_of_a_tool_a_model_is_told_name_description_and_input_schema() -> None:
    tool = {
        "name": "read",
        "title": "Read",
        "description": "Reads.",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
        "_meta": {"x": 1},
    }
    page = read_page(b'{"method":"tools/list"}', json.dumps({"result": {"tools": [tool, 3]}}).encode())

    (definition,) = page.definitions
    assert definition.name == "read"
    assert definition.text == '{"name":"read","description":"Reads.","inputSchema":{"type":"object"}}'
    assert (page.first, page.last) == (True, True)


def test_a_page_knows_whether_there_are_others() -> None:
    answer = b'{"result":{"tools":[],"nextCursor":"y"}}'

    page = read_page(b'{"params":{"cursor":"x"}}', answer)
    assert (page.first, page.last) == (False, False)
    for params in (b"{}", b"null", b'{"cursor":null}', b'{"_meta":{"progressToken":1}}'):
        assert read_page(b'{"params":' + params + b"}", answer).first


@pytest.mark.parametrize("answer", [b"", b"{}", b'{"result":{}}', b'{"result":{"tools":{}}}', b'{"error":{}}'])
def test_what_holds_no_list_of_tools_is_an_error_of_one_kind(answer: bytes) -> None:
    with pytest.raises(ValueError):
        read_page(b"{}", answer)


# --- images and sounds -----------------------------------------------------------------------------------------


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IEND", b"")
    )


def jpeg(width: int, height: int, preview: int = 0) -> bytes:
    application = b"\xff\xe1" + struct.pack(">H", preview + 2) + bytes(preview)
    frame = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(12)
    return b"\xff\xd8" + application + b"\xff\xff\xdb\x00\x04ab" + frame


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + b"\0\0\0\0" + body + bytes(20)


IMAGES = {
    "png": (png(640, 480), (640, 480)),
    "gif": (b"GIF89a" + struct.pack("<HH", 320, 200) + bytes(9), (320, 200)),
    "jpeg": (jpeg(1024, 768), (1024, 768)),
    "jpeg with a preview": (jpeg(1024, 768, 30_000), (1024, 768)),
    "webp lossy": (webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 550, 368)), (550, 368)),
    "webp lossless": (webp(b"VP8L", b"\x2f" + struct.pack("<I", (799) | (599 << 14))), (800, 600)),
    "webp extended": (
        webp(b"VP8X", b"\0\0\0\0" + (1919).to_bytes(3, "little") + (1079).to_bytes(3, "little")),
        (1920, 1080),
    ),
}


@pytest.mark.parametrize("kind", IMAGES)
def test_the_size_of_an_image_is_read_from_its_first_bytes(kind: str) -> None:
    image, size = IMAGES[kind]

    assert image_size(image) == size
    assert all(image_size(image[:end]) in (None, size) for end in range(len(image)))


@pytest.mark.parametrize(
    ("size", "family", "cost"),
    [
        ((1000, 1000), "anthropic", 1296),
        ((28, 28), "anthropic", 1),
        ((200, 200), "anthropic", 64),
        ((3136, 100), "anthropic", 112),  # shrunk to 1568 by 50
        ((4000, 3000), "anthropic", 1568),
        ((1024, 1024), "openai", 1024),
        ((256, 256), "openai", 64),
        ((1920, 1080), "openai", 1536),
        ((1000, 1000), "generic", 1296),
    ],
)
def test_an_image_costs_what_its_vendor_says(size: tuple[int, int], family: Family, cost: int) -> None:
    assert image_tokens(base64.b64encode(png(*size)).decode(), family) == cost


@pytest.mark.parametrize("data", ["", "A", "no base64 at all", base64.b64encode(b"BM" + bytes(60)).decode(),
                                  base64.b64encode(png(0, 5)).decode()])  # fmt: skip
def test_an_image_of_unknown_size_costs_the_most_one_can(data: str) -> None:
    assert [image_tokens(data, family) for family in FAMILIES] == [1536, 1568, 1568]


def test_a_sound_costs_by_its_length() -> None:
    header = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0" + struct.pack("<II", 8000, 16000)
    ten_seconds = base64.b64encode(header + bytes(160_000 - len(header))).decode()

    assert abs(sound_tokens(ten_seconds) - 320) <= 1
    assert abs(sound_tokens(base64.b64encode(bytes(160_000)).decode()) - 320) <= 1
    sound = {"type": "audio", "data": ten_seconds}
    assert [call({"content": [sound]}, family=family).estimated for family in ("anthropic", "openai")] == [60, 12]
