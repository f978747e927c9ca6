"""The module inside a host, in a real Node: it asks one child, whatever happens to that, and never throws."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from agent_connector.adapters.catalog import CATALOG
from streams import DEFINITION, children_of, in_node

pytestmark = [
    pytest.mark.xdist_group("runtime"),
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH"),
]
PLUGIN_HOSTS = [host for host in map(CATALOG.get, CATALOG.built_in_ids()) if host.hooks and host.hooks.plugin]


@pytest.fixture
def hooks(install_hooks):
    return install_hooks(DEFINITION, targets=("opencode",))


@pytest.fixture
def module(hooks, home) -> Path:
    return home / ".config" / "opencode" / "plugin" / "acme.js"


@pytest.fixture
def node(module, project):
    def run(body: str, **more):
        return in_node(module, body, cwd=project, **more)

    return run


@pytest.fixture
def without_launcher(hooks) -> None:
    (hooks.root / "bin" / "agent-connector").unlink()


def instead_of_launcher(hooks, script: str) -> None:
    launcher = hooks.root / "bin" / "agent-connector"
    launcher.unlink()
    launcher.write_text(f"#!/bin/sh\n{script}\n")
    launcher.chmod(0o700)


def test_a_deny_is_thrown_and_everything_else_goes_on(node):
    told, _ = node("""
told(await before("acme_write"));
told(await before("acme_drop", { table: "orders" }));
told(await before("acme_read", { a: 1 }));
await hooks.dispose();
""")
    assert told == ["no writes", "never orders", {"a": 1}]


def test_inputs_and_outputs_are_changed_in_place(install_hooks, home, project):
    install_hooks(
        """
from agent_connector import Response, define_connector, hook
@hook("PreToolUse")
def rewrite(event):
    new = {"kept": event.tool_input["kept"], "new": [1]}
    return Response("modify", updated_input=new, additional_context="CTX-BEFORE")
@hook("PostToolUse")
def after(event):
    return Response("context", additional_context="CTX-AFTER", updated_output=event.tool_output.upper())
connector = define_connector(id="acme", version="1.0.0", hooks=[rewrite, after])
""",
        targets=("opencode",),
    )
    told, _ = in_node(
        home / ".config" / "opencode" / "plugin" / "acme.js",
        """
told(await before("x", { kept: "k", gone: 1 }));
const after = async (output) => {
  const content = output.content;
  await hooks["tool.execute.after"]({ tool: "acme_x", sessionID: "s", callID: "c", args: {} }, output);
  told(output);
  told(content === output.content);
};
await after({ title: "t", output: "text", metadata: {} });
await after({ content: [{ type: "text", text: "one" }, { type: "image" }], structuredContent: { one: 1 } });
await hooks.dispose();
""",
        cwd=project,
    )
    text = lambda *texts: [{"type": "text", "text": text} for text in texts]  # noqa: E731
    assert told == [
        {"kept": "k", "new": [1]},
        {"title": "t", "output": "TEXT\n\nCTX-BEFORE\n\nCTX-AFTER", "metadata": {}},
        True,
        {"content": text("ONE", "CTX-AFTER")},
        True,
    ]


@pytest.mark.usefixtures("without_launcher")
def test_without_a_launcher_a_static_deny_holds_and_all_else_goes_on_at_once(node):
    told, seconds = node("""
for (const tool of ["acme_write", "acme_drop", "acme_read"]) told(await before(tool));
for (let i = 0; i < 500; i++) await before("acme_drop");
await hooks.dispose();
""")
    assert told == ["no writes", {}, {}]
    assert seconds < 10


@pytest.mark.parametrize("script", ["exit 1", "cat >/dev/null", "echo nonsense; exit 3", "exec cat"])
def test_a_child_that_is_none_costs_no_call_and_no_deny(hooks, node, script):
    instead_of_launcher(hooks, script)
    told, seconds = node("""
