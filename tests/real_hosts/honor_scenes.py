"""The runs of a host in which the cells of the honor matrix are seen: one decision at every event, many a turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import terminal
from host_homes import ClaudeCode
from host_process import Finished
from installed_connector import Answer, Installed, Turn

DECISIONS = ("allow", "deny", "ask", "modify", "context", "output")
GRANT_CHANGED = "allow-changed"
"""A grant that comes with another input: for PermissionRequest only."""

MAIN = "(the main conversation)"
"""Stands in the prompt, so a request without it is a subagent's."""
SECONDS = 40

ROWS: dict[str, tuple[str, str]] = {
    "SessionStart": ("SessionStart", ""),
    "SessionEnd": ("SessionEnd", ""),
    "UserPromptSubmit": ("UserPromptSubmit", MAIN),
    "PreToolUse": ("PreToolUse", "before-server"),
    "PreToolUse of a shell": ("PreToolUse", "before-shell"),
    "PreToolUse in a terminal": ("PreToolUse", "granted in-a-terminal'"),
    "PostToolUse": ("PostToolUse", "after-server"),
    "PostToolUse of a shell": ("PostToolUse", "after-shell"),
    "PostToolUse of another tool": ("PostToolUse", "after-other"),
    "PostToolUseFailure": ("PostToolUseFailure", "no such column"),
    "PermissionRequest": ("PermissionRequest", "granted"),
    "PreCompact": ("PreCompact", ""),
    "PostCompact": ("PostCompact", ""),
    "Stop": ("Stop", ""),
    "SubagentStart": ("SubagentStart", ""),
    "SubagentStop": ("SubagentStop", ""),
    "Notification": ("Notification", ""),
}
"""Row of the matrix -> its event, and a text by which the call or prompt that is meant is told from others."""


@dataclass(frozen=True)
class Cell:
    host: str
    row: str
    decision: str

    @property
    def event(self) -> str:
        return ROWS[self.row][0]

    @property
    def where(self) -> str:
        return granted(self.decision) if self.event == "PermissionRequest" else ROWS[self.row][1]

    @property
    def said(self) -> str:
        """The text that the answer carries, found nowhere else."""
        return f"[{self.decision} at {self.row}]"

    @property
    def other_input(self) -> dict[str, str]:
        if self.row.endswith("a shell"):
            return {"command": f"echo '{self.said}'"}
        if self.event == "PermissionRequest":
            return {"sql": f"update orders set customer = '{self.said}' where id = 2"}
        return {"sql": f"select '{self.said}' as marker"}

    @property
    def answer(self) -> Answer:
        """What the handler returns."""
        if self.decision == "output":
            return {"updated_output": self.said}
        if self.decision == "context":
            return {"decision": "context", "additional_context": self.said}
        if self.decision == GRANT_CHANGED:
            return {"decision": "allow", "updated_input": self.other_input}
        changed = {"updated_input": self.other_input} if self.decision == "modify" else {}
        return {"decision": self.decision, "reason": self.said, **changed}


def granted(decision: str) -> str:
    """A text in the call whose permission request is answered with ``decision``."""
    return f"granted {decision}'"


def write_call(name: str) -> dict[str, str]:
    return {"sql": f"update orders set customer = 'granted {name}' where id = 2"}


@dataclass(frozen=True)
class Shown:
    """A run, and what cannot be seen in one alone."""

    turn: Turn
    later: Turn | None = None
    """The turn after a compaction."""
    dialogs: dict[str, str] = field(default_factory=dict)
    """Permission dialogs by the name of the call they were about -> the decision at the notification of them."""
    screen: str = ""
    """What an interactive session wrote, without blanks."""

    @property
    def main(self) -> str:
        turns = (self.turn, self.later) if self.later else (self.turn,)
        return "\n".join(r.conversation for turn in turns for r in turn.requests if self._is_main(r.conversation))

    @property
    def children(self) -> list[str]:
        """A subagent's conversation, request by request."""
        return [r.conversation for r in self.turn.requests if not self._is_main(r.conversation)]

    @property
    def results(self) -> list[str]:
        """What the tools answered, as the model has it at the end."""
        last = [r for r in self.turn.requests if self._is_main(r.conversation)][-1]
        return [text for text, _ in last.tool_results]

    @property
    def read(self) -> str:
        return "\n".join([self.turn.read, self.later.read if self.later else ""])

    @staticmethod
    def _is_main(conversation: str) -> bool:
        return MAIN in conversation


