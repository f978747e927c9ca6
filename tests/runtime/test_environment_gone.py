"""The environment that installed us is deleted, and the whole story goes on by the launcher."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from homes import trust_codex_hooks

DEFINITION = """
id = "acme-db"

[server]
transport = "stdio"
command = "/bin/echo"
args = ["served"]

[hooks.PreToolUse]
decision = "ask"
reason = "Sure?"

[[memory]]
content = "Append only."
"""


@pytest.fixture
def home(awkward_root: Path, copy_root: Callable[[Path, Path], Path], tmp_path: Path) -> Path:
    home = tmp_path / "Zoë's $HOME"
    for host in (".claude", ".codex", ".cursor"):
        (home / host).mkdir(parents=True)
    copy_root(awkward_root, home / ".agent-connector")
    return home


def test_install_status_doctor_serve_hook_upgrade_and_uninstall_go_on(home: Path, run: Any) -> None:
    definition = home / "agent-connector.config.toml"
    definition.write_text(DEFINITION, encoding="utf-8")
    launcher = home / ".agent-connector" / "bin" / "agent-connector"

    def call(*words: object) -> Any:
        done = run([launcher, *words, "--json"], env={"HOME": str(home)}, cwd=home)
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["exit_code"]) == (0, 0), (answer, done.stderr)
        return answer["result"]

    assert call("install", "--connector", definition)["outcome"] == "done"
    definition.unlink()

    entry = tomllib.loads((home / ".codex" / "config.toml").read_text(encoding="utf-8"))["mcp_servers"]["acme-db"]
    assert entry["command"] == str(launcher)
    assert run([entry["command"], *entry["args"]]).stdout == b"served\n"
    hooks = json.loads((home / ".cursor" / "hooks.json").read_bytes())["hooks"]
    said = run(["/bin/sh", "-c", hooks["preToolUse"][0]["command"]], stdin=b"{}").stdout
    assert json.loads(said)["user_message"] == "Sure?"

    states = {surface["state"] for host in call("status")["hosts"] for surface in host["surfaces"]}
    assert states == {"present"}
    trust_codex_hooks(home)
    assert {check["status"] for check in call("doctor")["checks"]} == {"pass", "warn"}, "the definition is gone"
    (home / ".codex" / "config.toml").write_text("", encoding="utf-8")
    assert call("upgrade", "acme-db")["outcome"] == "done"
    assert "acme-db" in (home / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert call("uninstall", "acme-db", "--purge")["outcome"] == "done"

    assert [path for path in home.rglob("*") if path.is_file() and ".agent-connector" not in path.parts] == []
    assert not launcher.exists(), "with the last connector"
    assert not (home / ".agent-connector" / "runtime").exists()
    assert not list((home / ".agent-connector" / "connectors").iterdir())
