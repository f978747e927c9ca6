"""Runtime and launcher as files: what is in them, when they are made anew, when they go."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from agent_connector.errors import RuntimeBuildError
from agent_connector.runtime import assembly
from agent_connector.runtime.builder import (
    build_launcher,
    current_runtime,
    is_current,
    launcher_path,
    prune_runtimes,
    refresh,
    remove_runtime,
)
from agent_connector.runtime.launcher import Stamp, read_stamp

REFRESH = """
import os, sys
from pathlib import Path
from agent_connector.runtime.builder import refresh
done = refresh(Path(sys.argv[1]), environment=os.environ)
print(done.runtime.path)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What one refresh made of the installation that runs the tests. Tests only read it."""
    root = tmp_path_factory.mktemp("made") / "root"
    return root, refresh(root, environment=os.environ)


@pytest.fixture
def root(made, tmp_path, copy_root):
    """The same, as the test's own."""
    return copy_root(made[0], tmp_path / "root")


# --- what is in it ---------------------------------------------------------------------------------------------


def test_a_runtime_holds_the_package_what_it_needs_and_nothing_of_its_extras(made):
    site = made[1].runtime.path / "site"
    present = {path.name for path in site.iterdir()}

    assert {"agent_connector", "pydantic", "mcp", "tomlkit", "ruamel", "typing_extensions.py"} <= present
    assert not {"pytest", "hypothesis", "mypy", "pip", "setuptools"} & present
    assert (site / "agent_connector" / "adapters" / "codex" / "hooks.py").is_file()
    assert (site / "agent_connector" / "py.typed").is_file()


def test_a_runtime_depends_on_nothing_outside(made):
    path = made[1].runtime.path

    assert [file for file in path.rglob("*") if file.is_symlink()] == []
    assert list(path.rglob("direct_url.json")) == []
    assert list(path.rglob("__editable__*")) == []


def test_our_own_files_are_copies_with_bytecode_and_private(made):
    package = made[1].runtime.path / "site" / "agent_connector"
    source = package / "runtime" / "hook.py"

    assert source.stat().st_nlink == 1
    assert source.stat().st_mode & 0o777 == 0o600
    assert {folder.stat().st_mode & 0o777 for folder in (package, *package.parents[:4])} == {0o700}
    compiled = {file.name.partition(".")[0] for file in (package / "runtime" / "__pycache__").iterdir()}
    assert compiled == {file.stem for file in (package / "runtime").glob("*.py")}


def test_files_of_others_are_links_where_the_file_system_makes_them(made):
    source = Path(__import__("tomlkit").__file__)
    copy = made[1].runtime.path / "site" / "tomlkit" / "__init__.py"

    assert copy.read_bytes() == source.read_bytes()
    if source.stat().st_dev == copy.stat().st_dev:
        assert copy.samefile(source)


def test_without_links_files_are_copied_with_their_time(tmp_path, monkeypatch):
    def no_links(*_paths, **_options):
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "link", no_links)
    done = refresh(tmp_path / "root", environment=os.environ)

    source = Path(__import__("tomlkit").__file__)
    copy = done.runtime.path / "site" / "tomlkit" / "__init__.py"
    assert not copy.samefile(source)
    assert int(copy.stat().st_mtime) == int(source.stat().st_mtime)
    assert subprocess.run([done.launcher, "--version"], capture_output=True, check=True).stdout


def test_a_runtime_can_be_asked_for_its_version_and_needs(made):
    code = (
        "import sys; sys.path.append(sys.argv[1]); from importlib.metadata import distribution as d; "
        "x = d('agent-connector-mcp'); print(x.version, len(x.requires) > 0, d('pydantic').version)"
    )
    site = made[1].runtime.path / "site"
    stamp = read_stamp(made[1].launcher)

    answer = subprocess.run([stamp.interpreter, "-I", "-S", "-c", code, site], capture_output=True, check=True)

    assert answer.stdout.split()[:2] == [made[1].runtime.version.encode(), b"True"]


# --- when it is made -------------------------------------------------------------------------------------------


def test_what_is_there_already_is_not_made_again(root, made):
    before = _state(root)

    again = refresh(root, environment=os.environ)

    assert (again.runtime.built, again.launcher_changed, again.warnings) == (False, False, ())
    assert _state(root) == before
    assert is_current(root)