class Scenes:
    """The scenes of one host, in one home."""

    def __init__(self, connector: Installed) -> None:
        self.connector = connector
        self.host = connector.host_id
        self._session = ""

    def shown(self, kind: str, decision: str = "") -> Shown:
        return SCENES[kind](self, decision)

    def rules(self, decision: str, *rows: str) -> Iterator[tuple[str, Answer, str]]:
        for cell in (Cell(self.host, row, decision) for row in rows):
            yield cell.event, cell.answer, cell.where

    # --- scenes ------------------------------------------------------------------------------------------------

    def turn(self, decision: str) -> Shown:
        """One turn with a call of each kind, a failure, a subagent, and an end."""
        rows = ["PermissionRequest"] if decision == GRANT_CHANGED else list(ROWS)
        if decision == "deny":
            rows.remove("UserPromptSubmit")
            if self.host == "codex":
                rows.remove("SessionStart")
        self.connector.answer(*self.rules(decision, *rows))
        return Shown(self._run(*self._script(decision)))

    def prompt(self, decision: str) -> Shown:
        """A turn that ends before it began, at the prompt."""
        self.connector.answer(*self.rules(decision, "UserPromptSubmit"))
        return Shown(self._run("SAY done"))

    def start(self, decision: str) -> Shown:
        """A turn that ends before it began, at the start of its session."""
        self.connector.answer(*self.rules(decision, "SessionStart"))
        return Shown(self._run("SAY done"))

    def compaction(self, decision: str) -> Shown:
        return self._compacted(decision, "PreCompact", *(() if decision == "deny" else ("PostCompact",)))

    def after_compaction(self, decision: str) -> Shown:
        return self._compacted(decision, "PostCompact")

    def terminal(self, _decision: str) -> Shown:
        """An interactive session of Claude Code. Permission requests with every answer; where a dialog opens, a
        notification of it comes after some six seconds, and is answered with another decision each time."""
        host = self.connector.host
        assert isinstance(host, ClaudeCode)
        silent, loud = ["allow", GRANT_CHANGED, "deny"], ["context", "ask", "modify", "output", "unanswered"]
        rules = [rule for name in (*silent, *loud[:4]) for rule in self.rules(name, "PermissionRequest")]
        rules.extend(self.rules("ask", "PreToolUse in a terminal"))
        script = [self.connector.calls_tool("acme_write", **write_call(name)) for name in (*silent, *loud)]
        # A call that is granted: its dialog is the hook's doing.
        script.append(self.connector.calls_tool("acme_query", sql="select 'granted in-a-terminal' as marker"))
        dialogs = dict(zip((*loud, "in-a-terminal"), DECISIONS, strict=True))
        options = ("--allowedTools", self.connector.tool("acme_query"))
        command = ["claude", "\n".join([MAIN, *script, "SAY done"]), *options]

        def session() -> Finished:
            with terminal.running(command, env=host.env(), cwd=host.home.project) as screen:
                for number, (name, decision) in enumerate(dialogs.items(), start=1):
                    self.connector.answer(*rules, *self.rules(decision, "Notification"))
                    screen.wait(lambda n=number: self._count("Notification") == n, SECONDS)
                    self._confirm(screen, name)
                screen.wait(lambda: self._count("Stop") > 0, SECONDS)
            return Finished(tuple(command), 0, screen.text, "")

        host.skip_first_questions()
        self.connector.answer(*rules)
        turn = self.connector.watched(session)
        return Shown(turn, dialogs=dialogs, screen="".join(turn.finished.stdout.split()))

    # --- parts of them -----------------------------------------------------------------------------------------

    def _run(self, *script: str) -> Turn:
        return self.connector.turn("\n".join([MAIN, *script]), *self._options())

    def _options(self) -> tuple[str, ...]:
        if self.host == "codex":
            return ("--dangerously-bypass-hook-trust",)
        return ("--allowedTools", "mcp__acme-db__acme_query", "Bash", "Read")

    def _script(self, decision: str) -> list[str]:
        child = "in a conversation of its own\nSAY child done"
        if self.host == "codex":
            query, write, shell = "mcp__acme_db__acme_query", "mcp__acme_db__acme_write", "exec_command"
            calls: list[tuple[str, dict[str, Any]]] = [
                (shell, {"cmd": "echo before-shell"}),
                (shell, {"cmd": "echo after-shell"}),
                ("multi_agent_v1__spawn_agent", {"message": child}),
                # A run that ends before its subagent has no SubagentStop.
                (shell, {"cmd": "sleep 2", "yield_time_ms": 9000}),
                (write, write_call(decision)),
            ]
        else:
            query = "mcp__acme-db__acme_query"
            other = self.connector.home.project / "after-other.txt"
            other.write_text("what stands in after-other", encoding="utf-8")
            calls = [
                ("Bash", {"command": "echo before-shell", "description": "says it"}),
                ("Bash", {"command": "echo after-shell", "description": "says it"}),
                ("Read", {"file_path": str(other)}),
                (query, {"sql": "select nonsense"}),
                ("Agent", {"description": "d", "prompt": child, "subagent_type": "general-purpose"}),
            ]
        asked = [(query, {"sql": f"select '{name}' as marker"}) for name in ("before-server", "after-server")]
        return [f"CALL {tool} {json.dumps(arguments)}" for tool, arguments in [*asked, *calls]] + ["SAY done"]

    def _compacted(self, decision: str, *rows: str) -> Shown:
        """A session is compacted, by a command of the person's or because it has grown, and goes on."""
        host = self.connector.host
        options = self._options()
        if not self._session:
            self.connector.answer()
            for prompt in ("SAY one", "SAY two"):  # a short conversation is not compacted
                text = f"{MAIN}\n{prompt}"
                done = host.resume(self._session, text, *options) if self._session else host.turn(text, *options)
                self._session = host.session(done.succeeded())
        self.connector.answer(*self.rules(decision, *rows))
        go_on = f"{MAIN}\nSAY three"
        if isinstance(host, ClaudeCode):
            compacting = self.connector.watched(lambda: host.resume(self._session, "/compact keep", *options))
            later = self.connector.watched(lambda: host.resume(self._session, go_on, *options))
            return Shown(compacting, later)
        small = ("-c", "model_auto_compact_token_limit=500")
        return Shown(self.connector.watched(lambda: host.resume(self._session, go_on, *small, *options)))

    def _confirm(self, screen: terminal.Terminal, name: str) -> None:
        """Say yes in the dialog about the call ``name``; a key that came too early is pressed again."""

        def called() -> bool:
            return any(granted(name) in json.dumps(call) for call in self.connector.calls)

        for _ in range(10):
            screen.press(terminal.ENTER)
            for _ in range(15):
                screen.read_for(terminal.LOOK_SECONDS)
                if called():
                    return
        raise AssertionError(f"the dialog about {name} takes no yes:\n{screen.text[-3000:]}")

    def _count(self, event: str) -> int:
        return [one["event"] for one in self.connector.told].count(event)


SCENES: dict[str, Callable[[Scenes, str], Shown]] = {
    "turn": Scenes.turn,
    "prompt": Scenes.prompt,
    "start": Scenes.start,
    "compaction": Scenes.compaction,
    "after compaction": Scenes.after_compaction,
    "terminal": Scenes.terminal,
}
