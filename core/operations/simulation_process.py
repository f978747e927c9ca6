"""A process for one simulated call, with a data root of its own that is gone afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

from ..values import frozen
from .context import Context

GRACE_SECONDS = 10
"""What the process may take beside its handlers' time."""
PRINTED_CAP = 20_000
"""Characters of what handlers printed that are reported; the end counts."""

_CHILD = """\
import sys
sys.path[:0] = sys.argv[2:]
from agent_connector.runtime.simulation import main
main(sys.argv[1])
"""


@frozen
class Ended:
    """``told``: what :mod:`agent_connector.runtime.simulation` told, ``None`` where it ended before it could.
    ``printed``: by handlers and programs, beside their answers."""

    told: dict[str, Any] | None
    exit_status: int
    printed: str


def run_apart(
    request: Mapping[str, Any], payload: bytes, entries: Iterable[Mapping[str, Any]], context: Context, cwd: PurePath
) -> Ended:
    """``request``: host, event, connector, surface and record. ``entries``: those that may run; they tell how long to
    wait."""
    longest = max((entry.get("together_ms", entry.get("timeout_ms", 0)) for entry in entries), default=0)
    with TemporaryDirectory(prefix="agent-connector-", ignore_cleanup_errors=True) as root:
        arguments = [root, *_import_roots(request["record"])]
        data = json.dumps(request).encode() + b"\n" + payload
        line, code = _run(arguments, data, longest / 1000 + GRACE_SECONDS, _environment(context), cwd)
        try:
            told = json.loads(line)
        except ValueError:
            told = None
        return Ended(told, code, printed_in(Path(root), request["connector"]))


def _run(
    arguments: list[str], data: bytes, seconds: float, environment: Mapping[str, str], cwd: PurePath
) -> tuple[str, int]:
    """The first line that the process writes, and its exit code."""
    isolated = ["-I", "-S"] if len(arguments) > 1 else ["-I"]
    with subprocess.Popen(
        [sys.executable, *isolated, "-c", _CHILD, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        cwd=cwd if Path(cwd).is_dir() else None,
        start_new_session=True,
    ) as process:
        try:
            written, _ = process.communicate(data, timeout=seconds)
        except subprocess.TimeoutExpired:
            written = b""
        finally:
            _end(process)
    return written.decode("utf-8", "surrogateescape").partition("\n")[0], process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it started; they have a group of their own."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()  # which leaving its block leaves out after Ctrl-C


def _import_roots(record: Mapping[str, Any]) -> list[str]:
    """The folders that hold our package and those of other packages' hosts; none where ours is mapped together by
    an editable installation, which only its own finder can import."""
    site = Path(__file__).parents[2]
    if not (site / "agent_connector" / "runtime" / "simulation.py").is_file():
        return []
    roots = [str(site)]
    for host in record["hosts"].values():
        if host.get("module"):
            module = __import__(host["module"], fromlist=["parse"])
            depth = host["module"].count(".")
            roots.append(str(Path(str(module.__file__)).parents[depth]))
    return list(dict.fromkeys(roots))


def _environment(context: Context) -> dict[str, str]:
    """Ours, without the marks of the host that we may be running in: hook processes tell their caller by them."""
    marks = {name for host in context.catalogue.ids() for name in context.catalogue.get(host).detection.runtime.env}
    return {name: value for name, value in context.machine.env.items() if name not in marks}


def printed_in(data_root: Path, connector: str) -> str:
    """What handlers and programs wrote that is no answer."""
    try:
        text = (data_root / "logs" / "handlers" / f"{connector}.log").read_bytes()
    except OSError:
        return ""
    return text.decode("utf-8", "replace")[-PRINTED_CAP:]
