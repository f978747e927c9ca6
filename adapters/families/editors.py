"""Editors built on Visual Studio Code: each keeps a folder of its own for the same things, on every system."""

from __future__ import annotations

from agent_connector.location import Location, home


def user_folder(editor: str) -> Location:
    """Where ``editor`` keeps its user's settings; ``editor`` is the name of its folder."""
    return Location("appdata", (editor, "User"))


CODE = "Code"
INSIDERS = "Code - Insiders"

USER_FOLDERS = (
    *map(user_folder, (CODE, INSIDERS, "VSCodium", "Cursor", "Windsurf")),
    home(".vscode-server", "data", "User"),
)
"""Of all editors that take the same extensions. The last one serves an editor that runs on another machine."""
