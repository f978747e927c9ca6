"""At the edges of what pipes, signals and streams can do, a served server is the bare server: the same driver has the
same conversation with and without ``serve`` and sees the same."""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from served import calls, make_root
from served import served as serving

SECONDS = 20
PYTHON = [sys.executable, "-I", "-S", "-c"]
"""Starts a small server."""

Seen = dict[str, Any]
Command = list[str]


@pytest.fixture(scope="module")
def root(built_runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_root(tmp_path_factory.mktemp("edges") / "it's $here", built_runtime)


Served = Callable[[Command], Command]


@pytest.fixture(params=["measured", "filtered"])
def served(request: pytest.FixtureRequest, root: Path) -> Served:
    """Makes of a server's command what a host's entry would hold."""

    return lambda command: serving(root, *command, host=request.param)


def same(served: Served, conduct: Callable[[Command], Seen], *command: str) -> Seen:
    """What ``conduct`` saw of the bare server, and of the served one too."""
    bare = conduct(list(command))
    assert conduct(served(list(command))) == bare
    return bare


def started(command: Command, **streams: Any) -> subprocess.Popen[bytes]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, bufsize=0, **{**pipes, **streams})


def whole(command: Command, data: bytes = b"", **streams: Any) -> Seen:
    done = subprocess.run(
        command,
        **({"input": data} if "stdin" not in streams else {}),
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        timeout=SECONDS,
        check=False,
    )
    return {"code": done.returncode, "said": done.stdout, "errors": done.stderr}


def ended(server: subprocess.Popen[bytes]) -> Seen:
    """The rest of what it says, and how it ends; its input is left open until then."""
    with server:
        assert server.stdout is not None
        assert server.stderr is not None
        return {"said": server.stdout.read(), "errors": server.stderr.read(), "code": server.wait(SECONDS)}


# --- pipes of which one half is closed -------------------------------------------------------------------------


def test_the_host_hears_at_once_that_the_server_reads_no_more(served: Served) -> None:
    script = "import os,time; os.close(0); os.write(1, b'closed\\n'); time.sleep(1); os.write(1, b'still\\n')"

    def conduct(command: Command) -> Seen:
        server = started(command)
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == b"closed\n"
        broken = _hears_the_end(server.stdin.fileno())
        refused = _refused(server.stdin.fileno())
        return {"broken": broken, "refused": refused, **ended(server)}

    assert same(served, conduct, *PYTHON, script) == {
        "broken": True,
        "refused": errno.EPIPE,
        "said": b"still\n",
        "errors": b"",
        "code": 0,
    }


def _hears_the_end(descriptor: int) -> bool:
    """Whether the other end of a pipe that is written to is gone, or goes in a moment."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return bool(poll.poll(800))


def _refused(descriptor: int) -> int | None:
    try:
        os.write(descriptor, b"x\n")
    except OSError as error:
        return error.errno
    return None


def test_the_server_hears_at_once_that_the_host_reads_no_more(served: Served) -> None:
    script = """
import os, select, sys
os.write(1, b"ready\\n")
poll = select.poll()
poll.register(1, 0)
heard = bool(poll.poll(5000))
try:
    os.write(1, b"lost\\n")
    refused = 0
except OSError as error:
    refused = error.errno
