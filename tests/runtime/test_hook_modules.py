"""What a hook process loads: each module is paid for on every tool call."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from agent_connector.runtime.launcher import read_stamp
from loaded_modules import UNCOUNTED, bundles_of, loaded_by
from pythons import other_pythons

HOOK = {
    "__future__",
    "agent_connector",
    "agent_connector.adapters",
    "agent_connector.adapters.claude_code",
    "agent_connector.adapters.claude_code.hooks",
    "agent_connector.adapters.families",
    "agent_connector.adapters.families.hook_payloads",
    "agent_connector.adapters.families.hook_wishes",
    "agent_connector.adapters.families.nested_hook_replies",
    "agent_connector.runtime",
    "agent_connector.runtime.appending",
    "agent_connector.runtime.caller",
    "agent_connector.runtime.dispatch",
    "agent_connector.runtime.hook",
    "agent_connector.runtime.jsontext",
    "agent_connector.runtime.matching",
    "agent_connector.runtime.neutral",
    "agent_connector.runtime.own_files",
    "agent_connector.runtime.process",
    "agent_connector.runtime.reply",
    "agent_connector.runtime.spool",
    "gc",
}
PYTHON = HOOK | {
    "_agent_connector_handler",
    "agent_connector.runtime.hook_log",
    "agent_connector.authoring",
    "agent_connector.authoring.api",
    "agent_connector.authoring.raw",
    "agent_connector.authoring.shapes",
    "agent_connector.response",
    "agent_connector.runtime.answers",
    "agent_connector.runtime.author",
    "agent_connector.runtime.event",
    "agent_connector.runtime.handlers",
    "agent_connector.runtime.limits",
    "agent_connector.runtime.user_code",
}
DEFINITION = """
from agent_connector import Response, define_connector, hook

@hook("PreToolUse", matcher="acme_drop")
def guard(event):
    return Response.deny("never")

connector = define_connector(id="acme", version="1.0.0", hooks=[
    guard, hook("PreToolUse", matcher="^mcp__acme__acme_(write|edit)$", response=Response.ask("sure?"))])
"""


@pytest.fixture
def script(install_hooks, request):
    """The hooks installed, the interpreter, and the entry script; without the pack where the parameter says so."""
    hooks = install_hooks(DEFINITION)
    stamp = read_stamp(hooks.root / "bin" / "agent-connector")
    assert stamp is not None
    entry = hooks.root / "runtime" / stamp.runtime / "entry" / "hook.py"
    if request.param:
        yield hooks, stamp.interpreter, entry
        return
    bare = entry.with_name("bare.py")
    bare.write_text(entry.read_text().replace("entry/pack", "entry/none"))
    yield hooks, stamp.interpreter, bare
    bare.unlink()


@pytest.mark.parametrize("script", [True, False], ids=["packed", "bare"], indirect=True)
@pytest.mark.parametrize(("tool", "expected"), [("acme_read", HOOK), ("acme_write", HOOK), ("acme_drop", PYTHON)])
def test_a_dispatch_loads_this_and_no_more(script, run, tmp_path, tool, expected):
    hooks, interpreter, entry = script
    payload = json.dumps(hooks.tool_call(f"mcp__acme__{tool}")).encode()
    words = [entry, "hook", "claude-code", "PreToolUse", "--connector", "acme"]

    loaded, answer = loaded_by(run, interpreter, words, payload, tmp_path)

    assert bool(answer.stdout) is (tool != "acme_read")
    assert loaded == expected - UNCOUNTED


def test_everything_a_hook_loads_stands_in_the_pack(built_runtime):
    stamp = read_stamp(built_runtime / "bin" / "agent-connector")
    assert stamp is not None
    bundles = bundles_of(built_runtime / "runtime" / stamp.runtime / "entry" / "pack")

    assert set(bundles) >= {name for name in PYTHON if name.startswith("agent_connector")}
    assert set(bundles["agent_connector.runtime.hook"]) == {
        name for name in HOOK - UNCOUNTED if ".adapters" not in name
    }
    for host, other in (("claude_code", "cursor"), ("codex", "claude_code"), ("cursor", "codex")):
        bundle = bundles[f"agent_connector.adapters.{host}.hooks"]
        assert bundle[-1] == f"agent_connector.adapters.{host}.hooks"
        assert not {name for name in bundle if f".adapters.{other}" in name or name in bundles["agent_connector"]}
    heavy = {"pydantic", "re", "json", "typing", "pathlib", "dataclasses", "agent_connector.host"}
    assert not heavy & {name for bundle in bundles.values() for name in bundle}


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.999])
def test_a_pack_that_is_cut_off_is_done_without(install_hooks, kept):
    hooks = install_hooks(DEFINITION)
    stamp = read_stamp(hooks.root / "bin" / "agent-connector")
    assert stamp is not None
    pack = hooks.root / "runtime" / stamp.runtime / "entry" / "pack"
    data = pack.read_bytes()
    pack.write_bytes(data[: int(len(data) * kept)])
    try:
        for host, tool in (("claude-code", "mcp__acme__acme_drop"), ("cursor", "MCP:acme_drop")):
            assert "never" in json.dumps(hooks.said(host, "PreToolUse", hooks.tool_call(tool)))
    finally:
        pack.write_bytes(data)  # the runtime is that of other tests too


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_a_hook_of_an_unknown_connector_loads_no_handlers(run, launcher, tmp_path):
    stamp = read_stamp(launcher)
    assert stamp is not None
    entry = launcher.parent.parent / "runtime" / stamp.runtime / "entry" / "hook.py"

    words = [entry, "hook", "claude-code", "Stop", "--connector", "x"]
    loaded, _ = loaded_by(run, stamp.interpreter, words, b"{}", tmp_path)

    assert loaded <= HOOK


MAKE = """
import sys
sys.path.insert(0, sys.argv[1] + "/site")
from pathlib import Path
from agent_connector.runtime.pack import FILE, make_pack
Path(sys.argv[1], FILE).write_bytes(make_pack(Path(sys.argv[1], "site")))
"""


@pytest.mark.parametrize("interpreter", other_pythons(), ids=lambda path: path.name)
def test_a_pack_does_in_every_python_what_it_does_in_this_one(install_hooks, run, tmp_path, interpreter):
    hooks = install_hooks(DEFINITION)
    stamp = read_stamp(hooks.root / "bin" / "agent-connector")
    assert stamp is not None
    made = hooks.root / "runtime" / stamp.runtime
    root = tmp_path / "root"
    runtime = root / "runtime" / "other"
    ours = shutil.ignore_patterns("__pycache__")
    shutil.copytree(made / "site" / "agent_connector", runtime / "site" / "agent_connector", ignore=ours)
    shutil.copytree(made / "entry", runtime / "entry")
    shutil.copytree(hooks.root / "connectors", root / "connectors")
    python = [interpreter, "-I", "-S", "-B"]
    words = [runtime / "entry" / "hook.py", "hook", "claude-code", "PreToolUse", "--connector", "acme"]
    payload = json.dumps(hooks.tool_call("mcp__acme__acme_write")).encode()

    with_another_ones_pack = run([*python, *words], payload)
    assert run([*python, "-c", MAKE, runtime]).returncode == 0
    loaded, with_its_own = loaded_by(run, interpreter, words, payload, tmp_path)

    assert with_another_ones_pack.stdout == with_its_own.stdout
    assert b"sure?" in with_its_own.stdout
    library = {"json", "re", "enum", "typing", "os", "importlib"}
    assert not library & loaded