def test_other_content_of_the_same_version_gets_a_name_of_its_own_and_the_old_stays(root):
    old = current_runtime(root)
    manifest = json.loads((old / "manifest.json").read_bytes())
    _replace(old / "manifest.json", json.dumps({**manifest, "own": "other", "digest": "other"}))
    assert not is_current(root)

    done = refresh(root, environment=os.environ)

    assert done.runtime.built
    assert done.runtime.name == f"{old.name}+{done.runtime.digest[:12]}"
    assert current_runtime(root) == done.runtime.path
    assert (old / "site" / "agent_connector" / "__init__.py").is_file()
    assert is_current(root)
    assert subprocess.run([done.launcher, "--version"], capture_output=True, check=True).stdout
    assert not refresh(root, environment=os.environ).runtime.built


def test_a_damaged_runtime_is_made_anew_when_asked(root):
    runtime = current_runtime(root)
    shutil.rmtree(runtime / "site" / "agent_connector" / "mcp_server")
    assert not refresh(root, environment=os.environ).runtime.built

    done = refresh(root, environment=os.environ, force=True)

    assert done.runtime.path == runtime
    assert subprocess.run([done.launcher, "--version"], capture_output=True, check=True).stdout
    assert [path.name for path in (root / "runtime").iterdir()] == [runtime.name]


def test_a_runtime_without_its_manifest_is_none(root):
    runtime = current_runtime(root)
    (runtime / "manifest.json").unlink()
    assert not is_current(root)

    done = refresh(root, environment=os.environ)

    assert done.runtime.built
    assert is_current(root)


def test_a_launcher_that_was_changed_or_lost_is_written_again(root):
    launcher = launcher_path(root)
    text = launcher.read_bytes()
    for spoil in (launcher.unlink, lambda: _replace(launcher, "other"), lambda: launcher.chmod(0o600)):
        spoil()
        assert refresh(root, environment=os.environ).launcher_changed
        assert launcher.read_bytes() == text
        assert launcher.stat().st_mode & 0o777 == 0o700


def test_a_launcher_that_became_a_link_is_a_file_again(root, tmp_path):
    launcher = launcher_path(root)
    other = tmp_path / "other"
    launcher.rename(other)
    launcher.symlink_to(other)

    assert refresh(root, environment=os.environ).launcher_changed
    assert not launcher.is_symlink()


def test_the_launcher_of_a_newer_version_stays(root):
    runtime = current_runtime(root)
    newer = runtime.with_name("99.0")
    runtime.rename(newer)
    manifest = json.loads((newer / "manifest.json").read_bytes())
    _replace(newer / "manifest.json", json.dumps({**manifest, "version": "99.0"}))
    stamp = read_stamp(launcher_path(root))
    build_launcher(root, Stamp(stamp.interpreter, "99.0"))

    done = refresh(root, environment=os.environ)

    assert (done.runtime.version, done.runtime.built, done.launcher_changed) == ("99.0", False, False)
    assert "99.0" in done.warnings[0]
    assert current_runtime(root) == newer

    build_launcher(root, Stamp("/gone/python", "99.0"))  # but one that does not work any more is replaced
    assert refresh(root, environment=os.environ).launcher_changed


