"""The hook, statusline and action processes: what hosts read, and what starting them may load."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest
from agent_connector.runtime.launcher import read_stamp


@pytest.mark.parametrize(
    ("host", "event", "stdout"),
    [
        ("claude-code", "PreToolUse", b""),
        ("codex", "PermissionRequest", b""),
        ("cursor", "PreToolUse", b"{}"),
        ("cursor", "Stop", b"{}"),
        ("nobody-knows-it", "PreToolUse", b""),
        ("../../evil", "PreToolUse", b""),
    ],
)
@pytest.mark.parametrize("payload", [b'{"tool_name": "x"}', b"", b"not json", b"\xff\xfe\x00", b"x" * 3_000_000])
def test_a_hook_says_no_opinion_in_the_hosts_own_way(run, launcher, host, event, stdout, payload):
    answer = run([launcher, "hook", host, event, "--connector", "acme"], payload)

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, stdout, b"")


@pytest.mark.parametrize("words", [[], ["cursor"], ["--connector"], ["cursor", "PreToolUse", "--new-flag", "x"]])
def test_a_hook_takes_whatever_words_it_gets(run, launcher, words):
    answer = run([launcher, "hook", *words], b"{}")

    assert (answer.returncode, answer.stderr) == (0, b"")
    assert answer.stdout == (b"{}" if words[:1] == ["cursor"] else b"")


def test_a_hook_that_is_interrupted_says_no_opinion(launcher):
    hook = subprocess.Popen(
        [launcher, "hook", "cursor", "Stop", "--connector", "x"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(0.5)
    hook.send_signal(2)
    stdout, stderr = hook.communicate(timeout=10)

    assert (hook.returncode, stdout, stderr) == (0, b"{}", b"")


def test_a_hook_whose_host_went_away_ends_quietly(launcher):
    reader, writer = os.pipe()
    os.close(reader)

    hook = subprocess.run(
        [launcher, "hook", "cursor", "Stop"], input=b"{}", stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)

    assert (hook.returncode, hook.stderr) == (0, b"")


def test_a_host_that_never_ends_the_input_does_not_hang_us(installation):
    code = (
        "from agent_connector.runtime import process\n"
        "process.READ_SECONDS = 1\n"
        "process.write(1, repr(process.read_input()))\n"
        "process.leave(0)\n"
    )
    child = subprocess.Popen(
        [installation.python, "-I", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdin is not None
    child.stdin.write(b"part")
    child.stdin.flush()

    assert child.wait(timeout=20) == 0
    assert child.stdout is not None
    assert child.stdout.read() == b"b'part'"
    child.stdin.close()
    child.stdout.close()
    assert child.stderr is not None
    child.stderr.close()


@pytest.fixture
def root(awkward_root, tmp_path, copy_root):
    """A data root of the test's own."""
    return copy_root(awkward_root, tmp_path / "root")


@pytest.mark.parametrize("spoil", [lambda pack: pack.unlink(), lambda pack: pack.write_bytes(b"another Python's")])
def test_a_damaged_runtime_says_no_opinion(run, root, spoil):
    """The adapter's own module is gone, or all of the package: the reply as it was when the runtime was made."""
    runtime = next((root / "runtime").iterdir())
    site = runtime / "site" / "agent_connector"
    spoil(runtime / "entry" / "pack")
    hook = [root / "bin" / "agent-connector", "hook", "cursor", "PreToolUse", "--connector", "x"]

    module = site / "adapters" / "cursor" / "hooks.py"
    module.unlink()
    module.write_text("raise RuntimeError")
    shutil.rmtree(site / "adapters" / "cursor" / "__pycache__")
    assert (run(hook, b"{}").stdout, run(hook, b"{}").stderr) == (b"{}", b"")

    shutil.rmtree(site)
    answer = run(hook, b"{}")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"{}", b"")


def test_a_statusline_of_an_unknown_connector_is_empty(run, launcher):
    answer = run([launcher, "statusline", "claude-code", "--connector", "x"], b'{"model": {}}')

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"", b"")


def test_a_damaged_runtime_shows_no_status_line(run, root):
    runtime = next((root / "runtime").iterdir())
    (runtime / "entry" / "pack").unlink()
    shutil.rmtree(runtime / "site" / "agent_connector")

    answer = run([root / "bin" / "agent-connector", "statusline", "claude-code", "--connector", "x"], b"{}")

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["codex", "deploy", "--connector", "acme"], 1, b"no connector 'acme'"),
        (["codex", "deploy", "--connector=acme"], 1, b"no connector 'acme'"),
        (["codex", "deploy", "--connector", "../x"], 1, b"not a connector id"),
        (["codex", "deploy"], 2, b"usage"),
        ([], 2, b"usage"),
    ],
)
def test_an_action_fails_loudly(run, launcher, words, code, text):
    answer = run([launcher, "action", *words])

    assert (answer.returncode, answer.stdout) == (code, b"")
    assert text in answer.stderr


def test_an_action_of_an_installed_connector_is_named(run, root):
    record = root / "connectors" / "acme" / "connector.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}")

    answer = run([root / "bin" / "agent-connector", "action", "codex", "deploy", "--connector", "acme"])

    assert answer.returncode == 1
    assert b"no such action: 'deploy' of connector 'acme'" in answer.stderr


# --- what may be loaded ----------------------------------------------------------------------------------------

LIGHT = {"__future__", "agent_connector", "agent_connector.runtime", "agent_connector.runtime.process"}
OS = {"os", "stat", "_stat", "posixpath", "genericpath", "_collections_abc"}
EXPECTED = {
    "serve --connector x": LIGHT | OS | {"agent_connector.runtime.serve"},
}


@pytest.mark.parametrize("words", EXPECTED)
def test_a_process_that_hosts_start_loads_this_and_no_more(run, awkward_root, words):
    stamp = read_stamp(awkward_root / "bin" / "agent-connector")
    assert stamp is not None
    verb = words.split()[0]
    entry = awkward_root / "runtime" / stamp.runtime / "entry" / f"{verb}.py"
    python = [stamp.interpreter, "-X", "importtime", "-I", "-S", "-B"]

    empty = _imported(run([*python, "-c", "pass"]).stderr)
    loaded = _imported(run([*python, entry, *words.split()], b"{}").stderr)

    assert loaded - empty == EXPECTED[words]


def _imported(importtime: bytes) -> set[str]:
    lines = [line for line in importtime.decode().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


@pytest.mark.skipif(sys.platform == "win32", reason="sh")
def test_starting_a_hook_writes_nothing(run, launcher):
    root = launcher.parent.parent
    before = sorted((path, path.stat().st_mtime_ns) for path in root.rglob("*"))

    for verb in ("hook", "statusline", "serve", "action"):
        run([launcher, verb, "cursor", "Stop", "--connector", "x"], b"{}")

    assert sorted((path, path.stat().st_mtime_ns) for path in root.rglob("*")) == before
