"""The status line: what a renderer is handed, what the host reads, and that a fault is told anywhere but there."""

from __future__ import annotations

import json
import subprocess
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from agent_connector import StatuslineContext
from agent_connector.authoring.resolve import resolve
from agent_connector.runtime.statusline import rendered_statusline
from homes import Desk
from pythons import other_pythons

DEFINITION = """
import os, sys, time
from agent_connector import define_connector
{head}

{kind} render(ctx):
{body}

connector = define_connector(id="acme", version="1.0.0", statusline={{"render": render, {more}}})
"""


def sample(host: str) -> bytes:
    package = f"agent_connector.adapters.{host.replace('-', '_')}"
    return (resources.files(package) / "samples" / "StatusLine.json").read_bytes()


@dataclass(frozen=True)
class Line:
    """An installed status line."""

    hooks: Any

    def call(self, host: str = "claude-code", payload: object = None, **more: Any) -> bytes:
        """What the host reads. Whatever happens, it hears of no failure."""
        data = sample(host) if payload is None else payload
        data = data if isinstance(data, bytes) else json.dumps(data).encode()
        launcher = self.hooks.root / "bin" / "agent-connector"
        answer = self.hooks.run([launcher, "statusline", host, "--connector", self.hooks.connector], data, **more)
        assert (answer.returncode, answer.stderr) == (0, b"")
        return answer.stdout

    def says(self, host: str = "claude-code", payload: object = None, **more: Any) -> str:
        return self.call(host, payload, **more).decode().removesuffix("\n")

    @property
    def record_file(self) -> Path:
        return self.hooks.root / "connectors" / "acme" / "statusline.json"

    @property
    def record(self) -> Any:
        return json.loads(self.record_file.read_bytes())

    @property
    def faults(self) -> list[tuple[str, str, str]]:
        return [(line["host"], line["event"], line["fault"]) for line in self.hooks.lines("logs/hooks.ndjson")]


@pytest.fixture
def line(install_hooks) -> Callable[..., Line]:
    """Installs a status line whose renderer has this body."""

    def installing(body: str, *, head: str = "", kind: str = "def", more: str = "") -> Line:
        indented = "\n".join(f"    {text}" for text in body.strip().splitlines())
        return Line(install_hooks(DEFINITION.format(head=head, kind=kind, body=indented, more=more)))

    return installing


@pytest.fixture
def program(install_hooks, project) -> Callable[..., Line]:
    """Installs a status line that is this ``sh`` script."""

    def installing(script: str, **more: Any) -> Line:
        (project / "hud.sh").write_text(script)
        return Line(install_hooks({"statusline": {"command": ["sh", "hud.sh"], **more}}))

    return installing


# --- what a renderer is handed -----------------------------------------------------------------------------------

EVERYTHING = """
return " ".join(map(repr, [ctx.host, ctx.connector, ctx.session_id, ctx.cwd, ctx.project, ctx.model.id,
    ctx.model.display_name, ctx.cost.total_usd, ctx.context.used_tokens, ctx.context.max_tokens, ctx.context.percent,
    os.path.basename(ctx.transcript_path), ctx.raw["version"]]))
"""


def test_a_renderer_is_handed_what_claude_code_says(line):
    assert line(EVERYTHING).says() == (
        "'claude-code' 'acme' 'c7a949d0-9aae-46dd-8b57-4dea6ffe6a2a' '/home/dev/project' '/home/dev/project' "
        "'claude-opus-4-8[1m]' 'Opus 4.8 (1M context)' 0.02313 1503 1000000 0 "
        "'c7a949d0-9aae-46dd-8b57-4dea6ffe6a2a.jsonl' '2.1.197'"
    )


def test_a_renderer_is_handed_what_cursor_says(line):
    assert line(EVERYTHING).says("cursor") == (
        "'cursor' 'acme' '5f3f6c0e-6f0e-4a55-9d3c-0b7b8c6a5d21' '/home/dev/project' '/home/dev/project' "
        "'claude-4-opus' 'Claude 4 Opus' None 69000 200000 34.5 '5f3f6c0e.jsonl' '2026.07.23'"
    )


