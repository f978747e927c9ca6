"""``serve``: the server itself runs, with the environment its definition asks for, or it is said why not."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from agent_connector.runtime.serve import RefusedError, child_environment, resolve
from agent_connector.runtime.windows import process_line
from hypothesis import given
from hypothesis import strategies as st


def serve(launcher, *command, flags=()):
    return [launcher, "serve", "--connector", "acme", "--host", "codex", "--scope", "user", *flags, "--", *command]


def test_bytes_pass_as_they_are(run, launcher):
    data = os.urandom(300_000) + b'\r\n\x00\n{"id": 1}\n' + "漢字".encode() + b"no newline at the end"

    answer = run(serve(launcher, "cat"), data)

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, data, b"")


@pytest.mark.parametrize("code", [0, 1, 2, 7, 127, 255])
def test_the_exit_code_is_the_servers_own(run, launcher, code):
    assert run(serve(launcher, "sh", "-c", f"exit {code}")).returncode == code


def test_words_behind_the_dashes_are_the_servers_own(run, launcher):
    words = ["--env", "A=b", "--", "it's", "$HOME", "", "{env:NOPE}", "-x"]

    answer = run(serve(launcher, "printf", "[%s]", *words))

    assert answer.stdout == "".join(f"[{word}]" for word in words).encode()


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "USR1"])
def test_the_server_takes_the_signals(launcher, name):
    script = f'trap "echo got; exit 5" {name}; echo ready; while :; do sleep 0.05; done'
    number = getattr(signal, f"SIG{name}")
    server = subprocess.Popen(
        [str(word) for word in serve(launcher, "sh", "-c", script)],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # whoever runs the tests may ignore it (nohup)
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    server.send_signal(number)

    assert server.stdout.read() == b"got\n"
    assert server.wait(timeout=10) == 5
    server.stdout.close()


def test_a_signal_that_the_host_wants_ignored_stays_ignored(launcher):
    command = " ".join(map(shlex.quote, map(str, serve(launcher, "sh", "-c", "kill -HUP $$; echo alive"))))

    answer = subprocess.run(["sh", "-c", f"trap '' HUP; exec {command}"], capture_output=True, check=False)

    assert (answer.returncode, answer.stdout) == (0, b"alive\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGINT])
def test_a_server_that_a_signal_ended_is_seen_to_be_ended_by_it(launcher, tmp_path, number):
    command = [str(word) for word in serve(launcher, "sh", "-c", f"kill -{int(number)} $$")]

    assert subprocess.run(command, check=False, cwd=tmp_path).returncode == -number
    assert not list(tmp_path.iterdir())  # no core of ours


def test_the_server_hears_the_end_of_its_input_and_may_go_on_speaking(run, launcher):
    answer = run(serve(launcher, "sh", "-c", "cat; sleep 0.1; echo still here; exit 3"), b"all\n")

    assert (answer.returncode, answer.stdout) == (3, b"all\nstill here\n")


def test_a_server_that_closes_its_output_is_seen_to_have_done_so_while_it_goes_on(launcher):
    command = [str(word) for word in serve(launcher, "sh", "-c", "echo one; exec >&-; cat >/dev/null; exit 4")]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdin is not None

    assert server.stdout.read() == b"one\n"
    assert server.poll() is None
    server.stdin.close()
    assert server.wait(timeout=10) == 4
    server.stdout.close()


def test_a_server_that_reads_no_more_is_not_a_reason_to_fail(run, launcher):
    answer = run(serve(launcher, "sh", "-c", "exec <&-; sleep 0.2; echo done"), b"x" * 1_000_000)

    assert (answer.returncode, answer.stdout) == (0, b"done\n")


def test_what_a_server_leaves_behind_does_not_keep_the_host_waiting(run, launcher):
    began = time.monotonic()

    answer = run(serve(launcher, "sh", "-c", "sleep 30 2>/dev/null & echo $!; exit 6"))
    os.kill(int(answer.stdout), signal.SIGKILL)

    assert answer.returncode == 6
    assert time.monotonic() - began < 10


def test_neither_side_blocks_the_other_when_both_say_more_than_anybody_reads(launcher):
    """Both ends fill every pipe before they begin to read."""
    script = (
        "import os,sys; os.write(1, b'a' * 1_000_000); d = b''\nwhile c := os.read(0, 65536): d += c\nprint(len(d))"
    )
    command = [str(word) for word in serve(launcher, sys.executable, "-I", "-S", "-c", script)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    said, _ = server.communicate(b"b" * 1_000_000, timeout=30)

    assert said == b"a" * 1_000_000 + b"1000000\n"


def test_standard_output_and_error_on_one_pipe_stay_whole(launcher):
    script = "import os\nfor n in range(200): os.write(1, b'o' * 1000 + b'\\n'); os.write(2, b'e' * 1000 + b'\\n')"
    command = [str(word) for word in serve(launcher, sys.executable, "-I", "-S", "-c", script)]

    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=30)

    lines = answer.stdout.splitlines()
    assert (lines.count(b"e" * 1000), answer.stdout.count(b"o")) == (200, 200_000)


def test_a_line_of_100_mb_passes_without_being_kept(launcher):
    script = "import os; m = b'x' * (1 << 20)\nfor _ in range(100): os.write(1, m)\nos.write(1, b'\\n')"
    command = [str(word) for word in serve(launcher, sys.executable, "-I", "-S", "-c", script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        size = peak = 0
        while data := server.stdout.read(1 << 20):
            size += len(data)
            peak = max(peak, _peak_kib(server.pid))
    assert size == 100 * (1 << 20) + 1
    assert peak < 20_000


def _peak_kib(process: int) -> int:
    with contextlib.suppress(OSError, IndexError):  # an ended process has a file without it
        return int(Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()[0])
    return 0  # it has ended


def test_the_server_dies_of_a_broken_pipe_as_it_would_without_us(run, launcher):
    script = "(yes; echo status $? >&2) | head -n 1 >/dev/null"

    answer = run(serve(launcher, "sh", "-c", script))

    assert answer.stderr == b"status 141\n"


def test_the_environment_is_handed_on_with_the_templates_filled_in(run, launcher):
    flags = ["--env", "A=x{env:ONE}y{env:ONE}", "--env=B={env:NONE:-a b}", "--env", "C={env:EMPTY:-d}", "--env", "D="]
    env = {"ONE": "ü=1", "EMPTY": "", "PATH": os.defpath, "python": "theirs", "root": "theirs", "script": "theirs"}

    answer = run(serve(launcher, "env", flags=flags), env=env)

    seen = dict(line.split("=", 1) for line in answer.stdout.decode().splitlines())
    of_the_shell = {name: value for name, value in seen.items() if name in ("PWD", "OLDPWD", "SHLVL", "_")}
    assert seen == {**env, **of_the_shell, "A": "xü=1yü=1", "B": "a b", "C": "d", "D": ""}


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "UTF-8", ""])
def test_a_locale_the_host_chose_is_handed_on(run, launcher, locale):
    answer = run(serve(launcher, "env"), env={"LC_CTYPE": locale})

    assert f"LC_CTYPE={locale}".encode() in answer.stdout.splitlines()


def test_the_commands_own_words_are_filled_in_when_asked(run, launcher):
    words = ["printf", "[%s]", "{env:ONE}", "{env:TWO:-2}", "{x}"]

    filled = run(serve(launcher, *words, flags=["--fill"]), env={"ONE": "1 1"})
    literal = run(serve(launcher, *words), env={"ONE": "1 1"})

    assert filled.stdout == b"[1 1][2][{x}]"
    assert literal.stdout == b"[{env:ONE}][{env:TWO:-2}][{x}]"


def test_the_server_starts_in_its_folder(run, launcher, tmp_path):
    folder = tmp_path / "it's $here"
    folder.mkdir()

    assert run(serve(launcher, "pwd", flags=["--cwd", folder])).stdout == f"{folder}\n".encode()
    refused = run(serve(launcher, "pwd", flags=["--cwd", folder / "not"]))
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"cannot go to the folder" in refused.stderr


def test_flags_of_a_newer_version_are_passed_over(run, launcher):
    answer = run(serve(launcher, "sh", "-c", "echo $A", flags=["--new", "3", "--newer=4", "-z", "--env", "A=1"]))

    assert (answer.returncode, answer.stdout) == (0, b"1\n")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--env", "A={env:NOPE}", "--", "cat"], 1, b"environment variable NOPE is not set"),
        (["--secret-env", "TOKEN=Bearer {secret:api-token}", "--", "cat"], 1, b"secret 'api-token'"),
        (["--secret-env=TOKEN=x", "--", "cat"], 1, b"secret 'TOKEN'"),
        (["--env", "A={secret:api-token}", "--", "cat"], 1, b"secrets are not available yet"),
        (["--fill", "--", "cat", "{secret:api-token}"], 1, b"secrets are not available yet"),
        (["--"], 2, b"no command after --"),
        (["--", "no-such-program-here"], 127, b"command not found: no-such-program-here"),
        (["--", "/no/such/program"], 127, b"command not found: /no/such/program"),
        (["--", "/"], 126, b"cannot start /"),
    ],
)
def test_what_cannot_be_started_is_said_on_standard_error_only(run, launcher, words, code, text):
    answer = run([launcher, "serve", "--connector", "acme", *words])

    assert (answer.returncode, answer.stdout) == (code, b"")
    assert text in answer.stderr


def test_without_dashes_there_is_no_command(run, launcher):
    answer = run([launcher, "serve", "--connector", "x", "cat"])

    assert (answer.returncode, answer.stdout) == (2, b"")


def test_programs_are_found_as_the_system_finds_them(run, launcher, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (first / "tool").write_text("not executable")
    tool = second / "tool"
    tool.write_text('echo "$0:$1"\n')  # no first line that names an interpreter
    tool.chmod(0o700)

    answer = run(serve(launcher, "tool", "arg"), env={"PATH": f"{first}:{second}:{os.defpath}"})
    assert (answer.returncode, answer.stdout) == (0, f"{tool}:arg\n".encode())

    tool.unlink()
    answer = run(serve(launcher, "tool"), env={"PATH": f"{first}:{second}"})
    assert answer.returncode == 126


def test_a_secret_never_becomes_an_empty_value():
    with pytest.raises(RefusedError, match="secret"):
        child_environment(["--env", "A={secret:}"], {})


@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_all_other_text_is_literal(text):
    safe = text.replace("{env:", "").replace("{secret:", "")

    assert resolve(safe, {}) == safe


@pytest.mark.parametrize(
    "text", ["{env:", "{env:}", "{env:1A}", "{env:A B}", "{env:A", "{{env}}", "${A}", "{env:-x}"]
)
def test_what_only_looks_like_a_reference_is_literal(text):
    assert resolve(text, {"A": "1"}) == text


def test_a_literal_brace_before_a_reference_stays():
    assert resolve("{{env:A}}{", {"A": "1"}) == "{1}{"


def test_a_batch_file_runs_through_the_command_interpreter():
    assert process_line(["C:\\x y\\npx.CMD", "-y", "a b"], "C:\\cmd.exe") == (
        '"C:\\cmd.exe" /d /s /c "C:\\x^ y\\npx.CMD -y ^^^"a^^^ b^^^""'
    )
    assert process_line(["C:\\x y\\a.exe", "a b"], "C:\\cmd.exe") == '"C:\\x y\\a.exe" "a b"'


def test_a_server_starts_at_once(launcher):
    """Not a figure (benchmarks have those), but nothing may wait for input or a time-out first."""
    started = time.monotonic()
    subprocess.run([str(word) for word in serve(launcher, "true")], check=True, stdin=subprocess.DEVNULL)

    assert time.monotonic() - started < 5
