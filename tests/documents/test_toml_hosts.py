"""Configs as hosts and their users really leave them: everything of ours goes in, proven, and comes out again."""

from __future__ import annotations

import tomllib
from itertools import permutations

import pytest
from agent_connector.documents.base import MISSING
from agent_connector.documents.proof import prove_append, prove_remove, prove_remove_item, prove_set
from agent_connector.documents.toml import TomlDocument

CODEX_GROWN = r"""
# ~/.codex/config.toml -- see https://developers.openai.com/codex
model = "gpt-5-codex"            # was "o4-mini"
model_reasoning_effort = 'high'
approval_policy = "on-request"
notify = [
    "python3",   # the one from homebrew
    "/Users/jo doe/.codex/notify.py",
]
project_doc_max_bytes = 65_536
#sandbox_mode = "danger-full-access"

[features]
hooks = true
  web_search_request = true	# tab before this

# ---- servers -------------------------------------------------

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
startup_timeout_sec = 20.0

# needs VPN
[mcp_servers."jira.internal"]
url = "https://jira.example.com/mcp"
bearer_token_env_var = "JIRA_TOKEN"
http_headers = { "X-Team" = "core", Accept = '*/*' }
enabled = false

[mcp_servers.postgres]
command = 'C:\Program Files\pg\mcp.exe'
args = []
[mcp_servers.postgres.env]
DSN = "postgres://localhost/é"
[mcp_servers.postgres.tools.query]
approval_mode = "approve"

# [mcp_servers.old]
# command = "gone"

[profiles.fast]
model = "gpt-5-mini"
big = 9007199254740993
ratio = 1e-3

[shell_environment_policy]
set = { PATH = "/usr/bin:/bin", NOTE = '''
no newline''' }
inherit = "core"


[tui]
notifications = ["agent-turn-complete"]
status_line = ["model", "context-remaining"]

[[hooks.PreToolUse]]
matcher = "Bash"
[[hooks.PreToolUse.hooks]]
type = "command"
command = '''~/.codex/guard.sh "$1" # not a comment'''
timeout = 20

[[hooks.Stop]]
  [[hooks.Stop.hooks]]
  type = "command"
  command = "say done"

[hooks.state."/Users/jo doe/.codex/config.toml:pre_tool_use:0:0"]
trusted_hash = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

[projects."/Users/jo doe/src/app"]
trust_level = "trusted"

[projects.'C:\src\app']
trust_level = "untrusted"
[notice]
hide_full_access_warning = true
[notice.model_migrations]
"gpt-5" = "gpt-5-codex"

[marketplaces.mymk]
source_type = "local"
source = "/tmp/mk"

[plugins."demo@mymk"]
enabled = true
"""

CODEX_INLINE = """\
model = "x"
mcp_servers = { own = { command = "npx", args = ["-y", "thing"] }, "two.dots" = {url="u"} } # all of them
hooks = { PreToolUse = [ { matcher = "Bash", hooks = [ { type = "command", command = "x" } ] } ] }
[projects."/x"]
trust_level = "trusted"
"""

CODEX_DOTTED = """\
mcp_servers.own.command = "npx"
mcp_servers.own.args = ["a"]
hooks.PreToolUse = [
  # the guard
  { matcher = "Bash", hooks = [{ type = "command", command = "x" }] }, # keep first
]
tui.theme = "dark"
"""

CODEX_OUT_OF_ORDER = """\
[mcp_servers.own.env]
A = "1"
[projects."/x"]
trust_level = "trusted"
[mcp_servers.own]
command = "npx"
[[hooks.PreToolUse]]
matcher = "a"
[mcp_servers]
[[hooks.PreToolUse]]
matcher = "b"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "x"
[tui]"""

CONFIGS = {
    "absent": b"",
    "blank": b"\n\n",
    "grown": CODEX_GROWN.encode(),
    "grown on Windows": b"\xef\xbb\xbf" + CODEX_GROWN.replace("\n", "\r\n").encode(),
    "grown, no last line break": CODEX_GROWN.rstrip().encode(),
    "inline": CODEX_INLINE.encode(),
    "dotted": CODEX_DOTTED.encode(),
    "out of order": CODEX_OUT_OF_ORDER.encode(),
    "comments only": b"# nothing yet\n#\n",
    "a key only": b"model='x'",
}

SERVER = {
    "command": "/home/jo doe/.agent-connector/bin/agent-connector",
    "args": ["serve", "--connector", "acme-db", "--host", "codex", "--", "python3", "-m", "acme"],
    "env_vars": ["ACME_TOKEN"],
    "tool_timeout_sec": 60,
    "env": {"AGENT_CONNECTOR_DATA_DIR": "/home/jo doe/.agent-connector"},
}


def hook(event):
    command = f'"/home/jo doe/.agent-connector/bin/agent-connector" hook codex {event} --connector acme-db'
    return {"matcher": "mcp__acme.*", "hooks": [{"type": "command", "command": command, "timeout": 30}]}


OURS = (
    ("set", ("mcp_servers", "acme-db"), SERVER),
    ("append", ("hooks", "PreToolUse"), hook("PreToolUse")),
    ("append", ("hooks", "SessionStart"), hook("SessionStart")),
    ("set", ("tui", "theme_of_ours"), "x"),
    ("set", ("our_root_key",), True),
)


