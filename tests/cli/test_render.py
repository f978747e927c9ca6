"""Reports as people read them."""

from __future__ import annotations

from collections.abc import Iterator

from agent_connector.changes.model import Change
from agent_connector.mcp_server.cli.render import changes, detect, doctor, status
from agent_connector.mcp_server.cli.terminal import Look
from agent_connector.operations.reports import (
    ChangeReport,
    Check,
    DetectedHost,
    DetectReport,
    DoctorReport,
    FileDiff,
    HookState,
    HostRoot,
    HostStatus,
    StatusReport,
    SurfaceState,
)

PLAIN = Look(home="/home/ada")
NAMES = {"claude-code": "Claude Code", "codex": "Codex"}


def text(lines: Iterator[str]) -> str:
    return "\n".join(lines)


PLAN = ChangeReport(
    operation="install",
    connector="acme-db",
    outcome="planned",
    plan_id="p1",
    changes=(
        Change("", "runtime", "create", "launcher", path="/home/ada/.agent-connector/bin/agent-connector"),
        Change("claude-code", "server", "create", "mcpServers.acme-db", path="/home/ada/.claude.json"),
        Change("claude-code", "memory", "skip", "CLAUDE.md has it"),
        Change("codex", "server", "update", "mcp_servers.acme-db", path="/home/ada/.codex/config.toml"),
        Change("codex", "hooks", "remove", "hooks.Stop", path="/home/ada/.codex/hooks.json"),
        Change("codex", "hooks", "warn", "does not parse", fix="line 3: add a comma\nthen again", blocking=True),
        Change("codex", "statusline", "info", "Codex has no status line"),
    ),
    diffs=(
        FileDiff(
            "/home/ada/.codex/config.toml",
            "--- a/config.toml\n+++ b/config.toml\n@@ -1,2 +1,3 @@\n # mine\r\n-old = 1\n+new\x1b = 2\n",
        ),
        FileDiff("/home/ada/.claude/skills/q/SKILL.md", "@@ -0,0 +1 @@\n+body\n", created=True),
    ),
    commands=("/home/ada/.agent-connector/bin/agent-connector serve --connector acme-db -- npx -y acme",),
    next_steps=("Start Codex again",),
)


def test_changes_are_one_line_each_by_host_with_fixes_and_a_tally() -> None:
    assert text(changes.lines(PLAN, PLAIN, NAMES)) == (
        "install acme-db\n"
        "\n"
        "agent-connector\n"
        "  + runtime     launcher  ~/.agent-connector/bin/agent-connector\n"
        "\n"
        "Claude Code (claude-code)\n"
        "  + server      mcpServers.acme-db  ~/.claude.json\n"
        "  = memory      CLAUDE.md has it\n"
        "\n"
        "Codex (codex)\n"
        "  ~ server      mcp_servers.acme-db  ~/.codex/config.toml\n"
        "  - hooks       hooks.Stop  ~/.codex/hooks.json\n"
        "  ! hooks       does not parse\n"
        "                fix: line 3: add a comma\n"
        "                     then again\n"
        "  i statusline  Codex has no status line\n"
        "\n"
        "Next steps:\n"
        "  Start Codex again\n"
        "\n"
        "This is a plan; nothing was written. (2 to create, 1 to update, 1 to remove, 1 unchanged, 1 warning)"
    )


def test_a_plan_to_judge_also_shows_diffs_and_commands() -> None:
    shown = text(changes.lines(PLAN, PLAIN, NAMES, plan=True))
    assert (
        "\n~/.codex/config.toml\n"
        "  @@ -1,2 +1,3 @@\n"
        "   # mine\n"
        "  -old = 1\n"
        "  +new\\x1b = 2\n"
        "\n~/.claude/skills/q/SKILL.md (new file)\n"
        "  @@ -0,0 +1 @@\n"
        "  +body\n"
        "\nCommands that hosts will run:\n"
        "  /home/ada/.agent-connector/bin/agent-connector serve --connector acme-db -- npx -y acme\n"
    ) in shown


