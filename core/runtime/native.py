"""Hooks on a host's own events: the raw payload in, what is answered out as it is. Loaded for such an event."""

from __future__ import annotations

from .answers import AnswerError
from .author import limited, python_answer
from .jsontext import dumps
from .reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .dispatch import Dispatch


def native_reply(
    dispatch: Dispatch, entry: dict[str, Any], index: int, event: dict[str, Any], data: bytes
) -> Reply | None:
    """What a native hook says, as it says it; ``None`` for nothing."""

    def work() -> Reply | None:
        if entry["kind"] == "command":
            from .programs import run_entry

            done = run_entry(dispatch, entry, index, data, keep_stderr=True)
            if not done.stdout and not done.stderr and not done.code:
                return None
            stdout, stderr = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
            return Reply(stdout, stderr, done.code if done.code >= 0 else 1)
        answer = python_answer(dispatch, entry, index, event)
        if answer is None:
            return None
        if isinstance(answer, str):
            return Reply(answer)
        try:
            return Reply(dumps(answer.to_dict() if hasattr(answer, "to_dict") else answer))
        except ValueError:
            raise AnswerError("answered what JSON cannot say") from None

    reply: Reply | None = limited(dispatch, entry, index, work, failed=None)
    return reply
