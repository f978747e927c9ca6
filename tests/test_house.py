"""The house: which folder may import which, what light entry points load, and that the wheel carries everything."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
PACKAGES = {
    "core": "agent_connector",
    "adapters": "agent_connector.adapters",
    "mcp_server": "agent_connector.mcp_server",
    "prompts": "agent_connector.prompts",
}
MAY_IMPORT = {
    "core": set(),
    "adapters": {"core"},
    "mcp_server": {"core", "adapters", "prompts"},
    "prompts": set(),
}


def sources(folder: str) -> list[Path]:
    return sorted((HOUSE / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every imported module of a file: absolute names, and relative ones by their number of dots."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level


def folder_of(module: str) -> str | None:
    for folder in ("adapters", "mcp_server", "prompts"):
        if module == PACKAGES[folder] or module.startswith(PACKAGES[folder] + "."):
            return folder
    return "core" if module == "agent_connector" or module.startswith("agent_connector.") else None


@pytest.mark.parametrize("folder", PACKAGES)
def test_dependencies_point_one_way(folder: str) -> None:
    wrong = [
        f"{path.relative_to(HOUSE)} imports {module}"
        for path in sources(folder)
        for module, level in imports(path)
        if level == 0 and (target := folder_of(module)) and target != folder and target not in MAY_IMPORT[folder]
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", PACKAGES)
def test_inside_a_folder_imports_are_relative_and_never_leave_it(folder: str) -> None:
    wrong = []
    for path in sources(folder):
        depth = len(path.relative_to(HOUSE / folder).parts)
        for module, level in imports(path):
            if level > depth:
                wrong.append(f"{path.relative_to(HOUSE)}: a relative import leaves {folder}")
            if level == 0 and folder_of(module) == folder and folder != "adapters":
                wrong.append(f"{path.relative_to(HOUSE)}: {module} by its absolute name")
    assert wrong == []


@pytest.mark.parametrize("folder", PACKAGES)
def test_nothing_is_reached_by_the_name_of_its_folder(folder: str) -> None:
    wrong = [
        f"{path.relative_to(HOUSE)} imports {module}"
        for path in sources(folder)
        for module, level in imports(path)
        if level == 0 and module.split(".")[0] in PACKAGES
    ]
    assert wrong == []


RUN = 6
HANDED_ON = re.compile(r"\w+=[\w.]+,")
"""A keyword given what is defined elsewhere, as in ``server=SERVER,``: it repeats no more than an import does."""


def lines_that_say_something(path: Path) -> list[tuple[int, str]]:
    """(number, line without its white space) of a module, but for imports, comments, brackets and what hands on."""
    source = path.read_text(encoding="utf-8")
    imported = {
        number
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    written = ((number, " ".join(line.split())) for number, line in enumerate(source.splitlines(), 1))
    return [
        (number, line)
        for number, line in written
        if number not in imported
        and re.search(r"\w", line)
        and not line.startswith("#")
        and not HANDED_ON.fullmatch(line)
    ]


def runs_in_two_adapters(paths: Iterable[Path]) -> list[str]:
    """Where the same ``RUN`` lines stand in two folders, the first of them in each."""
    first: dict[tuple[str, ...], tuple[Path, int]] = {}
    found = {}
    for path in paths:
        lines = lines_that_say_something(path)
        for start in range(len(lines) - RUN + 1):
            run = tuple(line for _, line in lines[start : start + RUN])
            where, number = first.setdefault(run, (path, lines[start][0]))
            if where.parent != path.parent:
                found.setdefault((where, path), f"{where}:{number} and {path}:{lines[start][0]}")
    return list(found.values())


def test_no_run_of_lines_stands_in_two_adapters() -> None:
    """What two hosts need belongs to families, whose lines must not stand in a host again either."""
    assert runs_in_two_adapters(sources("adapters")) == []


def test_a_run_that_stands_in_two_adapters_is_found(tmp_path: Path) -> None:
    body = [f"value_{number} = make({number})  # not a comment line" for number in range(RUN)]
    for name, lines in (("one", ["import sys", *body]), ("two", ["", *body[:3], "# here", "    ", *body[3:]])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "host.py").write_text("\n".join(lines) + "\n")
    paths = sorted(tmp_path.rglob("*.py"))

    assert runs_in_two_adapters(paths) == [f"{paths[0]}:2 and {paths[1]}:2"]

    paths[1].write_text("\n".join(body[1:]) + "\nserver=SERVER,\n")
    assert runs_in_two_adapters(paths) == []


def test_core_names_no_host() -> None:
    hosts = {path.name.replace("_", "-") for path in (HOUSE / "adapters").iterdir() if (path / "host.py").is_file()}
    assert "claude-code" in hosts
    named = []
    for path in sources("core"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in hosts:
                named.append(f"{path.relative_to(HOUSE)}:{node.lineno} {node.value}")
    assert named == []


def test_only_the_machine_reads_the_environment() -> None:
    """Processes that hosts start (runtime) stand outside: they have no machine to be handed."""
    readers = []
    for path in sources("core") + sources("adapters"):
        if "runtime" in path.parts or path.name == "machine.py":
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            reads = isinstance(node, ast.Attribute) and (
                node.attr == "environ" or (node.attr == "home" and ast.unparse(node.value) == "Path")
            )
            if reads:
                readers.append(f"{path.relative_to(HOUSE)}:{node.lineno}")
    assert readers == []


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


HEAVY = {"pydantic", "mcp", "click", "rich", "tomlkit", "ruamel.yaml", "keyring", "tiktoken", "filelock", "asyncio"}


@pytest.mark.parametrize(
    "code",
    [
        "import agent_connector",
        "from agent_connector import Response, define_connector, hook",
        "import agent_connector.adapters.claude_code.hooks",
        "import agent_connector.adapters.codex.hooks",
        "import agent_connector.adapters.cursor.hooks",
    ],
)
def test_what_a_hook_process_imports_loads_nothing_else(code: str) -> None:
    extra = {"re", "json", "typing", "dataclasses", "pathlib", "enum", "subprocess"} | HEAVY
    before = loaded_by("")
    assert (loaded_by(code) - before) & extra == set()


def test_detecting_loads_no_heavy_library() -> None:
    code = (
        "from agent_connector.operations.detect import detect\nfrom agent_connector.adapters.catalog import CATALOG"
    )
    assert loaded_by(code) & HEAVY == set()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), str(HOUSE)]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_the_wheel_carries_every_module_and_data_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    for folder, package in PACKAGES.items():
        data = [
            path
            for pattern in ("*.md", "*.json", "*.xz", "*.LICENSE", "py.typed")
            for path in (HOUSE / folder).rglob(pattern)
        ]
        for path in [*sources(folder), *data]:
            assert "/".join([*package.split("."), *path.relative_to(HOUSE / folder).parts]) in packed
    assert not [name for name in packed if name.split("/")[0] in PACKAGES]
    assert [name for name in packed if name.endswith("licenses/LICENSE")]
