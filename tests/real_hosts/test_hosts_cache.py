"""A host that cannot be had is a failure where CI asks for it and a spoken skip elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts_cache import CLAUDE_CODE, require


@pytest.fixture
def nothing_to_install_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setenv("AGENT_CONNECTOR_HOST_CACHE", str(cache))
    monkeypatch.setenv("PATH", str(tmp_path))
    return cache


def test_in_ci_it_fails_with_the_reason(nothing_to_install_with: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="npm is not on PATH"):
        require(CLAUDE_CODE)


def test_elsewhere_it_skips_and_prints_the_reason(
    nothing_to_install_with: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception):
        require(CLAUDE_CODE)
    assert "npm is not on PATH" in capsys.readouterr().out


def test_a_folder_in_the_cache_is_used_as_it_is(nothing_to_install_with: Path) -> None:
    folder = nothing_to_install_with / CLAUDE_CODE.folder_name
    folder.mkdir(parents=True)
    assert require(CLAUDE_CODE) == folder


def test_a_failed_install_leaves_nothing_that_looks_installed(
    nothing_to_install_with: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\n/bin/mkdir node_modules\necho no such version >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="no such version"):
        require(CLAUDE_CODE)

    assert [path.name for path in nothing_to_install_with.iterdir() if path.is_dir()] == []
