"""Folders that hosts take for a project."""

from __future__ import annotations

from pathlib import PurePath

from agent_connector.host import Files


def with_repository(project: PurePath, files: Files) -> tuple[PurePath, ...]:
    """The folder itself, and the root of the repository it is in."""
    root = next((folder for folder in (project, *project.parents) if files.exists(folder / ".git")), project)
    return tuple(dict.fromkeys((project, root)))


def with_folders_above(project: PurePath, _files: Files) -> tuple[PurePath, ...]:
    """The folder itself, and every one it is in."""
    return (project, *project.parents)
