"""What holds for every host."""

from __future__ import annotations

import dataclasses
import json

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.content import Command, Skill, Subagent, ToolPolicy
from agent_connector.changes.shape import connector_of
from agent_connector.host import HookSpec, Host, MemoryRequest, ServerSpec
from agent_connector.location import Location, home
from agent_connector.machine import Machine
from agent_connector.testing import host_contract

CANONICAL = {
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact",
    "PostCompact", "Stop", "Notification", "PermissionRequest", "SubagentStart", "SubagentStop",
}  # fmt: skip

THERE_BEFORE = {"continue": {"~/.continue/config.yaml": "name: Mine\nversion: 1.0.0\n"}}
"""Files without which a host takes no server, and which are not made for it."""

HOSTS = [CATALOG.get(host_id) for host_id in CATALOG.built_in_ids()]


def _each(hosts: list[Host]):
    return pytest.mark.parametrize("host", hosts, ids=[host.id for host in hosts])


every_host = _each(HOSTS)
every_host_with_servers = _each([host for host in HOSTS if host.server])
every_host_with_hooks = _each([host for host in HOSTS if host.hooks])
every_host_with_registrations = _each([host for host in HOSTS if host.hooks and not host.hooks.plugin])
every_host_with_memory = _each([host for host in HOSTS if host.memory])


def _hooks_module(host: Host):
    return __import__(f"agent_connector.adapters.{host.id.replace('-', '_')}.hooks", fromlist=["EVENTS"])


def _locations(host: Host) -> list[Location]:
    found = [*host.detection.markers, *host.detection.project_markers]
    if host.server:
        found += [place.location for place in host.server.places.values()]
        found += [copy.place.location for copies in host.server.copies.values() for copy in copies]
    if host.hooks:
        found += [file.place.location for files in host.hooks.files.values() for file in files]
        found += host.hooks.plugin.folders.values() if host.hooks.plugin else ()
    for content in (host.commands, host.skills, host.subagents):
        found += content.folders.values() if content else ()
    for settings in (host.statusline, host.config_patch):
        found += [place.location for place in settings.places.values()] if settings else []
    return found


@every_host
@pytest.mark.parametrize("system", ["linux", "macos", "windows"])
def test_every_path_is_absolute_and_below_home_or_project_on_every_system(host, system, request):
    machine: Machine = request.getfixturevalue(system)
    for location in _locations(host):
        path = location.resolve(machine, machine.cwd)
        assert path.is_absolute()
        assert path.is_relative_to(machine.home) or path.is_relative_to(machine.cwd)


@every_host
def test_what_a_host_home_variable_moves_stands_below_it(host, linux):
    variable = host.detection.home_override
    if not variable:
        pytest.skip("this host's folder cannot be moved")
    moved = linux.with_env({variable: "/elsewhere"})
    user = [
        place
        for surface in (host.server.places if host.server else {}, host.skills.folders if host.skills else {})
        for scope, place in surface.items()
        if scope == "user" and place != home(".agents", "skills")  # which belongs to no host alone
    ]
    user += [file.place for file in host.hooks.files.get("user", ())] if host.hooks else []
    for place in user:
        location = place if isinstance(place, Location) else place.location
        assert location.resolve(moved, moved.cwd).is_relative_to(moved.path("/elsewhere"))


@pytest.mark.parametrize(
    "check", [check for host in HOSTS for check in host_contract(host, files=THERE_BEFORE.get(host.id))], ids=str
)
def test_the_contract_that_other_packages_run_too(check):
    check()


@every_host_with_servers
@pytest.mark.parametrize("transport", ["stdio", "http", "sse", "ws"])
def test_an_entry_is_json_or_a_note_says_why_there_is_none(host, transport):
    spec = ServerSpec(
        "acme",
        transport,
        command="npx" if transport == "stdio" else "",
        args=("-y", "acme") if transport == "stdio" else (),
        env={"A": "1"} if transport == "stdio" else {},
        url="" if transport == "stdio" else "https://acme.example/mcp",
    )
    rendered = host.server.render(spec)
    if rendered.value is None:
        assert any(note.level == "info" and transport in note.text for note in rendered.notes)
    else:
        assert json.loads(json.dumps(rendered.value)) == rendered.value
        assert not rendered.notes


@every_host_with_servers
def test_the_authors_own_keys_win(host):
    spec = ServerSpec("acme", "stdio", command="npx", args=("x",), extra={"command": "node", "custom": {"deep": [1]}})
    value = host.server.render(spec).value
    assert value["command"] in ("node", ["node", "x"])  # one word, or the whole line in one list
    assert value["custom"] == {"deep": [1]}