def test_what_the_host_does_not_say_is_none_and_never_an_error(line):
    hud = line("""
return repr([ctx.session_id, ctx.cwd, ctx.project, ctx.transcript_path, ctx.model.display_name, ctx.model.id,
    ctx.cost.total_usd, ctx.context.used_tokens, ctx.context.max_tokens, ctx.context.percent, bool(ctx.model)])
""")

    assert hud.says(payload={}) == repr([None] * 10 + [False])
    odd = {"model": "opus", "cost": [], "context_window": {"current_usage": 3, "used_percentage": True}, "cwd": 7}
    assert hud.says(payload=odd) == repr([None] * 10 + [False])


def test_fields_are_items_too_and_a_misspelled_one_is_an_error(line):
    hud = line("""
assert "model" in ctx and "modle" not in ctx and set(ctx["model"]) == {"id", "display_name"}
assert ctx.get("session_id", "none") == "none" and ctx.get("nothing", 1) == 1
try:
    ctx["modle"]
except KeyError:
    pass
else:
    raise AssertionError
return ctx["model"]["display_name"] + str(ctx.modle)
""")

    assert hud.says(payload={"model": {"display_name": "Opus"}}) == ""
    assert hud.faults == [("claude-code", "statusline", "raised")]
    assert "StatuslineContext has no field 'modle'" in hud.hooks.printed


def test_the_environment_is_that_of_the_call_and_cannot_be_written(line):
    hud = line("""
try:
    ctx.env["X"] = "1"
except TypeError:
    return ctx.env["NAME"] + str(ctx.env.get("X"))
""")

    assert hud.says(env={"NAME": "Zoë"}) == "ZoëNone"


def test_the_data_folder_is_there_when_asked_for_and_private(line):
    hud = line("return 'no' if ctx.raw.get('first') else ctx.data_dir")
    folder = hud.hooks.root / "connectors" / "acme" / "data"

    assert hud.says(payload={"first": True}) == "no"
    assert not folder.exists()
    assert hud.says() == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert hud.says() == str(folder)


def test_a_renderer_may_be_async(line):
    hud = line("import asyncio\nawait asyncio.sleep(0.01)\nreturn 'waited'", kind="async def")

    assert hud.says() == "waited"


def test_a_renderer_may_stand_elsewhere(install_hooks, project):
    (project / "hud.py").write_text(
        "class Hud:\n    @staticmethod\n    def render(ctx):\n        return 'by reference'\n"
    )

    assert Line(install_hooks({"statusline": {"render": "./hud.py:Hud.render"}})).says() == "by reference"


def test_a_host_may_have_a_renderer_and_options_of_its_own(line):
    more = """"options": {"max_lines": 2},
        "hosts": {"cursor": {"render": lambda ctx: "for\\n" + ctx.host, "options": {"max_lines": 1}}}"""
    hud = line("return 'one\\ntwo\\nthree'", more=more)

    assert hud.says() == "one\ntwo"
    assert hud.says("cursor") == "for"


def test_in_a_definition_hosts_may_be_called_platforms(line):
    assert line("return 'all'", more='"platforms": {"cursor": {"render": lambda ctx: "own"}}').says("cursor") == "own"


def test_a_program_is_handed_the_context_and_prints_the_line(program, project):
    seen = project.parent / "seen"
    hud = program(f"cat > '{str(seen).replace(chr(39), chr(39) + chr(92) + chr(39) + chr(39))}'; echo from a program")

    assert hud.says() == "from a program"
    payload = json.loads(sample("claude-code"))
    assert json.loads(seen.read_bytes()) == {
        "host": "claude-code",
        "connector": "acme",
        "session_id": payload["session_id"],
        "cwd": "/home/dev/project",
        "project": "/home/dev/project",
        "data_dir": str(hud.hooks.root / "connectors" / "acme" / "data"),
        "model": {"id": "claude-opus-4-8[1m]", "display_name": "Opus 4.8 (1M context)"},
        "cost": {"total_usd": 0.02313},
        "context": {"used_tokens": 1503, "max_tokens": 1000000, "percent": 0},
        "transcript_path": payload["transcript_path"],
        "raw": payload,
    }
    assert Path(json.loads(seen.read_bytes())["data_dir"]).is_dir()


