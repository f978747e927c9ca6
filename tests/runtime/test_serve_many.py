"""Many servers at once are small, share one counter, and do not notice when telemetry cannot work."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from served import Host, calls, counters, kill_counters, make_root

PROXIES = 20
MEMORY_MIB = 14.0
SMALL, BIG = 2_000, 1_100_000
"""Bytes of an answer's line, less than."""


@pytest.fixture
def root(built_runtime: Path, tmp_path: Path) -> Iterator[Path]:
    root = make_root(tmp_path / "it's $here", built_runtime)
    yield root
    kill_counters(root)


def peak_mib(process: int) -> float:
    return int(Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024


def test_twenty_servers_share_one_counter_and_their_proxies_stay_small(root: Path) -> None:
    hosts = [Host(root, f"s{number}") for number in range(PROXIES)]
    for host in hosts:
        host.call("small")
    for host in hosts:
        host.call("big")
        host.call("small", "x" * 1000)
    counted = [_counted(root, host) for host in hosts]
    hosts[0].call("big", "y" * 900_000)  # now that the counter has time for it
    last = _counted(root, hosts[0])

    peaks = [peak_mib(host.process.pid) for host in hosts]
    running = counters(root)
    for host in hosts:
        host.end()

    assert (counted, last) == ([3] * PROXIES, 4)
    assert len(running) == 1
    assert max(peaks) <= MEMORY_MIB, peaks


def _counted(root: Path, host: Host, seconds: float = 60) -> int:
    """How many of its calls the counter has counted, once it has counted them all."""
    deadline = time.monotonic() + seconds
    while True:
        rows = [row for row in calls(root, host.session) if "out" in row]
        if len(rows) == host.answered or time.monotonic() > deadline:
            return len(rows)
        time.sleep(0.1)


def without_counter(entry: Path) -> None:
    entry.unlink()


def not_python(entry: Path) -> None:
    entry.write_text("this is no Python")


def ends_at_once(entry: Path) -> None:
    entry.write_text("import sys; sys.exit(3)")


def holds_the_line(entry: Path) -> None:
    """A counter that is there and never reads."""
    entry.write_text(
        "import os, socket, sys, time\n"
        f"sys.path.insert(0, '/'); os.chdir({str(_telemetry(entry))!r})\n"
        "s = socket.socket(socket.AF_UNIX); s.bind('counter.sock'); s.listen(9); time.sleep(20)\n"
    )


def reads_and_says_nothing_sensible(entry: Path) -> None:
    entry.write_text(
        "import os, socket, sys, time\n"
        f"os.chdir({str(_telemetry(entry))!r})\n"
        "s = socket.socket(socket.AF_UNIX); s.bind('counter.sock'); s.listen(9)\n"
        "c, _ = s.accept(); c.sendall(b'\\0\\n-5\\n99999999999999999999999\\nhello\\n' * 99); time.sleep(20)\n"
    )


def _telemetry(entry: Path) -> Path:
    return entry.parents[3] / "telemetry"


@pytest.fixture
def own_runtime(root: Path, built_runtime: Path) -> Path:
    """The counter's entry in a runtime that a test may break."""
    (root / "runtime").unlink()
    (root / "runtime").mkdir()
    (version,) = (path for path in (built_runtime / "runtime").iterdir() if (path / "entry").is_dir())
    own = root / "runtime" / version.name
    own.mkdir()
    for part in version.iterdir():
        if part.name != "entry":
            (own / part.name).symlink_to(part)
    shutil.copytree(version / "entry", own / "entry")
    return own / "entry" / "counter.py"


@pytest.mark.parametrize(
    "broken", [without_counter, not_python, ends_at_once, holds_the_line, reads_and_says_nothing_sensible]
)
def test_without_a_counter_that_counts_rows_are_estimates_and_the_server_notices_nothing(
    root: Path, own_runtime: Path, broken: Callable[[Path], None]
) -> None:
    broken(own_runtime)
    host = Host(root, "s")

    sizes = [host.call("big" if number == 2 else "small") for number in range(6)]
    time.sleep(0.3)
    sizes.append(host.call("small"))
    began = time.monotonic()
    host.end()

    assert time.monotonic() - began < 5
    assert [size < SMALL for size in sizes] == [number != 2 for number in range(7)]
    rows = calls(root, "s")
    assert [row["outb"] + 1 for row in rows] == sizes
    assert all("out" not in row and "conf" not in row for row in rows)
    for process in counters(root):
        os.kill(process, 9)


@pytest.fixture
def full(tmp_path: Path, root: Path) -> Iterator[Path]:
    """A telemetry folder on a real file system without any room."""
    yield from _mounted(root, "size=64k", fill=True)


@pytest.fixture
def read_only(root: Path) -> Iterator[Path]:
    yield from _mounted(root, "ro", fill=False)


def _mounted(root: Path, options: str, *, fill: bool) -> Iterator[Path]:
    folder = root / "telemetry"
    folder.mkdir(mode=0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("no right to mount a file system here")
    if fill:
        with (folder / "full").open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
            while True:
                file.write(b"x" * 4096)
    yield folder
    kill_counters(root)
    time.sleep(0.1)
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def no_folder(root: Path) -> Path:
    (root / "telemetry").write_text("not a folder")
    return root / "telemetry"


@pytest.fixture
def forbidden(root: Path) -> Iterator[Path]:
    if os.geteuid() == 0:
        pytest.skip("root may do everything")
    root.chmod(0o500)
    yield root
    root.chmod(0o700)


@pytest.mark.parametrize("place", ["full", "read_only", "no_folder", "forbidden"])
def test_where_nothing_can_be_written_the_server_notices_nothing(
    root: Path, place: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(place)
    host = Host(root, "s")

    sizes = [host.call("big" if number == 2 else "small") for number in range(5)]
    time.sleep(0.3)
    sizes.append(host.call("small"))
    began = time.monotonic()
    host.end()

    assert time.monotonic() - began < 5
    assert [size < SMALL for size in sizes] == [number != 2 for number in range(6)]
    assert all(size < BIG for size in sizes)


def test_once_there_is_room_again_calls_are_counted_again(root: Path, full: Path) -> None:
    host = Host(root, "s")
    host.call("small")
    time.sleep(0.3)
    (full / "full").unlink()

    host.call("small")
    time.sleep(0.3)
    host.end()

    assert calls(root, "s")