os.write(2, f"{heard} {refused} {sys.stdin.readline()!r}".encode())
"""

    def conduct(command: Command) -> Seen:
        server = started(command)
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        assert server.stdout.readline() == b"ready\n"
        server.stdout.close()
        server.stdin.write(b"still heard\n")
        errors = server.stderr.read()
        with server:
            return {"errors": errors, "code": server.wait(SECONDS)}

    seen = same(served, conduct, *PYTHON, script)

    assert seen == {"errors": f"True {errno.EPIPE} 'still heard\\n'".encode(), "code": 0}


@pytest.mark.parametrize("kind", ["two", "one"])
def test_sockets_take_the_place_of_pipes(served: Served, kind: str) -> None:
    """Node gives what it starts a pair of sockets for each stream; others one for both."""
    script = "import sys; d = sys.stdin.buffer.read(); sys.stdout.buffer.write(b'<%d>' % len(d) + d[-9:])"

    def conduct(command: Command) -> Seen:
        ours, its_input = socket.socketpair()
        mine, its_output = (ours, its_input) if kind == "one" else socket.socketpair()
        server = subprocess.Popen(command, stdin=its_input, stdout=its_output)
        its_input.close()
        its_output.close()
        with server, ours, mine:
            ours.sendall(b"x" * 500_000 + b"the end")
            ours.shutdown(socket.SHUT_WR)
            said = b""
            while data := mine.recv(65536):
                said += data
            return {"said": said, "code": server.wait(SECONDS)}

    assert same(served, conduct, *PYTHON, script) == {"said": b"<500007>xxthe end", "code": 0}


# --- other streams than pipes ----------------------------------------------------------------------------------


UPPER = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().upper()); sys.stderr.write('done')"


@pytest.mark.parametrize("kind", ["null", "file", "terminal", "closed"])
def test_the_input_may_be(served: Served, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "input"
    file.write_bytes(b"from a file\n" * 20_000)
    script = UPPER if kind != "closed" else "import os; os.write(1, b'came up'); os.write(2, b'done')"

    def conduct(command: Command) -> Seen:
        if kind == "closed":
            return whole(["sh", "-c", 'exec "$@" <&-', "sh", *command], stdin=None)
        if kind == "terminal":
            return _typed(command)
        with (Path("/dev/null") if kind == "null" else file).open("rb") as stdin:
            return whole(command, stdin=stdin)

    seen = same(served, conduct, *PYTHON, script)

    said = {"null": b"", "file": b"FROM A FILE\n" * 20_000, "terminal": b"TYPED\n", "closed": b"came up"}
    assert seen == {"code": 0, "said": said[kind], "errors": b"done"}


def _typed(command: Command) -> Seen:
    keyboard, terminal = pty.openpty()
    server = started(command, stdin=terminal)
    os.close(terminal)
    os.write(keyboard, b"typed\n\x04")
    try:
        return {**ended(server)}
    finally:
        os.close(keyboard)


@pytest.mark.parametrize("kind", ["file", "appended", "terminal", "full", "closed"])
def test_the_output_may_be(served: Served, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "output"
    script = (
        "import os\nleft = b'0123456789abcde\\n' * 10_000\n"
        "try:\n while left: left = left[os.write(1, left):]\n"
        "except OSError as error: os.write(2, b'%d' % error.errno)"
    )
    if kind == "full":
        script += "\nelse: import time; time.sleep(0.2); os.write(1, b'again')"

    def conduct(command: Command) -> Seen:
        file.write_bytes(b"before\n")
        if kind == "closed":
            return whole(["sh", "-c", 'exec "$@" >&-', "sh", *command])
        if kind == "terminal":
            return _shown(command)
        output = Path("/dev/full") if kind == "full" else file
        with output.open("ab" if kind == "appended" else "wb") as stdout:
            seen = whole(command, stdout=stdout)
        return {**seen, "said": file.read_bytes()}

    if kind in ("full", "closed"):
        # What cannot be written is heard by the server, though not by the very same call.
        assert conduct(served([*PYTHON, script]))["code"] in (0, 1, -signal.SIGPIPE)
        return
    seen = same(served, conduct, *PYTHON, script)
    told = b"0123456789abcde\n" * 10_000
    assert seen == {"code": 0, "said": b"before\n" + told if kind == "appended" else told, "errors": b""}


def _shown(command: Command) -> Seen:
    screen, terminal = pty.openpty()
    tty.setraw(terminal)
    server = started(command, stdin=subprocess.DEVNULL, stdout=terminal)
    os.close(terminal)
    said = b""
    with contextlib.suppress(OSError):  # the end of a terminal is an error
        while data := os.read(screen, 65536):
            said += data
    os.close(screen)
    assert server.stderr is not None
    with server:
        return {"said": said, "errors": server.stderr.read(), "code": server.wait(SECONDS)}


def test_what_shares_its_output_finds_it_as_it_was(served: Served) -> None:
    """Whether writing may block belongs to the pipe, not to the process: others that write there count on it."""
    env = {**os.environ, "LOOK": "import os; print(os.get_blocking(1), flush=True)"}

    def conduct(command: Command) -> Seen:
        return whole(["sh", "-c", '"$@"; exec "$0" -c "$LOOK"', sys.executable, *command], env=env)

    seen = same(served, conduct, "printf", "x")

    assert seen["said"] == b"xTrue\n"


# --- beginnings and ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("pass", 0),
        ("import os; os._exit(9)", 9),
        ("import os; os.write(2, b'cannot start'); os._exit(255)", 255),
        ("import os; os.kill(os.getpid(), 9)", -9),
        ("import os; os.kill(os.getpid(), 11)", -11),
        ("import os; os.close(1); os._exit(4)", 4),
        ("import os; os.write(1, b'no newline'); os._exit(5)", 5),
    ],
)
def test_it_may_end_before_it_was_spoken_to(served: Served, script: str, code: int) -> None:
    assert same(served, lambda command: ended(started(command)), *PYTHON, script)["code"] == code


def test_what_is_said_last_arrives_whole_however_slowly_it_is_read(served: Served) -> None:
    def conduct(command: Command) -> Seen:
        server = started(command)
        time.sleep(0.5)
        return ended(server)

    script = "import sys; sys.stdout.write('z' * 700_000); sys.stdout.flush(); sys.exit(3)"

    assert same(served, conduct, *PYTHON, script) == {"said": b"z" * 700_000, "errors": b"", "code": 3}


COUNTING = """
import os, signal, sys, time
heard = []
signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
os.write(1, b"ready\\n")
began = time.monotonic()
while not heard and time.monotonic() < began + 10: time.sleep(0.01)
time.sleep(0.3)
os.write(1, b"%d" % len(heard))
"""


@pytest.mark.parametrize("whom", ["process", "group"])
def test_the_server_hears_a_signal_once_whomever_the_host_sends_it_to(served: Served, whom: str) -> None:
    """Some hosts start a server in a group of its own and signal the group, others its process alone."""

    def conduct(command: Command) -> Seen:
        server = started(command, start_new_session=whom == "group")
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        if whom == "group":
            os.killpg(server.pid, signal.SIGTERM)
        else:
            server.send_signal(signal.SIGTERM)
        return ended(server)

    assert same(served, conduct, *PYTHON, COUNTING) == {"said": b"1", "errors": b"", "code": 0}


def test_a_signal_for_the_leader_of_a_group_alone_reaches_the_server_too(served: Served) -> None:
    server = started(served([*PYTHON, COUNTING]), start_new_session=True)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    server.send_signal(signal.SIGTERM)

    assert ended(server) == {"said": b"1", "errors": b"", "code": 0}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_group_that_is_ended_leaves_nothing_behind(served: Served, number: signal.Signals) -> None:
    def conduct(command: Command) -> Seen:
        server = started(command, start_new_session=True)
        assert server.stdout is not None
        its_own = int(server.stdout.readline())
        os.killpg(server.pid, number)
        seen = ended(server)
        return {**seen, "gone": _gone(its_own)}

    script = (
        "import os, signal, time; signal.signal(2, signal.SIG_DFL); print(os.getpid(), flush=True); time.sleep(30)"
    )

    assert same(served, conduct, *PYTHON, script) == {"said": b"", "errors": b"", "code": -number, "gone": True}


def _gone(process: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_standard_error_keeps_its_order_and_its_bytes(served: Served) -> None:
    script = "import os\nfor n in range(300): os.write(1, b'o'); os.write(2, b'%d\\r\\n\\0' % n)"

    seen = same(served, whole, *PYTHON, script)

    assert seen["errors"] == b"".join(b"%d\r\n\0" % n for n in range(300))


# --- what is said ----------------------------------------------------------------------------------------------

# Answers tools/call with the id as a client's own JSON library might write it back, and everything else with its
# bytes. "id" stands first or last in turn.
ECHO = """
import json, sys
out = sys.stdout.buffer
for number, line in enumerate(sys.stdin.buffer):
    try:
        value = json.loads(line)
    except ValueError:
        out.write(line); out.flush(); continue
    answers = []
    for message in value if isinstance(value, list) else [value]:
        if isinstance(message, dict) and message.get("method") == "tools/call" and "id" in message:
            id = message["id"]
            if isinstance(id, (int, float)) and not isinstance(id, bool):
                id = int(id) if float(id).is_integer() and abs(id) < 2 ** 53 else float(id)
            result = {"content": [{"type": "text", "text": "r" * message["params"].get("size", 3)}]}
            answer = {"jsonrpc": "2.0", "id": id, "result": result}
            answers.append(answer if number % 2 else {"jsonrpc": "2.0", "result": result, "id": id})
    if isinstance(value, list):
        if answers: out.write(json.dumps(answers).encode() + b"\\n")
    elif answers:
        out.write(json.dumps(answers[0]).encode() + b"\\r\\n")
    else:
        out.write(line)
    out.flush()
