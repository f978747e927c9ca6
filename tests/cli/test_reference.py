from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Person

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_reference_is_what_the_options_say(person: Person) -> None:
    written = subprocess.run(
        [sys.executable, "-m", "agent_connector.mcp_server.cli.reference"],
        env=person.env,
        cwd=person.home,
        capture_output=True,
        timeout=60,
        check=True,
    ).stdout
    assert PAGE.read_bytes() == written.replace(b"\r\n", b"\n"), (
        "python -m agent_connector.mcp_server.cli.reference > docs/cli.md"
    )
