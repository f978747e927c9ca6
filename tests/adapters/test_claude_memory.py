"""Which file a memory block stands in for Claude Code."""

from __future__ import annotations

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.host import MemoryRequest

MEMORY = CATALOG.get("claude-code").memory
BRIDGE = (
    "<!-- agent-connector:begin _shared/claude-agents-import hash=0123456789ab -->\n"
    "<!-- Managed by agent-connector. -->\n@AGENTS.md\n"
    "<!-- agent-connector:end _shared/claude-agents-import -->\n"
)


@pytest.fixture
def targets(here, files):
    def ask(scope="project", mode="block", machine=here):
        return MEMORY.targets(MemoryRequest(machine, here.cwd, scope, mode), files)

    return ask


def test_a_fresh_project_gets_a_claude_md(targets, here):
    (block,) = targets()
    assert block.path == here.cwd / "CLAUDE.md"
    assert block.content is None


def test_an_existing_file_below_dot_claude_is_used(targets, here):
    (here.cwd / ".claude").mkdir()
    (here.cwd / ".claude" / "CLAUDE.md").write_text("mine\n")
    assert targets()[0].path == here.cwd / ".claude" / "CLAUDE.md"
    (here.cwd / "CLAUDE.md").write_text("mine\n")
    assert targets()[0].path == here.cwd / "CLAUDE.md"


def test_user_and_local_scope(targets, here):
    assert targets("user")[0].path == here.home / ".claude" / "CLAUDE.md"
    assert targets("local")[0].path == here.cwd / "CLAUDE.local.md"
    moved = here.with_env({"CLAUDE_CONFIG_DIR": str(here.home / "cfg")})
    assert targets("user", machine=moved)[0].path == here.home / "cfg" / "CLAUDE.md"


@pytest.mark.parametrize(
    "text", ["@AGENTS.md\n", "Read @./AGENTS.md first\r\n", "- see @AGENTS.md\n", "@../project/AGENTS.md"]
)
def test_an_import_of_the_users_sends_the_block_to_agents_md(targets, here, text):
    (here.cwd / "CLAUDE.md").write_text(text)
    (block,) = targets()
    assert block.path == here.cwd / "AGENTS.md"


@pytest.mark.parametrize(
    "text",
    [
        "`@AGENTS.md`\n",
        "```\n@AGENTS.md\n```\n",
        "~~~md\n@AGENTS.md\n```\n~~~\n",
        "<!-- @AGENTS.md -->\n",
        "mail@AGENTS.md\n",
        "@OTHER.md and @docs/AGENTS.md\n",
        "@AGENTS.md.bak\n",
        "",
    ],
)
def test_what_only_looks_like_an_import_does_not(targets, here, text):
    (here.cwd / "CLAUDE.md").write_text(text)
    (block,) = targets()
    assert block.path == here.cwd / "CLAUDE.md"


@pytest.mark.parametrize("link", ["CLAUDE.md", "AGENTS.md"])
def test_a_link_between_the_two_files_sends_the_block_to_agents_md(targets, here, link):
    other = "AGENTS.md" if link == "CLAUDE.md" else "CLAUDE.md"
    (here.cwd / other).write_text("mine\n")
    (here.cwd / link).symlink_to(other)
    (block,) = targets()
    assert block.path == here.cwd / "AGENTS.md"


def test_two_files_that_only_say_the_same_are_two_files(targets, here):
    for name in ("AGENTS.md", "CLAUDE.md"):
        (here.cwd / name).write_text("same\n")
    assert targets()[0].path == here.cwd / "CLAUDE.md"


def test_agents_import_writes_the_block_and_a_shared_import_line(targets, here):
    block, bridge = targets(mode="agents-import")
    assert block.path == here.cwd / "AGENTS.md"
    assert block.shared == ""
    assert (bridge.path, bridge.content) == (here.cwd / "CLAUDE.md", "@AGENTS.md")
    assert bridge.shared == "claude-agents-import"


def test_agents_import_needs_no_line_of_ours_where_the_user_has_one(targets, here):
    (here.cwd / "CLAUDE.md").write_text("@AGENTS.md\n")
    assert len(targets(mode="agents-import")) == 1


def test_our_own_import_line_is_not_taken_for_the_users(targets, here):
    (here.cwd / "CLAUDE.md").write_text("mine\n\n" + BRIDGE)
    block, bridge = targets(mode="agents-import")
    assert block.path == here.cwd / "AGENTS.md"
    assert bridge.shared == "claude-agents-import"


def test_where_another_connector_asked_for_the_import_nothing_is_read_twice(targets, here):
    (here.cwd / "CLAUDE.md").write_text(BRIDGE)
    assert [block.path.name for block in targets(mode="block")] == ["AGENTS.md", "CLAUDE.md"]


def test_the_import_line_below_dot_claude_and_at_user_scope(targets, here):
    (here.cwd / ".claude").mkdir()
    (here.cwd / ".claude" / "CLAUDE.md").write_text("mine\n")
    assert targets(mode="agents-import")[1].content == "@../AGENTS.md"
    assert targets("user", "agents-import")[1].content == "@~/.claude/AGENTS.md"
    moved = here.with_env({"CLAUDE_CONFIG_DIR": "/cfg"})
    assert targets("user", "agents-import", moved)[1].content == "@/cfg/AGENTS.md"


def test_the_users_own_import_at_user_scope(targets, here):
    (here.home / ".claude").mkdir()
    (here.home / ".claude" / "CLAUDE.md").write_text("@~/.claude/AGENTS.md\n")
    assert [block.path for block in targets("user")] == [here.home / ".claude" / "AGENTS.md"]
