"""Finding and reading definition files of every format."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from agent_connector import ConnectorConfigError
from agent_connector.authoring.loading import executes_code, find_definition, load_definition

AS_JSON = {
    "$schema": "https://example.org/definition.schema.json",
    "id": "acme-db",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme"], "timeoutMs": 30000},
    "hooks": {"PreToolUse": {"matcher": "acme_write", "decision": "ask", "reason": "Confirm"}},
    "memory": [{"content": "Schema v12.\nBe brief."}],
    "platforms": {"codex": {"hooks": False}},
}
AS_TOML = """
id = "acme-db"

[server]
transport = "stdio"
command = "npx"
args = ["-y", "acme"]
timeout_ms = 30_000

[hooks.PreToolUse]
matcher = "acme_write"
decision = "ask"
reason = "Confirm"

[[memory]]
content = "Schema v12.\\nBe brief."

[platforms.codex]
hooks = false
"""
AS_YAML = """
id: acme-db
server:
  transport: stdio
  command: npx
  args: [-y, acme]
  timeout_ms: 30000
hooks:
  PreToolUse: {matcher: acme_write, decision: ask, reason: Confirm}
memory:
  - content: |-
      Schema v12.
      Be brief.
platforms:
  codex:
    hooks: no
"""
AS_YAML = AS_YAML.replace("hooks: no", "hooks: false")  # YAML 1.2: "no" is a string
AS_PYTHON = f"""
from agent_connector import Response, define_connector, hook, memory

connector = define_connector(
    id="acme-db",
    server={{"transport": "stdio", "command": "npx", "args": ["-y", "acme"], "timeout_ms": 30_000}},
    hooks=[hook("PreToolUse", matcher="acme_write", response=Response.ask("Confirm"))],
    memory=[memory({AS_JSON["memory"][0]["content"]!r})],
    hosts={{"codex": {{"hooks": False}}}},
)
"""


def in_pyproject(toml: str) -> str:
    lines = ["[tool.agent-connector]"]
    for line in toml.splitlines():
        lines.append(line.replace("[[", "[[tool.agent-connector.") if line.startswith("[[") else line)
    return "\n".join(
        line.replace("[", "[tool.agent-connector.", 1)
        if line.startswith("[") and "tool.agent-connector" not in line
        else line
        for line in lines
    )


FILES = {
    "agent-connector.config.py": AS_PYTHON,
    "agent-connector.config.toml": AS_TOML,
    "agent-connector.config.yaml": AS_YAML,
    "agent-connector.config.yml": AS_YAML,
    "agent-connector.config.json": json.dumps(AS_JSON),
    "pyproject.toml": in_pyproject(AS_TOML),
}


@pytest.fixture
def write(tmp_path):
    """Writes a file below the test's folder and gives its path."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_connector(write, tmp_path, name):
    expected = load_definition(write("other/agent-connector.config.json", json.dumps(AS_JSON))).resolve()
    path = write(name, FILES[name])
    definition = load_definition(path)
    assert definition.source == str(path)
    connector = definition.resolve()
    assert connector == expected
    assert connector.source == str(path)


def test_a_byte_order_mark_is_no_fault(write):
    for name in ("agent-connector.config.toml", "agent-connector.config.json", "agent-connector.config.yaml"):
        assert load_definition(write(name, b"\xef\xbb\xbf" + FILES[name].encode())).raw["id"] == "acme-db"


def test_only_python_executes_code():
    assert executes_code(Path("agent-connector.config.py"))
    assert executes_code(Path("x.PY"))
    for name in FILES:
        assert executes_code(Path(name)) == name.endswith(".py")


# --- finding -------------------------------------------------------------------------------------------------


def test_the_nearest_definition_above_counts(write, tmp_path):
    write("agent-connector.config.toml", AS_TOML)
    near = write("a/agent-connector.config.json", "{}")
    (tmp_path / "a/b/c").mkdir(parents=True)
    assert find_definition(tmp_path / "a/b/c") == near
    assert find_definition(tmp_path) == tmp_path / "agent-connector.config.toml"


def test_within_a_folder_the_order_is_fixed(write, tmp_path):
    for name in reversed(FILES):
        assert find_definition(tmp_path) != write(name, FILES[name])
        assert find_definition(tmp_path) == tmp_path / name


def test_a_pyproject_without_our_table_is_passed_over(write, tmp_path):
    above = write("agent-connector.config.toml", AS_TOML)
    write("a/pyproject.toml", '[project]\nname = "x"\ndependencies = ["agent-connector"]\n')
    assert find_definition(tmp_path / "a") == above
    write("b/pyproject.toml", "this is not TOML")
    assert find_definition(tmp_path / "b") == above


def test_a_folder_stands_for_the_definition_in_it(write, tmp_path):
    write("agent-connector.config.toml", AS_TOML)
    assert load_definition(tmp_path).source == str(tmp_path / "agent-connector.config.toml")