# --- what the host reads -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "stdout"),
    [
        ("'line'", b"line\n"),
        ("'\\x1b[32mgreen\\x1b[0m\\r\\nsecond\\n\\n'", b"\x1b[32mgreen\x1b[0m\nsecond\n"),
        ("'naïve ✓ \\ud800'", "naïve ✓ ?\n".encode()),
        ("''", b""),
        ("None", b""),
    ],
)
def test_the_text_is_written_as_whole_lines(line, answer, stdout):
    hud = line(f"return {answer}")

    assert hud.call() == stdout
    assert hud.faults == []


def test_more_lines_than_wanted_are_cut(program):
    assert program("printf 'a\\nb\\nc\\n'", options={"max_lines": 2}).call() == b"a\nb\n"


def test_what_a_renderer_prints_goes_to_its_log_alone(line):
    hud = line(
        "print('from print'); os.write(1, b'raw'); os.system('echo child; echo err >&2'); return 'clean'",
        head="print('while it is loaded')",
    )

    assert hud.call() == b"clean\n"
    for text in ("from print", "raw", "child", "err", "while it is loaded"):
        assert text in hud.hooks.printed


# --- faults ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("raise ValueError('secret')", "raised"),
        ("raise KeyboardInterrupt", "raised"),
        ("sys.exit(3)", "exit"),
        ("return 7", "bad-answer"),
        ("return b'bytes'", "bad-answer"),
    ],
)
def test_a_renderer_that_fails_shows_nothing_and_is_logged(line, body, fault):
    hud = line(body)

    assert hud.call() == b""
    assert hud.faults == [("claude-code", "statusline", fault)]
    assert "secret" not in json.dumps(hud.hooks.lines("logs/hooks.ndjson"))


@pytest.mark.parametrize(
    ("payload", "fault"),
    [(b"", "no-payload"), (b"not json", "bad-payload"), (b"[]", "bad-payload"), (b"\xff", "bad-payload")],
)
def test_a_payload_that_is_none_runs_nothing(line, payload, fault):
    hud = line("open(os.path.join(os.path.dirname(__file__), 'ran'), 'w'); return 'ran'")

    assert hud.call(payload=payload) == b""
    assert hud.faults == [("claude-code", "statusline", fault)]
    assert not (hud.hooks.project / "ran").exists()


@pytest.mark.parametrize(
    "body", ["time.sleep(60)", "while True:\n    try: time.sleep(60)\n    except BaseException: pass"]
)
def test_a_renderer_that_never_returns_is_given_up(line, body):
    hud = line(body)
    record = hud.record
    record["hosts"]["claude-code"]["entry"]["timeout_ms"] = 300
    hud.record_file.write_text(json.dumps(record))

    started = time.monotonic()
    assert hud.call() == b""

    assert time.monotonic() - started < 10
    assert hud.faults == [("claude-code", "statusline", "timeout")]


def test_the_limit_is_five_seconds(line):
    assert line("return ''").record["hosts"]["claude-code"]["entry"]["timeout_ms"] == 5000


def test_a_module_that_is_broken_or_gone_shows_nothing(line):
    hud = line("return 'fine'")
    definition = hud.hooks.project / "agent-connector.config.py"

    definition.write_text("this is no Python")
    assert hud.call() == b""
    definition.unlink()
    assert hud.call() == b""

    assert {fault for _, _, fault in hud.faults} == {"unavailable"}
    assert not (hud.hooks.root / "connectors" / "acme" / "unloadable").exists(), "no session is told of it"