told(await before("acme_write"));
told(await before("acme_drop"));
await hooks.dispose();
""")
    assert told == ["no writes", {}]
    assert seconds < 20


def test_a_child_that_was_killed_is_replaced_and_asked_again(hooks, node):
    told, _ = node("""
told(await before("acme_drop", { table: "a" }));
const under_way = before("acme_drop", { table: "b" });
state().child.process.kill("SIGKILL");
told(await under_way);
told(await before("acme_drop", { table: "c" }));
await hooks.dispose();
""")
    assert told == ["never a", "never b", "never c"]


def test_a_child_that_hangs_is_given_up_in_time_and_replaced(hooks, node):
    told, _ = node("""
told(await before("acme_drop", { table: "a" }));
state().child.process.kill("SIGSTOP");
const started = performance.now();
told(await Promise.all([before("acme_drop"), before("acme_write")]));
const waited = performance.now() - started;
told(waited > 1400 && waited < 6000);
told(await before("acme_drop", { table: "c" }));
await hooks.dispose();
""")
    assert told == ["never a", [{}, "no writes"], True, "never c"]


def test_it_holds_under_load(hooks, node):
    """A thousand events, the child killed in between, a slow handler beside them, and a huge payload."""
    told, _ = node(
        """
let wrong = 0;
const check = async (number) => {
  const kind = number % 4;
  const said = await before(["acme_drop", "acme_write", "acme_read", "acme_shell"][kind], { table: String(number) });
  const wanted = ["never " + number, "no writes", undefined, "shell"][kind];
  if (kind === 2 ? said.table !== String(number) : said !== wanted) wrong += 1;
};
const slow = before("acme_slow");
const huge = { output: "x".repeat(8_000_000) };
const measured = hooks["tool.execute.after"]({ tool: "read", sessionID: "s", callID: "h", args: {} }, huge);
for (let round = 0; round < 50; round++) {
  const batch = Array.from({ length: 20 }, (_, index) => check(round * 20 + index));
  if (round % 20 === 10) state().child.process.kill("SIGKILL");
  await Promise.all(batch);
}
await Promise.all([slow, measured]);
told({ wrong, huge: huge.output, left: state().waiting.size });
await hooks.dispose();
""",
        seconds=180,
    )
    assert told == [{"wrong": 0, "huge": "8000000 letters", "left": 0}]


def test_however_often_it_is_registered_there_is_one_child(hooks, module, node):
    told, _ = node(f"""
const again = await import({json.dumps(module.as_uri())} + "?again");
const others = [await plugin.default({{ directory: "/" }}), await again.default({{ directory: "/" }})];
await before("acme_drop");
for (const other of others) {{
  await other["tool.execute.before"]({{ tool: "acme_read", sessionID: "s", callID: "c" }}, {{ args: {{}} }});
}}
told([plugin === again, Object.keys(plugin), state().last]);
const {{ execFileSync }} = await import("node:child_process");
told(execFileSync("ps", ["-o", "pid=", "--ppid", String(process.pid)]).toString().trim().split("\\n").length - 1);
await hooks.dispose();
""")
    # The other one is what counts them.
    assert told == [[False, ["default"], 3], 1]


def test_a_host_that_has_nothing_to_do_ends_by_itself_and_so_does_the_child(hooks, node):
    told, seconds = node("told(await before('acme_drop', { table: 'a' }));")
    assert told == ["never a"]
    assert seconds < 20
    until = time.monotonic() + 10
    while children_of(hooks.root) and time.monotonic() < until:
        time.sleep(0.1)
    assert children_of(hooks.root) == []


@pytest.mark.parametrize("end", ["", "await hooks.dispose();"])
def test_a_host_that_ends_waits_for_nothing_it_only_told_and_the_handler_is_done_with_it(
    install_hooks, home, project, end
):
    install_hooks(
        """
import pathlib, time
from agent_connector import define_connector, hook
@hook("Stop")
def note(event):
    time.sleep(4)
    pathlib.Path(event.project_dir, "noted").write_text("done")