def install(data):
    document, origins = TomlDocument.parse(data), {}
    for verb, place, value in OURS:
        edited = prove_set(document, place, value) if verb == "set" else prove_append(document, place, value)
        for origin in edited.origins:
            origins.setdefault(origin.place, origin)
        document = edited.document
    return document.data, origins


def uninstall(data, origins, order=OURS):
    document = TomlDocument.parse(data)
    for verb, place, value in order:
        if verb == "set":
            document = prove_remove(document, place, origins)
        else:
            document = prove_remove_item(document, place, value, origins)
    return document.data


@pytest.fixture(params=CONFIGS.values(), ids=CONFIGS.keys())
def config(request):
    return request.param


def test_everything_of_ours_stands_there_and_everything_else_means_the_same(config):
    data, _ = install(config)
    before = tomllib.loads(config.decode("utf-8-sig"))
    after = tomllib.loads(data.decode("utf-8-sig"))
    assert after["mcp_servers"].pop("acme-db") == SERVER
    assert after["hooks"]["PreToolUse"].pop() == hook("PreToolUse")
    assert after["hooks"].pop("SessionStart") == [hook("SessionStart")]
    assert after.pop("our_root_key") is True
    assert after["tui"].pop("theme_of_ours") == "x"
    for name in ("mcp_servers", "tui", "hooks"):
        before.setdefault(name, {})
    before["hooks"].setdefault("PreToolUse", [])
    assert after == before


@pytest.mark.parametrize("name", sorted(CONFIGS.keys() - {"inline"}))
def test_every_line_of_before_stands_there_in_its_order(name):
    data, _ = install(CONFIGS[name])
    lines = iter(data.decode("utf-8-sig").splitlines())
    assert all(line in lines for line in CONFIGS[name].decode("utf-8-sig").splitlines() if line.strip())


def test_removal_in_any_order_gives_the_same_bytes(config):
    data, origins = install(config)
    for order in list(permutations(OURS))[::5]:
        assert uninstall(data, origins, order) == config


def test_installing_again_changes_nothing(config):
    data, _ = install(config)
    document = TomlDocument.parse(data)
    for verb, place, value in OURS:
        if verb == "set":
            assert document.set(place, value).document is document


def test_what_codex_writes_in_between_stays(config):
    data, origins = install(config)
    newline = b"\r\n" if b"\r\n" in config else b"\n"
    written = newline.join(
        (
            b"",
            b'[hooks.state."/home/jo doe/.codex/config.toml:session_start:0:0"]',
            b'trusted_hash = "sha256:1"',
            b"",
            b'[projects."/home/jo doe/new"]',
            b'trust_level = "trusted"',
            b"",
        )
    )
    if not config.strip() or b"hooks = {" in config:
        written = written[written.index(b"[projects") :]
    assert uninstall(data + newline + written, origins) == config + newline + written


def test_our_trust_record_that_codex_wrote_can_be_removed_too():
    place = ("hooks", "state", "/h/config.toml:session_start:0:0")
    record = b'\n[hooks.state."/h/config.toml:session_start:0:0"]\ntrusted_hash = "sha256:1"\n'
    data, origins = install(CONFIGS["grown"])
    document = prove_remove(TomlDocument.parse(data + record), place, origins)
    assert document.data == data
    assert document.get(place) is MISSING


def test_an_upgrade_in_place_is_proven_and_removed_as_before(config):
    data, origins = install(config)
    newer = {**SERVER, "args": ["serve"], "env": {}, "tools": {"drop": {"approval_mode": "prompt"}}}
    upgraded = prove_set(TomlDocument.parse(data), ("mcp_servers", "acme-db"), newer).document
    assert uninstall(upgraded.data, origins) == config


def test_vibe_entries_are_elements_with_a_name():
    config = b'[[mcp_servers]]\nname = "own"\ncommand = "x"\n[mcp_servers.env]\nA = "1"\n\n[ui]\nx = 1\n'
    entry = {"name": "acme", "transport": "stdio", "command": "run", "args": ["serve"], "env": {"A": "1"}}
    edited = prove_append(TomlDocument.parse(config), ("mcp_servers",), entry)
    assert edited.document.data.decode() == config.decode().replace(
        "\n[ui]",
        '\n[[mcp_servers]]\nname = "acme"\ntransport = "stdio"\ncommand = "run"\nargs = ["serve"]\n'
        '\n[mcp_servers.env]\nA = "1"\n\n[ui]',
    )
    assert prove_remove_item(edited.document, ("mcp_servers",), entry, {}).data == config


def test_kimi_hooks_are_elements_of_the_root():
    config = b'default_model = "k2"\r\n\r\n[[hooks]]\r\nevent = "Stop"\r\ncommand = "say"\r\n'
    entry = {"event": "PreToolUse", "matcher": "", "command": "run", "timeout": 30}
    edited = prove_append(TomlDocument.parse(config), ("hooks",), entry)
    assert edited.document.data == config + (
        b'\r\n[[hooks]]\r\nevent = "PreToolUse"\r\nmatcher = ""\r\ncommand = "run"\r\ntimeout = 30\r\n'
    )
    assert prove_remove_item(edited.document, ("hooks",), entry, {}).data == config
