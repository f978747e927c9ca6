"""Where a host keeps things: computed for three systems on any of them."""

from __future__ import annotations

import pytest
from agent_connector.location import EVENT, NAME, Location, absolute, filled, home, project
from agent_connector.machine import Machine
from homes import machine_on


def test_a_location_counts_from_its_root(any_machine: Machine) -> None:
    here = any_machine.path("work")
    assert home(".acme", "x.json").resolve(any_machine, here) == any_machine.home / ".acme" / "x.json"
    assert project(".acme").resolve(any_machine, here) == here / ".acme"
    assert Location("config", ("acme",)).resolve(any_machine, here) == any_machine.config_home / "acme"
    assert Location("appdata", ("Acme",)).resolve(any_machine, here) == any_machine.app_data / "Acme"


def test_an_absolute_location_needs_no_root() -> None:
    linux = machine_on("linux")
    assert str(absolute("/etc", "acme.json").resolve(linux, linux.cwd)) == "/etc/acme.json"


def test_a_variable_moves_a_folder_and_what_is_below_it() -> None:
    folder = home(".acme").moved_by("ACME_HOME")
    usual, moved = machine_on("linux"), machine_on("linux", {"ACME_HOME": "/srv/acme"})
    assert folder.below("skills", "a").resolve(usual, usual.cwd) == usual.home / ".acme" / "skills" / "a"
    assert str(folder.below("skills", "a").resolve(moved, moved.cwd)) == "/srv/acme/skills/a"
    assert str(home(".acme.json").moved_by("ACME_HOME", "state.json").resolve(moved, moved.cwd)) == (
        "/srv/acme/state.json"
    )


@pytest.mark.parametrize("variable", [{}, {"ACME_HOME": ""}])
def test_a_system_may_have_a_place_of_its_own(variable: dict[str, str]) -> None:
    folder = home(".acme").on("windows", Location("appdata", ("Acme",))).moved_by("ACME_HOME")
    windows, linux = machine_on("windows", variable), machine_on("linux", variable)
    assert folder.below("x").resolve(windows, windows.cwd) == windows.app_data / "Acme" / "x"
    assert folder.below("x").resolve(linux, linux.cwd) == linux.home / ".acme" / "x"


def test_a_variable_wins_over_the_place_of_one_system_too() -> None:
    location = home(".acme").moved_by("ACME_HOME", "x").on("windows", Location("appdata", ("Acme",)))
    assert str(location.resolve(machine_on("windows", {"ACME_HOME": r"D:\acme"}), machine_on("windows").cwd)) == (
        r"D:\acme\x"
    )
    assert location.resolve(machine_on("windows"), machine_on("windows").cwd).name == "Acme"


def test_a_name_is_filled_in_inside_a_part_and_everything_else_in_place_of_one():
    known = {NAME: "acme", EVENT: "Stop"}
    assert filled(("plugins", "ours-{name}", "[name={name}]", EVENT, "x{event}"), known) == (
        "plugins", "ours-acme", "[name=acme]", "Stop", "x{event}",
    )  # fmt: skip