connector = define_connector(id="acme", version="1.0.0", hooks=[note])
""",
        targets=("opencode",),
    )
    body = f"await hooks.event({{ event: {{ type: 'session.idle', properties: {{ sessionID: 's' }} }} }}); {end}"
    in_node(home / ".config" / "opencode" / "plugin" / "acme.js", body, cwd=project)

    assert not (project / "noted").exists()
    until = time.monotonic() + 20
    while not (project / "noted").exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert (project / "noted").read_text() == "done"


def test_what_it_is_handed_may_contain_itself_and_functions(node):
    told, _ = node("""
const args = { table: "t", size: 10n, run() {} };
args.self = args;
args.twice = [args.table, { args }];
told(await before("acme_drop", args));
told(await before("acme_write", args));
await hooks.dispose();
""")
    assert told == ["never t", "no writes"]


def test_no_event_of_any_shape_makes_it_throw(node):
    told, _ = node("""
const events = [null, { type: 5 }, { type: "session.created" }, { type: "permission.asked" },
  { type: "session.deleted" }, { type: "message.part.updated", properties: { part: null } }];
const odd = [undefined, null, 5, "text", [], {}, ...events.map((event) => ({ event }))];
for (const hook of Object.values(hooks)) {
  for (const one of odd) for (const other of [undefined, null, {}]) await hook(one, other);
}
told("quiet");
""")
    assert told == ["quiet"]


def test_a_project_that_has_a_copy_too_is_asked_about_once(install_hooks, hooks, node, project):
    install_hooks(DEFINITION, targets=("opencode",), scope="project")
    copy = project / ".opencode" / "plugin" / "acme.js"
    assert str(hooks.root) not in copy.read_text()
    told, _ = node(f"""
const copy = await (await import({json.dumps(copy.as_uri())})).default({{ directory: process.cwd() }});
const output = {{ args: {{ a: 1 }} }};
await copy["tool.execute.before"]({{ tool: "acme_acme_write", sessionID: "s", callID: "c" }}, output);
told(await before("acme_write"));
told(state().last);
await hooks.dispose();
""")
    assert told == ["no writes", 1]


def test_a_projects_module_finds_the_launcher_in_whoevers_home(install_hooks, hooks, home, project):
    install_hooks(DEFINITION, targets=("opencode",), scope="project")
    body = "told([await before('acme_drop', { table: 'a' }), await before('acme_write')]); await hooks.dispose();"
    copy = project / ".opencode" / "plugin" / "acme.js"
    assert in_node(copy, body, cwd=project, HOME=str(home))[0] == [["never a", "no writes"]]
    elsewhere = str(project / "nobody")
    assert in_node(copy, body, cwd=project, HOME=elsewhere)[0] == [[{"table": "a"}, "no writes"]]
    moved = in_node(copy, body, cwd=project, HOME=elsewhere, AGENT_CONNECTOR_DATA_DIR=str(hooks.root))[0]
    assert moved == [["never a", "no writes"]]


@pytest.mark.parametrize("host", PLUGIN_HOSTS, ids=[host.id for host in PLUGIN_HOSTS])
def test_the_module_reads_names_of_tools_as_the_hook_process_does(host, tmp_path):
    light = importlib.import_module(f"agent_connector.adapters.{host.id.replace('-', '_')}.hooks")
    tools = [
        "bash",
        "acme_acme_write",
        "acme__acme_write",
        "mcp__acme__acme_write",
        "mcp__a",
        "_x",
        "x_",
        "_",
        "",
        "a_b_c",
    ]
    file = tmp_path / "names.mjs"
    file.write_text(
        host.hooks.plugin.source() + "\nconsole.log(JSON.stringify(JSON.parse(process.argv[2]).map(names)));"
    )
    done = subprocess.run(["node", file, json.dumps(tools)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [list(light.tool_names(tool)) for tool in tools]
