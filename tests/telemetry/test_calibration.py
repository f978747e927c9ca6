"""Asking Anthropic how many tokens it counts: only where everybody wants it, rarely, and never in anybody's way."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from agent_connector.telemetry import calibration as module
from agent_connector.telemetry.calibration import Calibration
from agent_connector.telemetry.tokens import tokens

from .conftest import Counter

KEY = "sk-ant-secret-5f1c"
AROUND = 7
"""Tokens of the stand-in's message around a text."""
WORDS = "some words that are counted in two places and compared "


@dataclass
class Service:
    """A stand-in that finds ``factor`` times the tokens that we count."""

    address: str = ""
    factor: float = 1.25
    status: int = 200
    reply: bytes | None = None
    elsewhere: str = ""
    seconds: float = 0.0
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            service.asked.append(body)
            service.headers.append({name.lower(): value for name, value in self.headers.items()})
            service.paths.append(self.path)
            time.sleep(service.seconds)
            text = body["messages"][0]["content"]
            found = 1 if text == "a" else round(tokens().count(text) * service.factor)
            reply = json.dumps({"input_tokens": AROUND + found}).encode() if service.reply is None else service.reply
            self.send_response(302 if service.elsewhere else service.status)
            if service.elsewhere:
                self.send_header("location", service.elsewhere)
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def do_GET(self) -> None:
            service.headers.append({})
            self.send_error(405)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "telemetry").mkdir()
    return tmp_path


def calibration(root: Path, service: Service, **more: Any) -> Calibration:
    return Calibration(str(root), key=KEY, place=service.address, **{"between": 0.0, **more})


def sample(asking: Calibration, number: int = 0, words: int = 30) -> bool:
    text = WORDS * words + str(number)
    asked = asking.offer(text, lambda: tokens().count(text))
    asking.wait(10)
    return asked


def test_after_some_samples_the_ratio_is_known_and_stays_known(root: Path, service: Service) -> None:
    asking = calibration(root, service)
    assert asking.ratio("anthropic") is None
    for number in range(3):
        assert sample(asking, number)

    ratio = asking.ratio("anthropic")
    assert ratio is not None
    assert abs(ratio - 1.25) < 0.01
    assert Calibration(str(root)).ratio("anthropic") == ratio
    assert (asking.ratio("openai"), asking.ratio("generic")) == (None, None)


def test_what_is_asked_is_the_counting_service_with_the_key_in_its_header_alone(root: Path, service: Service) -> None:
    sample(calibration(root, service, model="claude-test-1"))

    assert set(service.paths) == {"/v1/messages/count_tokens"}
    assert [body["model"] for body in service.asked] == [
        "claude-test-1"
    ] * 2  # the message around it is asked for once
    assert all(headers["x-api-key"] == KEY for headers in service.headers)
    assert all(headers["anthropic-version"] == "2023-06-01" for headers in service.headers)
    assert KEY not in json.dumps(service.asked)


def test_what_is_kept_are_numbers_private_and_without_key_or_text(root: Path, service: Service) -> None:
    sample(calibration(root, service))

    file = root / module.FILE
    assert file.stat().st_mode & 0o777 == 0o600
    kept = file.read_text(encoding="utf-8")
    assert KEY not in kept
    assert "words" not in kept
    assert [path for path in root.rglob("*") if path.is_file()] == [file]


