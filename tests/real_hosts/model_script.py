"""What a scripted model says next, read from the prompt that the host sent it.

A prompt carries its own script::

    CALL mcp__acme-db__acme_query {"sql": "select 1"}
    SAY done

Step N answers the request that already holds N of the model's turns since the prompt, so the stand-in keeps no
state and several turns may run side by side.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Say:
    text: str


Step = Call | Say

NO_SCRIPT = Say("ok")


def has_script(text: str) -> bool:
    return any(line.startswith(("CALL ", "SAY ")) for line in text.splitlines())


def step(text: str, number: int) -> Step:
    """Step ``number`` (from 0) of the script in ``text``; past its end the model has nothing more to say."""
    steps = [_step(line) for line in text.splitlines() if line.startswith(("CALL ", "SAY "))]
    return steps[number] if number < len(steps) else NO_SCRIPT


def _step(line: str) -> Step:
    verb, rest = line.split(" ", 1)
    if verb == "SAY":
        return Say(rest)
    tool, _, arguments = rest.partition(" ")
    return Call(tool, json.loads(arguments or "{}"))
