from __future__ import annotations

import io

import pytest
from agent_connector.mcp_server.cli.terminal import Look, columns, look_of, visible, visible_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain", "plain"),
        ("größe 数据", "größe 数据"),
        ("red\x1b[31m", "red\\x1b[31m"),
        ("two\nlines\r\t", "two\\nlines\\r\\t"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("\x9b31m", "\\x9b31m"),
        ("lone\udc80", "lone\\udc80"),
        ("tag\U000e0041", "tag\\U000e0041"),
    ],
)
def test_what_could_play_tricks_on_a_terminal_is_written_out(name: str, shown: str) -> None:
    assert visible(name) == shown


def test_lines_keep_tabs_and_lose_either_kind_of_line_end() -> None:
    assert visible_lines("a\tb\r\nc\x07\n\nd") == ["a\tb", "c\\x07", "", "d"]


@pytest.mark.parametrize(
    ("env", "colour"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_can_and_people_who_want_it(env: dict[str, str], colour: bool) -> None:
    assert look_of(Terminal(), env).colour is colour


def test_no_colour_into_a_pipe_or_a_closed_stream() -> None:
    closed = Terminal()
    closed.close()
    assert not any(look_of(stream, {}).colour for stream in (io.StringIO(), closed, None))


def test_paths_below_the_home_folder_begin_with_a_tilde() -> None:
    look = Look(home="/home/ada")
    assert look.path("/home/ada/.claude.json") == "~/.claude.json"
    assert look.path("/home/adam/.claude.json") == "/home/adam/.claude.json"
    assert look.prose("/home/ada/.claude exists") == "~/.claude exists"
    assert Look(home="C:\\Users\\Ada").path("C:\\Users\\Ada\\.claude.json") == "~\\.claude.json"
    assert Look().path("/etc/codex") == "/etc/codex"


def test_columns_line_up_and_the_last_one_runs_free() -> None:
    assert columns([("a", "bb", "c"), ("aaa", "b", "dddd")]) == ["a    bb  c", "aaa  b   dddd"]
    assert columns([]) == []