def test_no_more_than_some_texts_a_day_are_asked_about(
    root: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = calibration(root, service)
    asked = sum(sample(asking, number, words=6) for number in range(module.SAMPLES_A_DAY + 5))
    assert asked == module.SAMPLES_A_DAY

    assert not sample(calibration(root, service))  # another process on the same day
    monkeypatch.setattr(module, "strftime", lambda *_: "2999-01-01")
    assert sample(calibration(root, service))


def test_there_is_a_pause_between_samples(root: Path, service: Service) -> None:
    asking = calibration(root, service, between=60.0)

    assert [sample(asking, number) for number in range(3)] == [True, False, False]


def test_texts_that_say_little_or_are_large_are_not_asked_about(root: Path, service: Service) -> None:
    asking = calibration(root, service)

    assert not asking.offer("short", lambda: 1)
    assert not asking.offer("x" * (module.MOST_CHARACTERS + 1), lambda: 10_000)
    assert service.asked == []


def test_an_offer_does_not_wait_for_the_answer(root: Path, service: Service) -> None:
    service.seconds = 0.5
    asking = calibration(root, service)
    began = time.monotonic()
    assert asking.offer(WORDS * 20, lambda: 200)
    assert not asking.offer(WORDS * 20, lambda: 200)  # one at a time
    assert time.monotonic() - began < 0.3
    asking.wait(10)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_who_is_refused_does_not_ask_again_that_day(root: Path, service: Service, status: int) -> None:
    service.status = status
    asking = calibration(root, service)

    assert [sample(asking, number) for number in range(3)] == [True, False, False]
    assert len(service.asked) == 1


WITHOUT_A_NUMBER = [b"no JSON", b"{}", b'{"input_tokens":"7"}', b'{"input_tokens":-9}']


@pytest.mark.parametrize(
    "broken", [{"status": 500}, {"status": 429}, *({"reply": reply} for reply in WITHOUT_A_NUMBER)], ids=repr
)
def test_an_answer_that_is_none_is_no_sample_and_no_fault(
    root: Path, service: Service, broken: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in broken.items():
        setattr(service, name, value)
    asking = calibration(root, service)

    assert all(sample(asking, number) for number in range(4))
    assert asking.ratio("anthropic") is None
    assert capfd.readouterr() == ("", "")


def test_nobody_there_is_no_fault(root: Path) -> None:
    asking = Calibration(str(root), key=KEY, place="http://127.0.0.1:9", between=0.0)

    assert sample(asking)
    assert asking.ratio("anthropic") is None


def test_the_key_follows_no_redirection(root: Path, service: Service) -> None:
    with serving() as other:
        service.elsewhere = f"{other.address}/v1/messages/count_tokens"
        sample(calibration(root, service))

        assert len(service.asked) == 1
        assert other.headers == []


@pytest.mark.parametrize("place", ["http://example.com", "ftp://127.0.0.1", "file:///etc/passwd", "nonsense", "http://[",
                                   "http://127.0.0.1.example.com"])  # fmt: skip
def test_the_key_is_told_encrypted_or_to_this_machine_alone(root: Path, place: str) -> None:
    assert not sample(Calibration(str(root), key=KEY, place=place))


def test_a_ratio_that_cannot_be_is_not_used(root: Path, service: Service) -> None:
    service.factor = 9
    asking = calibration(root, service)
    for number in range(4):
        sample(asking, number)

    assert asking.ratio("anthropic") is None


def test_another_model_begins_anew(root: Path, service: Service) -> None:
    first = calibration(root, service, model="claude-test-1")
    for number in range(3):
        sample(first, number)
    sample(calibration(root, service, model="claude-test-2"))

    assert Calibration(str(root)).ratio("anthropic") is None


@pytest.mark.parametrize("damaged", ["", "[]", "{", '{"families":[]}', '{"families":{"anthropic":3},"asked":"x"}'])
def test_a_damaged_memory_is_as_good_as_none(root: Path, service: Service, damaged: str) -> None:
    (root / module.FILE).write_text(damaged)
    asking = calibration(root, service)

    assert asking.ratio("anthropic") is None
    assert sample(asking)


# --- in the counter --------------------------------------------------------------------------------------------

pytest_counter = pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets")


def answer(number: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": WORDS * 30 + str(number)}]}}


def consent(service: Service) -> dict[str, str]:
    return {
        "AGENT_CONNECTOR_CALIBRATE": "anthropic",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": service.address,
        "ANTHROPIC_MODEL": "claude-test-1[1m]",
    }


@pytest_counter
def test_rows_of_the_family_are_calibrated_once_the_ratio_is_known(
    start: Callable[..., Counter], service: Service, data_root: Path
) -> None:
    (data_root / "telemetry").mkdir()
    learning = calibration(data_root, service)
    for number in range(3):
        sample(learning, number)
    counter = start(engine="o200k")
    proxy = counter.proxy()
    proxy.hand_over(1, answer=answer(1), family="anthropic")
    proxy.hand_over(2, answer=answer(1), family="openai")
    proxy.hand_over(3, answer=answer(1), family="generic")

    first, second, third = counter.rows
    labels = ["tokenizer-calibrated", "tokenizer-exact", "tokenizer-approx"]
    assert [row["conf"] for row in (first, second, third)] == labels
    assert second["out"] == third["out"]
    assert abs(first["out"] / second["out"] - 1.25) < 0.01


@pytest_counter
def test_a_counter_asks_where_environment_and_connector_say_so(
    start: Callable[..., Counter], service: Service, data_root: Path
) -> None:
    counter = start(engine="o200k", **consent(service))
    counter.proxy().hand_over(1, answer=answer(1), family="anthropic", calibrate=True)
    deadline = time.monotonic() + 20
    while "families" not in (data_root / module.FILE).read_text(encoding="utf-8"):
        assert time.monotonic() < deadline
        time.sleep(0.02)

    assert {body["model"] for body in service.asked} == {"claude-test-1"}
    assert service.asked[-1]["messages"][0]["content"] == WORDS * 30 + "1"
    assert [path for path in data_root.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []


@pytest_counter
@pytest.mark.parametrize(
    "lacking", ["AGENT_CONNECTOR_CALIBRATE", "ANTHROPIC_API_KEY", "connector", "family", "engine", "other service"]
)
def test_where_one_consent_is_lacking_nothing_leaves_the_machine(
    start: Callable[..., Counter], service: Service, lacking: str, data_root: Path
) -> None:
    env = consent(service)
    env.pop(lacking, None)
    if lacking == "other service":
        env["AGENT_CONNECTOR_CALIBRATE"] = "openai"
    counter = start(engine="none" if lacking == "engine" else "o200k", **env)
    header: dict[str, Any] = {"calibrate": lacking != "connector"}
    family = "openai" if lacking == "family" else "anthropic"
    proxy = counter.proxy()
    for number in range(3):
        proxy.hand_over(number, answer=answer(number), family=family, **header)
    time.sleep(0.2)

    assert service.asked == []
    assert not (data_root / module.FILE).exists()


@pytest_counter
def test_counting_goes_on_while_the_service_is_slow(start: Callable[..., Counter], service: Service) -> None:
    service.seconds = 5
    counter = start(engine="o200k", **consent(service))
    proxy = counter.proxy()
    proxy.hand_over(1, answer=answer(1), family="anthropic", calibrate=True)
    began = time.monotonic()
    for number in range(2, 20):
        proxy.hand_over(number, answer=answer(number), family="anthropic", calibrate=True)

    assert time.monotonic() - began < 3
    service.seconds = 0
