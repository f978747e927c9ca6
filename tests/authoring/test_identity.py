"""Who a connector is, from package metadata."""

from __future__ import annotations

import json

import pytest
from agent_connector import ConnectorConfigError, define_connector
from agent_connector.authoring.identity import Identity, connector_id, distribution_identity, find_identity
from agent_connector.authoring.loading import load_definition

PYPROJECT = """
[project]
name = "acme-db-mcp"
version = "1.2.3"

[project.scripts]
acme-tools = "acme:tools"
acme-db = "acme:main"
"""
PACKAGE = {
    "name": "@acme/acme-web-mcp",
    "mcpName": "io.github.acme/web",
    "version": "4.5.6",
    "bin": {"acme-web": "x.js"},
}


@pytest.mark.parametrize(
    ("package", "expected"),
    [
        ("@acme/acme-db-mcp", "acme-db"),
        ("@acme/acme-db-mcp-server", "acme-db"),
        ("acme-db-mcp-server", "acme-db"),
        ("acme_db_mcp", "acme-db"),
        ("Acme.DB", "acme-db"),
        ("mcp-acme", "mcp-acme"),
        ("mcp", "mcp"),
        ("-mcp", "mcp"),
        ("io.github.acme/db", "db"),
        ("größe-mcp", "groe"),
        ("@acme/", ""),
        ("", ""),
    ],
)
def test_the_id_of_a_package(package, expected):
    assert connector_id(package) == expected


@pytest.fixture
def repository(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "a/b").mkdir(parents=True)
    return tmp_path


def test_pyproject_gives_name_version_and_command(repository):
    (repository / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    found = find_identity(repository / "a/b")
    assert (found.name, found.version, found.command) == ("acme-db-mcp", "1.2.3", "acme-db")
    assert found.source == str(repository / "pyproject.toml")


def test_package_json_gives_the_mcp_name_too(repository):
    (repository / "package.json").write_text(json.dumps(PACKAGE), "utf-8")
    found = find_identity(repository)
    assert (found.name, found.mcp_name, found.version, found.command) == (
        "@acme/acme-web-mcp",
        "io.github.acme/web",
        "4.5.6",
        "acme-web",
    )


def test_pyproject_goes_before_package_json_and_is_completed_by_it(repository):
    (repository / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    (repository / "package.json").write_text(json.dumps(PACKAGE), "utf-8")
    found = find_identity(repository)
    assert (found.name, found.mcp_name, found.version) == ("acme-db-mcp", "io.github.acme/web", "1.2.3")


def test_a_pyproject_of_tools_only_says_nothing(repository):
    (repository / "pyproject.toml").write_text("[tool.ruff]\n", "utf-8")
    (repository / "package.json").write_text(json.dumps(PACKAGE), "utf-8")
    assert find_identity(repository).name == "@acme/acme-web-mcp"


def test_the_nearest_package_counts(repository):
    (repository / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    (repository / "a/package.json").write_text(json.dumps(PACKAGE), "utf-8")
    assert find_identity(repository / "a/b").name == "@acme/acme-web-mcp"


def test_nothing_above_the_repository_counts(repository):
    (repository / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    (repository / "a/.git").mkdir()
    assert find_identity(repository / "a/b") == Identity()


def test_without_a_repository_nothing_in_the_home_folder_or_above_counts(tmp_path):
    (tmp_path / "package.json").write_text(json.dumps(PACKAGE), "utf-8")
    (tmp_path / "project").mkdir()
    assert find_identity(tmp_path / "project", home=tmp_path) == Identity()


def test_a_single_bin_of_npm_is_called_like_the_package(repository):
    (repository / "package.json").write_text(json.dumps({"name": "@acme/tool", "bin": "cli.js"}), "utf-8")
    assert find_identity(repository).command == "tool"


@pytest.mark.parametrize("content", ["[]", '{"name": 3, "version": null, "bin": []}', "{}"])
def test_odd_metadata_says_nothing(repository, content):
    (repository / "package.json").write_text(content, "utf-8")
    assert find_identity(repository).name == ""


def test_metadata_that_does_not_parse_is_told_with_its_place(repository):
    (repository / "package.json").write_text('{"name": \n}', "utf-8")
    with pytest.raises(ConnectorConfigError) as caught:
        find_identity(repository)
    assert caught.value.line == 2


def test_a_definition_takes_its_identity_from_its_package(repository):
    (repository / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    path = repository / "a/agent-connector.config.toml"
    path.write_text('memory = [{content = "x"}]\n', "utf-8")
    connector = load_definition(path).resolve()
    assert (connector.id, connector.display_name, connector.version) == ("acme-db", "acme-db", "1.2.3")
    assert (connector.mcp.name, connector.mcp.command) == ("acme-db-mcp", "acme-db")


def test_what_the_definition_says_itself_counts_more():
    definition = define_connector(
        id="mine",
        version="9",
        display_name="Mine",
        mcp={"name": "@acme/other-mcp", "bin": "o"},
        memory=[{"content": "x"}],
    )
    connector = definition.resolve(identity=Identity(name="acme-db-mcp", version="1", scripts=("acme-db",)))
    assert (connector.id, connector.version, connector.display_name) == ("mine", "9", "Mine")
    assert (connector.mcp.name, connector.mcp.command) == ("@acme/other-mcp", "o")


def test_the_package_name_in_the_definition_gives_the_id():
    definition = define_connector(mcp={"name": "@acme/other-mcp"}, memory=[{"content": "x"}])
    assert definition.resolve(identity=Identity(name="acme-db-mcp")).id == "other"


def test_a_package_name_that_gives_no_usable_id_asks_for_one():
    definition = define_connector(memory=[{"content": "x"}])
    with pytest.raises(ConnectorConfigError) as caught:
        definition.resolve(identity=Identity(name="con-mcp"))
    assert [problem.path for problem in caught.value.problems] == ["id"]


def test_an_installed_distribution_knows_itself():
    found = distribution_identity("agent-connector-mcp")
    assert (found.name, found.command) == ("agent-connector-mcp", "agent-connector")
    assert found.version


def install(environment, folder, name, version, script):
    """Put a package into an environment as an installer does."""
    (environment / folder).mkdir(parents=True)
    info = environment / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    (info / "RECORD").write_text(f"{folder}/__init__.py,,\n{info.name}/METADATA,,\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[console_scripts]\n{script} = {folder}:main\n", "utf-8")


def test_an_installed_package_is_not_taken_for_the_project_around_its_environment(repository):
    (repository / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    environment = repository / ".venv/lib/python3.12/site-packages"
    install(environment, "acme_notes", "acme-notes-mcp", "2.1.0", "acme-notes")
    install(environment, "acme_notes_extra", "acme-extra", "9", "extra")
    found = find_identity(environment / "acme_notes")
    assert (found.name, found.version, found.command) == ("acme-notes-mcp", "2.1.0", "acme-notes")
    assert find_identity(environment / "unknown") == Identity()


def test_a_package_of_node_is_not_taken_for_the_project_around_it(repository):
    (repository / "package.json").write_text(json.dumps(PACKAGE), "utf-8")
    inner = repository / "node_modules/other"
    inner.mkdir(parents=True)
    assert find_identity(inner) == Identity()
    (inner / "package.json").write_text(json.dumps({"name": "other"}), "utf-8")
    assert find_identity(inner).name == "other"