"""


def call(written_id: str, size: int = 3) -> bytes:
    """``written_id``: as it stands in the JSON."""
    params = f'{{"name": "t", "size": {size}}}'
    return f'{{"jsonrpc": "2.0", "id": {written_id}, "method": "tools/call", "params": {params}}}'.encode()


IDS = ["1.0", '"1"', "1e2", "-7", "0", "12345678901234567890", '"\\u0041\\"漢"', "9007199254740993", '""', "2.5"]


def test_ids_of_every_type_are_passed_on_and_found_again(served: Served, root: Path, request: Any) -> None:
    data = b"".join(call(written) + b"\n" for written in IDS)
    session = f"ids-{request.node.callspec.params['served']}"

    seen = same(served, _in_session(data, session), *PYTHON, ECHO)

    assert len(seen["said"].splitlines()) == len(IDS)
    assert _calls(root, session) == [("t", 0)] * len(IDS)


def test_batches_and_crlf(served: Served, root: Path, request: Any) -> None:
    data = b"[" + call("1") + b", " + call('"1"') + b"]\r\n[]\r\n\r\n" + call("3") + b"\r\n" + b"[1, null]\r\n"
    session = f"batches-{request.node.callspec.params['served']}"

    same(served, _in_session(data, session), *PYTHON, ECHO)

    assert _calls(root, session) == [("t", 0)] * 3


def test_nul_bytes_and_lines_that_are_no_json(served: Served) -> None:
    data = b"\0\n{\0}\nnull\n\xff\xfe\n\n" + call("1").replace(b"}}", b'}, "x": "\0"}') + b"\n\0\0\0"

    seen = same(served, lambda command: whole(command, data), *PYTHON, ECHO)

    assert seen["said"] == data


@pytest.mark.parametrize("size", [4095, 4096, 16_000, 65_536, 1_000_000, 3_000_000])
def test_long_lines_cut_at_any_byte(served: Served, root: Path, request: Any, size: int) -> None:
    request_line = call("1", size).replace(b'"t"', b'"t", "pad": "' + b"p" * size + b'"') + b"\n"
    session = f"long-{size}-{request.node.callspec.params['served']}"
    cuts = [1, 2, 17, len(request_line) // 2, len(request_line) - 1]

    def conduct(command: Command) -> Seen:
        server = started(command, env={**os.environ, "THEIR_SESSION": session})
        assert server.stdin is not None
        for start, end in zip([0, *cuts], [*cuts, len(request_line)], strict=True):
            server.stdin.write(request_line[start:end])
            time.sleep(0.002)
        server.stdin.close()
        return ended(server)

    seen = same(served, conduct, *PYTHON, ECHO)

    assert len(seen["said"]) > size
    assert _calls(root, session) == [("t", 0)]


def _in_session(data: bytes, session: str) -> Callable[[Command], Seen]:
    return lambda command: whole(command, data, env={**os.environ, "THEIR_SESSION": session})


def _calls(root: Path, session: str) -> list[tuple[str, int]]:
    """(tool, error) of each call that was noted in a session."""
    return [(row["tool"], row.get("error", 0)) for row in calls(root, session)]