def test_the_new_code_of_a_changed_file_runs_and_is_told_once(line):
    hud = line("return 'old'")
    definition = hud.hooks.project / "agent-connector.config.py"
    definition.write_text(definition.read_text().replace("'old'", "'newer'"))

    assert [hud.says(), hud.says()] == ["newer", "newer"]
    assert hud.faults == [("claude-code", "statusline", "changed")]


@pytest.mark.parametrize(("script", "fault"), [("echo half; exit 3", "bad-answer"), ("kill -9 $$", "bad-answer")])
def test_a_program_that_fails_shows_nothing(program, script, fault):
    hud = program(script)

    assert hud.call() == b""
    assert hud.faults == [("claude-code", "statusline", fault)]


def test_a_program_that_is_not_there_shows_nothing(install_hooks):
    hud = Line(install_hooks({"statusline": {"command": ["no-such-program-anywhere"]}}))

    assert hud.call() == b""
    assert hud.faults == [("claude-code", "statusline", "unavailable")]


def test_the_same_fault_is_not_told_on_every_refresh(line):
    hud = line("raise ValueError if ctx.raw.get('other') is None else TypeError")

    for _ in range(3):
        assert hud.call() == b""
    assert len(hud.faults) == 1

    assert hud.call(payload={"other": 1}) == b""
    assert len(hud.faults) == 2


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (b"{", "bad-record"),
        (b"[]", "bad-record"),
        (b'{"version": 2, "hosts": {}}', "bad-record"),
        (b"{}", "internal"),
        (b'{"hosts": {"claude-code": {}}}', "internal"),
    ],
)
def test_a_record_that_is_damaged_or_newer_shows_nothing_and_is_told(line, damage, fault):
    hud = line("return 'fine'")
    hud.record_file.write_bytes(damage)

    assert hud.call() == b""
    assert hud.faults == [("claude-code", "statusline", fault)]


def test_a_record_that_is_gone_is_told(line):
    hud = line("return 'fine'")
    hud.record_file.unlink()

    assert hud.call() == b""
    assert hud.faults == [("claude-code", "statusline", "no-record")]


@pytest.mark.parametrize("words", [[], ["claude-code"], ["--connector"], ["../x", "--connector", "../../etc"]])
def test_a_status_line_takes_whatever_words_it_gets(run, launcher, words):
    answer = run([launcher, "statusline", *words], b"{}")

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"", b"")


def test_one_that_is_ended_from_outside_takes_its_program_along(program, project):
    """Even at once: a host that draws anew ends the one before."""
    hud = program("echo $$ > pid; kill $PPID; exec sleep 60")
    launcher = hud.hooks.root / "bin" / "agent-connector"
    command = [launcher, "statusline", "claude-code", "--connector", "acme"]

    drawn = subprocess.run(command, input=b"{}", stdout=subprocess.PIPE, cwd=project, timeout=20, check=False)

    assert drawn.stdout == b""
    pid = (project / "pid").read_text().strip()
    assert subprocess.run(["ps", "-p", pid], capture_output=True, check=False).returncode == 1


# --- another Python ----------------------------------------------------------------------------------------------


def in_python(hud: Line, interpreter: Path) -> None:
    record = hud.record
    version = interpreter.name.removeprefix("python")
    record["python"] |= {"executable": str(interpreter), "base": str(interpreter), "version": version, "tag": "other"}
    hud.record_file.write_text(json.dumps(record))


@pytest.mark.parametrize("interpreter", other_pythons(), ids=lambda path: path.name)
def test_a_renderer_of_another_python_runs_in_that_one(line, interpreter):
    hud = line("print('noise'); return f'{sys.version_info[1]} {ctx.model.id} {ctx.env[\"NAME\"]} {ctx.data_dir}'")
    in_python(hud, interpreter)

    minor = interpreter.name.removeprefix("python3.")
    folder = hud.hooks.root / "connectors" / "acme" / "data"
    assert hud.says(env={"NAME": "x"}) == f"{minor} claude-opus-4-8[1m] x {folder}"
    assert "noise" in hud.hooks.printed


