"""What is installed: the notes server and a reminder to use it."""

from __future__ import annotations

import sys

from agent_connector import define_connector, memory

connector = define_connector(
    display_name="Acme Notes",
    server={"transport": "stdio", "command": sys.executable, "args": ["-m", "acme_notes.server"]},
    memory=[memory("Keep decisions of the user with the remember tool; look them up with recall.")],
)