@every_host_with_servers
def test_references_are_never_replaced_by_values(host, monkeypatch):
    monkeypatch.setenv("ACME_TOKEN", "s3cret-value")
    for spec in (
        ServerSpec("acme", "stdio", command="npx", args=("x",), env={"ACME_TOKEN": "${env:ACME_TOKEN}"}),
        ServerSpec("acme", "http", url="https://acme.example", headers={"X-Key": "${env:ACME_TOKEN}"}),
        ServerSpec("acme", "http", url="https://acme.example", bearer_env="ACME_TOKEN"),
    ):
        rendered = host.server.render(spec)
        text = json.dumps(rendered.value)
        assert "s3cret-value" not in text
        if rendered.value is None:
            assert rendered.notes
        else:
            assert "ACME_TOKEN" in text


@every_host_with_servers
def test_what_a_dialect_says_it_expresses_is_rendered_without_a_reference_of_ours(host):
    for key, template in (("KEY", "${env:KEY}"), ("KEY", "${env:OTHER}"), ("KEY", "${env:KEY:-d}"), ("KEY", "x")):
        value = host.server.render(ServerSpec("a", "stdio", command="npx", args=("x",), env={key: template})).value
        assert host.server.expresses(key, template) == (value is not None)


@every_host_with_hooks
def test_events_are_the_canonical_ones_and_come_from_the_light_module(host):
    module = _hooks_module(host)
    assert host.hooks.events is module.EVENTS
    assert module.EVENTS.keys() <= CANONICAL
    assert len(set(module.EVENTS.values())) == len(module.EVENTS)
    if host.hooks.plugin is None:  # whose module makes events of what it is told
        assert all(host.hooks.native_events(native) for native in module.EVENTS.values())


@every_host_with_hooks
def test_there_is_a_neutral_reply_for_every_event(host):
    for event in CANONICAL:
        stdout, code = _hooks_module(host).neutral(event)
        assert code == 0
        # A host that forbids what it gets no decision on is told to go by what the person has set.
        assert stdout == "" or json.loads(stdout) in ({}, {"decision": "ask"})


@every_host_with_registrations
def test_a_registration_is_recognised_by_its_command_line(host):
    line = '"/home/dev/.agent-connector/bin/agent-connector" hook x PreToolUse --connector acme'
    for matcher in ("", "Bash"):
        item = host.hooks.item(HookSpec("PreToolUse", host.hooks.events["PreToolUse"], line, matcher, 2500))
        assert json.loads(json.dumps(item)) == item
        assert connector_of(item) == "acme"


@every_host_with_hooks
@pytest.mark.parametrize("event", sorted(CANONICAL))
def test_a_matcher_narrows_nothing_but_tools_and_subagents(host, event):
    narrowed = host.hooks.matcher(event, "acme_write")
    tool = event.startswith(("PreTool", "PostTool", "Permission", "Subagent"))
    assert tool or not narrowed
    assert host.hooks.matcher(event, ".*") == ""


def _rendered(host: Host, tools: ToolPolicy):
    """An item of each kind that the host has."""
    items = (
        (host.commands, Command(name="greet", prompt="Hello $ARGUMENTS", tools=tools)),
        (
            host.skills,
            Skill(name="greet", description="Greets", body="Hello", resources={"a/b.md": "x\n"}, tools=tools),
        ),
        (host.subagents, Subagent(name="greet", description="Greets", prompt="Hello", tools=tools)),
    )
    return [dialect.render(item) for dialect, item in items if dialect]


@every_host
def test_content_files_stay_inside_their_folder_and_end_with_a_line_end(host):
    for content in _rendered(host, ToolPolicy()):
        assert content.files
        for path, text in content.files.items():
            assert not path.startswith("/")
            assert ".." not in path.split("/")
            assert text.endswith("\n")


@every_host
def test_a_denied_tool_is_in_the_file_or_in_a_warning(host):
    for content in _rendered(host, ToolPolicy(deny=("Bash",))):
        in_file = any("Bash" in text for text in content.files.values())
        assert in_file or any(note.level == "warn" for note in content.notes)


@every_host_with_memory
def test_memory_has_a_target_at_every_scope_it_claims(host, here, files):
    for scope in host.memory.scopes:
        blocks = host.memory.targets(MemoryRequest(here, here.cwd, scope), files)
        assert len(blocks) == 1
        assert blocks[0].path.is_absolute()


@every_host
def test_a_description_is_immutable_and_says_how_to_find_the_host(host):
    with pytest.raises(dataclasses.FrozenInstanceError):
        host.id = "other"
    assert host.detection.markers
    hooks = "ts-plugin" if host.hooks and host.hooks.plugin else "json-stdio"
    assert host.paradigm == (hooks if host.hooks else "mcp-only")


@every_host
def test_whose_files_it_also_reads_are_hosts_there_are(host):
    assert {also.host for also in host.also_reads} <= set(CATALOG.built_in_ids()) - {host.id}