@pytest.mark.parametrize("interpreter", other_pythons()[:1], ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("body", "fault"), [("raise ValueError", "raised"), ("return 7", "bad-answer"), ("os._exit(0)", "exit")]
)
def test_one_of_another_python_that_fails_shows_nothing(line, interpreter, body, fault):
    hud = line(body)
    in_python(hud, interpreter)

    assert hud.call() == b""
    assert hud.faults == [("claude-code", "statusline", fault)]


# --- the record --------------------------------------------------------------------------------------------------


def test_only_hosts_with_a_status_line_of_this_connector_are_recorded(install_hooks):
    hud = Line(install_hooks({"statusline": {"command": ["true"]}, "platforms": {"cursor": {"statusline": False}}}))

    assert "claude-code" in hud.record["hosts"]
    assert not {"cursor", "codex"} & set(hud.record["hosts"])


def test_the_record_goes_when_the_definition_drops_it_and_stays_otherwise(line, install_hooks):
    hud = line("return 'here'")
    before = hud.record

    install_hooks((hud.hooks.project / "agent-connector.config.py").read_text())
    assert hud.record == before

    (hud.hooks.project / "agent-connector.config.py").unlink()
    install_hooks({"memory": [{"content": "x"}]})
    assert hud.record["hosts"] == {}
    assert hud.call() == b""
    assert hud.faults == []


def test_what_still_calls_after_uninstall_is_answered_with_nothing(line, desk: Desk):
    hud = line("return 'here'")

    desk.uninstall("acme")

    assert hud.call() == b""
    assert hud.faults == []


def test_a_renderer_that_will_not_run_is_told_at_install(install_hooks):
    report = install_hooks({"statusline": {"render": "./gone.py:render"}}).report

    (told,) = [change for change in report.changes if change.surface == "statusline" and change.action == "warn"]
    assert "the handler ./gone.py:render of the status line will not run" in told.detail


# --- the page ----------------------------------------------------------------------------------------------------


def test_the_examples_of_the_page_are_definitions() -> None:
    page = (Path(__file__).parents[2] / "docs" / "statusline-and-actions.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(page.partition("```python\n")[2].partition("```")[0], names)
    declared = tomllib.loads(page.partition("```toml\n")[2].partition("```")[0])
    context = StatuslineContext({"model": {"display_name": "Opus"}, "context": {"percent": 12.6}}, "")

    python = names["connector"].resolve()
    toml = resolve({"id": "acme-db", **declared})

    assert names["render"](context) == "Opus  13%"
    assert python.statusline.options.max_lines == 1
    assert python.actions[0].hosts["cursor"].command == ("./vacuum.sh", "--quiet")
    assert toml.statusline.hosts["cursor"].options.max_lines == 2
    assert toml.actions[0].run.reference == "acme.actions:vacuum"


# --- in process --------------------------------------------------------------------------------------------------


def test_a_payload_is_rendered_in_process_with_its_faults_and_nothing_is_logged(program):
    hud = program("grep -q fail && exit 1; echo fine")

    def rendered(payload: bytes, host: str = "claude-code", **more: Any) -> Any:
        return rendered_statusline(host, "acme", str(hud.hooks.root), payload, **more)

    assert rendered(b"{}") == ("fine", [])
    assert rendered(b'{"say": "fail"}') == ("", [("bad-answer", "0: ended with 1")])
    assert rendered(b"") == ("", [("no-payload", "")])
    assert rendered(b"{}", "codex") == ("", [])
    other = {**hud.record, "hosts": {"codex": hud.record["hosts"]["claude-code"]}}
    assert rendered(b"{}", "codex", record=other) == ("fine", [])
    assert hud.faults == []
