"""The contract suite that other packages run on their hosts: it says what a description breaks, and nothing else."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from agent_connector.host import Detection, HookDialect, HookFile, Host, Rendered, ServerDialect
from agent_connector.location import EVENT, NAME, Place, absolute, home, project
from agent_connector.testing import check_host, host_contract

SERVER = ServerDialect(
    places={
        "user": Place(home(".acme", "settings.jsonc"), "jsonc", ("servers", NAME)),
        "project": Place(project(".acme.yaml"), "yaml", ("servers", NAME)),
    },
    render=lambda spec: Rendered({"run": [spec.command, *spec.args], **spec.extra}),
)
HOOKS = HookDialect(
    files={"user": (HookFile(Place(home(".acme", "hooks.toml"), "toml", ("hooks", EVENT))),)},
    events={"PreToolUse": "before"},
    item=lambda spec: {"run": spec.command},
    matcher=lambda _event, _pattern: "",
)
HOST = Host("acme-host", "Acme", Detection(markers=(home(".acme"),)), server=SERVER, hooks=HOOKS)


def broken(host: Host, **wishes: Any) -> set[str]:
    """The promises that are not kept somewhere."""
    found = set()
    for check in host_contract(host, **wishes):
        try:
            check()
        except AssertionError:
            found.add(check.name)
    return found


def with_render(render: Any) -> Host:
    return replace(HOST, server=replace(SERVER, render=render))


def test_a_good_description_keeps_everything_at_every_scope_on_every_system() -> None:
    checks = host_contract(HOST)
    assert {(check.scope, check.system) for check in checks} == set(
        itertools.product(("user", "project"), ("linux", "macos", "windows"))
    )
    check_host(HOST)
    check_host(
        HOST, files={"~/.acme/settings.jsonc": '{"servers": {"mine": {"run": []}}, "n": 1.0}\r\n', "a.txt": b"\xff"}
    )


def test_an_entry_that_is_another_one_each_time() -> None:
    count = itertools.count()
    host = with_render(lambda spec: Rendered({"run": [spec.command], "id": next(count)}))
    assert broken(host) >= {"plan-is-pure", "second-plan-is-empty"}


def test_a_place_that_belongs_to_everybody() -> None:
    places = {"user": Place(home(".acme", "settings.jsonc"), "jsonc", ("servers",))}
    assert "installs" in broken(replace(HOST, server=replace(SERVER, places=places)))


def test_a_home_folder_in_a_file_that_people_commit() -> None:
    hooks = replace(HOOKS, files={"project": HOOKS.files["user"]}, item=lambda _spec: {"run": "/home/Zoë O'Neil/run"})
    assert {"committed-files-hold-no-home", "paths-are-below-home-or-project"} <= broken(
        replace(HOST, server=None, hooks=hooks)
    )


def test_a_path_outside() -> None:
    places = {"user": Place(absolute("/etc", "acme.json"), "json", ("servers", NAME))}
    assert "paths-are-below-home-or-project" in broken(replace(HOST, server=replace(SERVER, places=places)))


def test_everything_that_is_not_kept_is_said_at_once() -> None:
    count = itertools.count()
    with pytest.raises(AssertionError) as caught:
        check_host(with_render(lambda _spec: Rendered({"id": next(count)})))
    assert "acme-host-user-linux-plan-is-pure: two plans of the same state differ" in str(caught.value)
    assert "acme-host-project-windows-second-plan-is-empty" in str(caught.value)


def test_a_persons_own_file_that_does_not_parse_is_told() -> None:
    assert "installs" in broken(HOST, files={"~/.acme/settings.jsonc": "{,"})
