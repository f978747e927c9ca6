"""What the launcher runs for every verb without an entry of its own: the command line, out of the runtime."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ..machine import DATA_DIR_VARIABLE
from .process import data_root_of, fail


def main(argv: list[str], built_for: tuple[int, int]) -> NoReturn:
    """``argv`` as the launcher hands it on; ``built_for`` is the Python version whose files the runtime holds."""
    running = sys.version_info[:2]
    if running != built_for:
        fail(127, _other_python(running, built_for))
    runtime = os.path.dirname(os.path.dirname(argv[0]))  # noqa: PTH120 - pathlib costs as much as the whole start
    _process_path_files(os.path.join(runtime, "site"))  # noqa: PTH118
    _name_data_root(os.path.normpath(data_root_of(argv[0])))
    sys.argv = ["agent-connector", *argv[1:]]
    # By name: the core imports nothing of the folders above it.
    program = __import__("agent_connector.mcp_server.main", None, None, ["main"])
    sys.exit(program.main())


def _other_python(running: tuple[int, ...], built_for: tuple[int, int]) -> str:
    return (
        f"this runtime was made for Python {built_for[0]}.{built_for[1]}, but {sys.executable} is now "
        f"{running[0]}.{running[1]}: install agent-connector-mcp again and run its `agent-connector upgrade`"
    )


def _process_path_files(folder: str) -> None:
    """A required distribution may come with a ``.pth`` file (pywin32 does); the interpreter was started without."""
    if any(name.endswith(".pth") for name in os.listdir(folder)):  # noqa: PTH208
        import site

        site.addsitedir(folder)


def _name_data_root(root: str) -> None:
    """The launcher's own place decides, not what happens to be set; the usual place needs no variable at all."""
    usual = os.path.join(os.path.expanduser("~"), ".agent-connector")  # noqa: PTH111, PTH118
    if os.path.realpath(root) == os.path.realpath(usual):
        os.environ.pop(DATA_DIR_VARIABLE, None)
    else:
        os.environ[DATA_DIR_VARIABLE] = root