# --- broken files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "line", "column"),
    [
        ("agent-connector.config.toml", 'id = "a"\nserver = {\n', 2, 11),
        ("agent-connector.config.toml", 'id = "a"\nid = "b"\n', 2, 9),
        ("agent-connector.config.toml", 'id = "a', 1, 8),
        ("agent-connector.config.json", '{\n  "id": "a",\n  oops\n}', 3, 3),
        ("agent-connector.config.json", "", 1, 1),
        ("agent-connector.config.yaml", "id: a\nserver: [\n  x: }\n", 3, 6),
        ("agent-connector.config.yaml", "id: a\nid: b\n", 2, 1),
        ("agent-connector.config.yaml", "a: &x [1]\nb: *y\n", 2, 4),
        ("agent-connector.config.py", "a = 1\nb = = 2\n", 2, 5),
        ("pyproject.toml", "[tool.agent-connector]\nid = \n", 2, 6),
        ("agent-connector.config.toml", b'id = "a"\nx = "\xff"\n', 2, 6),
    ],
)
def test_a_file_that_does_not_parse_is_told_with_line_and_column(write, name, content, line, column):
    path = write(name, content)
    with pytest.raises(ConnectorConfigError) as caught:
        load_definition(path)
    (problem,) = caught.value.problems
    assert problem.path == f"{path}:{line}:{column}"
    assert (caught.value.source, caught.value.line, caught.value.column) == (str(path), line, column)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("agent-connector.config.json", "[]", "one object"),
        ("agent-connector.config.yaml", "", "one object"),
        ("agent-connector.config.json", '{"id": "a", "id": "b"}', "twice"),
        ("agent-connector.config.json", "[" * 100_000, "nested"),
        ("pyproject.toml", "[project]\n", "[tool.agent-connector]"),
        ("pyproject.toml", "tool = 1\n", "[tool.agent-connector]"),
        ("definition.ini", "", "is not a definition"),
    ],
)
def test_other_files_that_hold_no_definition(write, name, content, words):
    with pytest.raises(ConnectorConfigError) as caught:
        load_definition(write(name, content))
    assert words in caught.value.problems[0].reason


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConnectorConfigError) as caught:
        load_definition(tmp_path / "agent-connector.config.toml")
    assert "does not exist" in caught.value.problems[0].reason


# --- Python --------------------------------------------------------------------------------------------------


def python(body: str) -> str:
    return f"from agent_connector import define_connector\n{body}\n"


@pytest.mark.parametrize(
    "body",
    [
        "connector = define_connector(id='it')\ndefinition = define_connector(id='other')",
        "definition = define_connector(id='it')\nthird = define_connector(id='other')",
        "whatever = define_connector(id='it')",
        "one = define_connector(id='it')\nsame = one",
    ],
)
def test_which_definition_of_a_module_counts(write, body):
    assert load_definition(write("agent-connector.config.py", python(body))).raw["id"] == "it"


@pytest.mark.parametrize(
    "body", ["", "a = define_connector(id='a')\nb = define_connector(id='b')", "connector = {'id': 'a'}"]
)
def test_a_module_must_have_one_definition(write, body):
    with pytest.raises(ConnectorConfigError) as caught:
        load_definition(write("agent-connector.config.py", python(body)))
    assert "connector" in str(caught.value)


@pytest.mark.parametrize("body", ["raise ValueError('boom')", "import sys\nsys.exit('boom')"])
def test_what_a_definition_raises_is_told_with_file_and_line(write, body):
    path = write("agent-connector.config.py", python("\n" + body))
    with pytest.raises(ConnectorConfigError) as caught:
        load_definition(path)
    line = 2 + len(body.splitlines())
    assert caught.value.problems[0].path == f"{path}:{line}"
    assert "boom" in caught.value.problems[0].reason


def test_a_definition_may_import_its_neighbours_and_leaves_no_trace(write, tmp_path, capfd):
    body = "import neighbour_of_acme\nprint('noise')\nconnector = define_connector(id=neighbour_of_acme.ID)"
    first = write("a/agent-connector.config.py", python(body))
    write("a/neighbour_of_acme.py", "ID = 'first'")
    second = write("b/agent-connector.config.py", python(body))
    write("b/neighbour_of_acme.py", "ID = 'second'")
    modules, path = set(sys.modules), list(sys.path)
    assert [load_definition(one).raw["id"] for one in (first, second)] == ["first", "second"]
    assert sys.path == path
    assert {name for name in set(sys.modules) - modules if "acme" in name or "definition" in name} == set()
    assert [one.name for one in (tmp_path / "a").iterdir() if one.name == "__pycache__"] == []
    assert capfd.readouterr().out == ""


def test_packages_beside_a_definition_are_forgotten_and_those_of_an_environment_stay(write, tmp_path, monkeypatch):
    environment = tmp_path / ".venv/lib/site-packages"
    write(".venv/lib/site-packages/installed_for_acme/__init__.py", "")
    write("plain_acme/__init__.py", "")
    write("plain_acme/inner.py", "ID = 'a'")
    write("namespace_acme/inner.py", "")
    monkeypatch.syspath_prepend(str(environment))
    imports = "import installed_for_acme, plain_acme.inner, namespace_acme.inner"
    body = f"{imports}\nconnector = define_connector(id=plain_acme.inner.ID)"
    load_definition(write("agent-connector.config.py", python(body)))
    assert [name for name in sys.modules if "acme" in name and not name.startswith("test")] == ["installed_for_acme"]
    monkeypatch.delitem(sys.modules, "installed_for_acme")


def test_a_definition_knows_its_own_file_and_is_not_main(write):
    body = "assert __name__ != '__main__'\nconnector = define_connector(id='a', version=__file__)"
    path = write("agent-connector.config.py", python(body))
    assert load_definition(path).raw["version"] == str(path)


def test_functions_of_a_definition_work_after_loading(write):
    body = (
        "HELP = 'h'\ndef guard(event):\n    return HELP\nconnector = define_connector(id='a', hooks={'Stop': guard})"
    )
    definition = load_definition(write("agent-connector.config.py", python(body)))
    assert definition.resolve().hooks["Stop"][0].handler.function({}) == "h"
