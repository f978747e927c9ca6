"""Rules of commands, skills, subagents and memory."""

from __future__ import annotations

import pytest

VALID = {
    "commands": {"name": "deploy", "prompt": "Deploy."},
    "skills": {"name": "deploy", "description": "Deploys.", "body": "How to."},
    "subagents": {"name": "deployer", "description": "Deploys.", "prompt": "You deploy."},
    "memory": {"name": "house-rules", "content": "Be brief."},
}
SURFACES = sorted(VALID)


@pytest.mark.parametrize("surface", SURFACES)
def test_valid_content_has_no_faults(faults, surface):
    assert faults(**{surface: [VALID[surface]]}) == {}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    "name", ["", "Deploy", "-deploy", "de ploy", "../deploy", "a/b", "a\\b", "deploy\n", "dep_loy", "con", "lpt1"]
)
def test_names_are_kebab_case_and_possible_as_files_everywhere(faults, surface, name):
    assert list(faults(**{surface: [{**VALID[surface], "name": name}]})) == [f"{surface}[0].name"]


@pytest.mark.parametrize("surface", SURFACES)
def test_a_name_is_used_once_per_surface(faults, surface):
    assert list(faults(**{surface: [VALID[surface], VALID[surface]]})) == [f"{surface}[1].name"]


def test_one_name_may_be_used_on_several_surfaces(faults):
    both = {"commands": [VALID["commands"]], "skills": [VALID["skills"]]}
    assert faults(**both) == {}


@pytest.mark.parametrize(
    ("surface", "field"),
    [
        ("commands", "prompt"),
        ("skills", "description"),
        ("skills", "body"),
        ("subagents", "description"),
        ("subagents", "prompt"),
        ("memory", "content"),
    ],
)
def test_texts_that_must_be_filled(faults, surface, field):
    for text in ("", " \n"):
        assert list(faults(**{surface: [{**VALID[surface], field: text}]})) == [f"{surface}[0].{field}"]
    missing = {key: value for key, value in VALID[surface].items() if key != field}
    assert list(faults(**{surface: [missing]})) == [f"{surface}[0].{field}"]


def test_several_faults_of_one_entry_are_told_together(faults):
    found = faults(commands=[{"name": "Bad Name", "descripton": "x"}])
    assert list(found) == ["commands[0].name", "commands[0].descripton", "commands[0].prompt"]


def test_content_is_a_list_of_objects(faults):
    assert list(faults(commands={"name": "a", "prompt": "b"})) == ["commands"]
    assert list(faults(commands=["deploy"])) == ["commands[0]"]


def test_tool_policies_are_lists(faults):
    entry = {**VALID["commands"], "tools": {"allow": "Read"}}
    assert list(faults(commands=[entry])) == ["commands[0].tools.allow"]


@pytest.mark.parametrize("surface", ["commands", "skills", "subagents"])
def test_extra_keys_are_json(faults, surface):
    entry = {**VALID[surface], "extra": {"when": object()}}
    assert list(faults(**{surface: [entry]})) == [f"{surface}[0].extra"]


# --- skills --------------------------------------------------------------------------------------------------


def test_a_skill_name_has_at_most_64_characters(faults):
    assert faults(skills=[{**VALID["skills"], "name": "a" * 64}]) == {}
    assert list(faults(skills=[{**VALID["skills"], "name": "a" * 65}])) == ["skills[0].name"]


def test_a_skill_description_has_at_most_1024_characters(faults):
    assert faults(skills=[{**VALID["skills"], "description": "ü" * 1024}]) == {}
    assert list(faults(skills=[{**VALID["skills"], "description": "a" * 1025}])) == ["skills[0].description"]


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "./a",
        "a/./b",
        "a//b",
        "a/",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a\\b",
        "..\\x",
        "C:x",
        "c:/x",
        "a:stream",
        "a\0b",
        "a\nb",
        "nul",
        "sub/COM1.txt",
        "aux .md",
        "a./b",
        "trailing ",
        "what?.md",
        "SKILL.md",
        "skill.MD",
        "a" * 256,
    ],
)
def test_resources_stay_inside_the_skill_on_every_system(faults, path):
    found = faults(skills=[{**VALID["skills"], "resources": {path: "x"}}])
    assert len(found) == 1
    assert next(iter(found)).startswith("skills[0].resources")


@pytest.mark.parametrize(
    "path", ["a.md", "scripts/check.py", ".hidden", "a b/c (1).txt", "sub/SKILL.md", "ümlaut.md"]
)
def test_resources_that_are_fine_everywhere(faults, path):
    assert faults(skills=[{**VALID["skills"], "resources": {path: "x"}}]) == {}


def test_resources_are_different_files_where_case_does_not_count(faults):
    for pair in (["a/Read.md", "A/read.md"], ["\u00fc.md", "u\u0308.md"]):
        assert len(faults(skills=[{**VALID["skills"], "resources": dict.fromkeys(pair, "x")}])) == 1


def test_a_resource_is_no_folder_of_another(faults):
    assert len(faults(skills=[{**VALID["skills"], "resources": {"A": "x", "a/b": "y"}}])) == 1


def test_resource_contents_are_text(faults):
    assert list(faults(skills=[{**VALID["skills"], "resources": {"a": b"x"}}])) == ["skills[0].resources.a"]


# --- memory --------------------------------------------------------------------------------------------------


def test_memory_is_called_memory_by_default(resolved):
    assert resolved(memory=[{"content": "x"}]).memory[0].name == "memory"


def test_two_unnamed_memories_collide(faults):
    assert list(faults(memory=[{"content": "x"}, {"content": "y"}])) == ["memory[1].name"]


def test_memory_has_at_most_16_kib(faults):
    assert faults(memory=[{"content": "a" * 16384}]) == {}
    assert list(faults(memory=[{"content": "ü" * 8193}])) == ["memory[0].content"]


@pytest.mark.parametrize("token", ["agent-connector:begin", "agent-connector:end"])
def test_memory_has_no_marker_tokens(faults, token):
    assert list(faults(memory=[{"content": f"see <!-- {token} x -->"}])) == ["memory[0].content"]