def test_builders_at_the_same_time_all_succeed_and_make_one(installation, tmp_path):
    root = tmp_path / "root"
    builders = [
        subprocess.Popen(
            [installation.python, "-I", "-c", REFRESH, root], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]

    answers = [builder.communicate(timeout=120) for builder in builders]

    assert [builder.returncode for builder in builders] == [0] * 4, answers
    assert len({stdout for stdout, _stderr in answers}) == 1
    assert len(list((root / "runtime").iterdir())) == 1


def test_a_build_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(assembly, "entry_texts", full)
    with pytest.raises(OSError, match="No space"):
        refresh(tmp_path / "root", environment=os.environ)

    assert list((tmp_path / "root" / "runtime").iterdir()) == []
    assert not launcher_path(tmp_path / "root").exists()


def test_a_missing_requirement_is_named(installation, tmp_path):
    copy = tmp_path / "ve"
    shutil.copytree(installation.folder, copy, symlinks=True, copy_function=os.link)
    shutil.rmtree(next(copy.rglob("tomlkit-*.dist-info")))

    answer = subprocess.run(
        [copy / installation.python.relative_to(installation.folder), "-I", "-c", REFRESH, tmp_path / "root"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode != 0
    assert "needs tomlkit, which is not installed beside it" in answer.stderr


def test_a_runtime_is_not_made_out_of_itself(root):
    launcher = launcher_path(root)
    stamp = read_stamp(launcher)
    code = (
        "import sys; sys.path.append(sys.argv[1]); from pathlib import Path; import os\n"
        "from agent_connector.errors import RuntimeBuildError\n"
        "from agent_connector.runtime.builder import refresh, is_current\n"
        "root = Path(sys.argv[2]); assert is_current(root)\n"
        "done = refresh(root, environment=os.environ); assert not done.runtime.built and not done.launcher_changed\n"
        "try: refresh(root, environment=os.environ, force=True)\n"
        "except RuntimeBuildError as error: print(error)\n"
    )
    site = current_runtime(root) / "site"

    answer = subprocess.run(
        [stamp.interpreter, "-I", "-S", "-B", "-c", code, site, root], capture_output=True, text=True, check=False
    )

    assert answer.returncode == 0, answer.stderr
    assert "cannot be made out of itself" in answer.stdout
    assert "upgrade" in answer.stdout


def test_without_an_installation_there_is_a_hint(monkeypatch, tmp_path):
    monkeypatch.setattr("agent_connector.runtime.distributions.DISTRIBUTION", "agent-connector-mcp-not-here")

    with pytest.raises(RuntimeBuildError, match="is not installed") as raised:
        refresh(tmp_path / "root", environment=os.environ)
    assert "pip install" in raised.value.hint


# --- when it goes ----------------------------------------------------------------------------------------------


def test_runtimes_that_nobody_used_for_days_go_and_the_launchers_own_stays(root):
    folder = root / "runtime"
    current = current_runtime(root)
    long_ago = time.time() - 30 * 24 * 3600
    for name in ("0.0.1", "0.0.2", ".building-1-x"):
        (folder / name).mkdir()
        os.utime(folder / name, (long_ago, long_ago))
    os.utime(current, (long_ago, long_ago))
    (folder / "0.0.3").mkdir()
    (folder / ".building-2-x").mkdir()

    assert prune_runtimes(root, keep={"0.0.2"}) == (".building-1-x", "0.0.1")
    assert {path.name for path in folder.iterdir()} == {current.name, "0.0.2", "0.0.3", ".building-2-x"}


def test_the_days_count_from_the_switch(root):
    old = current_runtime(root)
    long_ago = time.time() - 30 * 24 * 3600
    manifest = json.loads((old / "manifest.json").read_bytes())
    _replace(old / "manifest.json", json.dumps({**manifest, "digest": "other"}))
    os.utime(old, (long_ago, long_ago))

    done = refresh(root, environment=os.environ)

    assert done.pruned == ()
    assert old.is_dir()
    assert prune_runtimes(root, unused_seconds=-1) == (old.name,)


def test_removing_takes_launcher_and_runtimes_only(root):
    (root / "state.db").write_text("kept")
    (root / "bin" / "somebody's").write_text("kept")

    remove_runtime(root)

    assert sorted(path.relative_to(root).as_posix() for path in root.rglob("*")) == [
        "bin",
        "bin/somebody's",
        "state.db",
    ]
    remove_runtime(root)


def test_a_process_that_runs_from_a_runtime_removes_it_when_it_ends(root):
    stamp = read_stamp(launcher_path(root))
    code = (
        "import sys; sys.path.append(sys.argv[1]); from pathlib import Path\n"
        "from agent_connector.runtime.builder import remove_runtime\n"
        "remove_runtime(Path(sys.argv[2])); import agent_connector.references; print('still there')\n"
    )
    site = current_runtime(root) / "site"

    answer = subprocess.run(
        [stamp.interpreter, "-I", "-S", "-B", "-c", code, site, root], capture_output=True, text=True, check=False
    )

    assert (answer.stdout, answer.stderr) == ("still there\n", "")
    assert list(root.iterdir()) == []


def _state(root):
    return sorted((path, path.lstat().st_mtime_ns, path.lstat().st_ino) for path in root.rglob("*"))


def _replace(path, text):
    path.unlink()
    path.write_text(text)