def test_a_removed_line_that_looks_like_a_file_name_is_shown() -> None:
    assert list(changes.diff_lines("--- a/x.sql\n+++ b/x.sql\n@@ -1 +1 @@\n--- old\n+++ new\n", PLAIN)) == [
        "  @@ -1 +1 @@",
        "  --- old",
        "  +++ new",
    ]


def test_of_a_file_that_goes_the_name_is_enough() -> None:
    gone = FileDiff("/home/ada/.claude/skills/q/SKILL.md", "@@ -1 +0,0 @@\n-body\n", deleted=True)
    shown = text(
        changes.lines(ChangeReport("uninstall", "a", "planned", "", (), diffs=(gone,)), PLAIN, {}, plan=True)
    )
    assert "~/.claude/skills/q/SKILL.md (deleted)\n" in shown
    assert "body" not in shown


def test_of_a_long_new_file_only_the_beginning_is_shown() -> None:
    body = "@@ -0,0 +1,40 @@\n" + "".join(f"+line {number}\n" for number in range(40))
    whole = ChangeReport("install", "a", "planned", "", (), diffs=(FileDiff("/x", body),))
    created = ChangeReport("install", "a", "planned", "", (), diffs=(FileDiff("/x", body, created=True),))
    assert "+line 39" in text(changes.lines(whole, PLAIN, {}, plan=True))
    shown = text(changes.lines(created, PLAIN, {}, plan=True))
    assert "+line 10\n  ... 29 more lines (--json has them)\n" in shown
    assert "+line 11" not in shown


def test_changes_of_one_host_stand_together_and_what_is_written_comes_first() -> None:
    mixed = (
        Change("codex", "skills", "info", "told"),
        Change("codex", "server", "skip", "there already"),
        Change("cursor", "server", "create", "a"),
        Change("codex", "hooks", "create", "b"),
    )
    shown = text(changes.lines(ChangeReport("install", "a", "done", "", mixed), PLAIN, {}))
    assert shown.index("+ hooks") < shown.index("= server") < shown.index("i skills") < shown.index("cursor")


def test_a_path_that_the_detail_names_already_is_not_repeated() -> None:
    change = Change("codex", "memory", "create", "block in ~/.codex/AGENTS.md", path="/home/ada/.codex/AGENTS.md")
    shown = text(changes.lines(ChangeReport("install", "a", "done", "", (change,)), PLAIN, NAMES))
    assert shown.count("AGENTS.md") == 1


def test_colour_adds_nothing_but_colour() -> None:
    import re

    coloured = text(changes.lines(PLAN, Look(colour=True, home="/home/ada"), NAMES, plan=True))
    assert "\x1b[32m+\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == text(changes.lines(PLAN, PLAIN, NAMES, plan=True))


def test_every_outcome_is_said() -> None:
    report = {
        outcome: ChangeReport("install", "a", outcome, "", ())
        for outcome in ("unchanged", "planned", "done", "partial", "failed")
    }
    done = {changes.tally(one, PLAIN) for one in report.values()}
    assert len(done) == 5
    assert "Nothing to do." in done
    for outcome in ("planned", "partial", "failed"):
        assert "nothing was written" in changes.tally(report[outcome], PLAIN, plan=True)


CLAUDE = DetectedHost(
    "claude-code",
    "Claude Code",
    True,
    "high",
    "/home/ada/.claude exists",
    "json-stdio",
    "/home/ada/.claude.json",
    version="2.1.197",
    scopes=("user", "project"),
    surfaces=("server", "hooks", "memory"),
    hook_events=("PreToolUse", "Stop"),
    roots=(HostRoot("/srv/claude", "CLAUDE_CONFIG_DIR is set"), HostRoot("/home/ada/.claude.json", "usual place")),
)
CODEX = DetectedHost("codex", "Codex", False, "none", "no codex", "json-stdio", "/home/ada/.codex/config.toml")


def test_detected_hosts_are_a_table_with_what_they_can_do() -> None:
    assert text(detect.lines(DetectReport((CLAUDE, CODEX), "claude-code", "CLAUDECODE is set"), PLAIN)) == (
        "HOST         ID           VERSION  SURE  HOOKS       CONFIG\n"
        "Claude Code  claude-code  2.1.197  high  json-stdio  ~/.claude.json\n"
        "  ~/.claude exists\n"
        "  2 hook events, server, memory; scopes user, project\n"
        "  also at ~/.claude.json (usual place)\n"
        "\n"
        "Not found: Codex (codex)\n"
        "\n"
        "Running inside claude-code (CLAUDECODE is set)."
    )


def test_no_host_at_all_is_said() -> None:
    assert text(detect.lines(DetectReport((CODEX,)), PLAIN)).startswith("No AI coding agent found")


def test_status_is_one_line_per_host() -> None:
    states = (
        SurfaceState("acme-db", "server", "present", "/a", "user"),
        SurfaceState("acme-db", "hooks", "present", "/b", "user"),
        SurfaceState("acme-db", "hooks", "present", "/b", "user"),
        SurfaceState("acme-db", "memory", "vanished", "/c", "project", "/p", "block acme-db/memory"),
        SurfaceState("notes", "server", "changed", "/a", "user"),
    )
    report = StatusReport(
        (
            HostStatus("claude-code", "Claude Code", True, states),
            HostStatus("codex", "Codex", True, ()),
            HostStatus("cursor", "Cursor", False, states[:1]),
        ),
        launcher="/home/ada/.agent-connector/bin/agent-connector",
        runtime_version="0.1.0",
        problems=("acme-db: its handler cannot be loaded",),
    )
    assert text(status.lines(report, PLAIN)) == (
        "Claude Code  claude-code  acme-db: server, hooks x2, memory VANISHED (project); notes: server CHANGED\n"
        "Codex        codex        nothing of ours\n"
        "Cursor       cursor       acme-db: server  (host not found)\n"
        "\n"
        "Launcher: ~/.agent-connector/bin/agent-connector (runtime 0.1.0)\n"
        "\n"
        "! acme-db: its handler cannot be loaded\n"
        "! Claude Code: memory of acme-db has vanished from /c (block acme-db/memory)\n"
        "! Claude Code: server of notes was changed by somebody in /a"
    )


def test_doctor_says_pass_warn_or_fail_and_the_fix() -> None:
    report = DoctorReport(
        (
            Check("agent-connector", "launcher", "fail", "is gone", fix="agent-connector upgrade", healable=True),
            Check("codex", "server", "pass", "/home/ada/.codex/config.toml", fix="never shown"),
            Check("cursor", "server", "pass", "~/.cursor/mcp.json"),
            Check("codex", "hooks", "warn", "never fired", fix="trust them:\n/hooks"),
        ),
        healed=("launcher",),
        deferred=("memory: edited by you",),
    )
    assert text(doctor.lines(report, PLAIN)) == (
        "agent-connector:\n"
        "  [FAIL] launcher: is gone\n"
        "         fix: agent-connector upgrade\n"
        "\n"
        "codex:\n"
        "  [pass] server: ~/.codex/config.toml\n"
        "  [warn] hooks: never fired\n"
        "         fix: trust them:\n"
        "              /hooks\n"
        "\n"
        "cursor:\n"
        "  [pass] server: ~/.cursor/mcp.json\n"
        "\n"
        "Healing:\n"
        "  launcher\n"
        "\n"
        "Left alone (yours to decide):\n"
        "  memory: edited by you\n"
        "\n"
        "2 passed, 1 warning, 1 failed. `doctor --heal` can repair some of this."
    )


def test_status_says_how_hooks_stand() -> None:
    hooks = (
        HookState("acme-db", ("PreToolUse", "Stop"), "PreToolUse", "2026-11-30T16:29:03+00:00", 1, ("Stop",)),
        HookState("notes", ("Stop",)),
    )
    report = StatusReport((HostStatus("codex", "Codex", True, (), hooks),), launcher="", runtime_version="")
    assert text(status.lines(report, PLAIN)) == (
        "Codex  codex  nothing of ours\n"
        "\n"
        "Hooks:\n"
        "  Codex  acme-db  2 events, last PreToolUse at 2026-11-30 16:29 UTC, 1 fault, BROKEN: Stop\n"
        "  Codex  notes    1 event, none seen to fire yet"
    )
