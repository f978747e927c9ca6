"""What must be agreed to before a call may go on, and how the person is asked.

Where the client can ask (elicitation), the person is asked and the model's word counts for nothing; elsewhere
``confirm`` counts beside a handle that an earlier call returned.
"""

# No postponed annotations here: the SDK reads them, and those of `ask` name a function that only it knows.

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Annotated, Any, Literal

from agent_connector.errors import AgentConnectorError
from agent_connector.values import frozen
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve
from pydantic import BaseModel

from . import code as definitions
from .desk import Desk
from .plans import Plan
from .policy import RUN_CODE, TRUST
from .wishes import Wish

Ctx = Context[Desk, Any]


class Consent(BaseModel):
    """The form has no fields: accepting it is the consent."""


class NotAsked(BaseModel):
    """Nobody was asked: there is nothing to ask, or nobody who could be."""


Answered = ElicitationResult[Consent | NotAsked]


@frozen
class Question:
    """What a call is about, and what must be agreed to first: nothing, running ``code``, or writing ``plan``.

    ``asks`` is false where the policy allows it without asking. ``problem``: why the call cannot go on at all.
    """

    operation: str
    wish: Wish
    about: Literal["nothing", "code", "plan"] = "nothing"
    asks: bool = False
    code: Mapping[str, str] = field(default_factory=dict)
    plan: Plan | None = None
    problem: AgentConnectorError | None = None

    @property
    def message(self) -> str:
        return _code_message(self.code) if self.about == "code" else _plan_message(self.plan)


def question(ctx: Ctx, operation: str, wish: Wish, plan_id: str) -> Question:
    """Reading only; failures are kept for the tool to tell."""
    desk = ctx.request_context.lifespan_context
    try:
        return _question(desk, operation, wish, plan_id)
    except AgentConnectorError as problem:
        return Question(operation, wish, problem=problem)
    except OSError as error:
        return Question(operation, wish, problem=AgentConnectorError(str(error)))


def _question(desk: Desk, operation: str, wish: Wish, plan_id: str) -> Question:
    if plan_id:
        return _about_plan(desk, operation, wish, plan_id)
    writes = operation != "doctor" or wish.heal
    if writes:
        desk.policy().refuse_denied(operation)
    if wish.trust:
        desk.policy().refuse_denied(TRUST)
    place = wish.place(desk.machine)
    meant = wish.source(operation, place, desk.version)
    code = definitions.code_to_run(operation, wish, meant, desk.context(place))
    if not code:
        return Question(operation, wish)
    policy = desk.policy()
    policy.refuse_denied(RUN_CODE)
    return Question(operation, wish, "code", policy.decision(RUN_CODE) == "ask", code)


def _about_plan(desk: Desk, operation: str, wish: Wish, plan_id: str) -> Question:
    policy = desk.policy()
    plan = desk.plans.get(plan_id)
    plan.require_same(operation, wish.arguments())
    asked_for = Wish.of(plan.arguments)
    if operation != "doctor" or asked_for.heal:
        policy.refuse_denied(operation)
    if asked_for.trust:
        policy.refuse_denied(TRUST)
    if plan.code:
        policy.refuse_denied(RUN_CODE)
        definitions.require_unchanged(plan.code)
    about: Literal["code", "plan"] = "code" if plan.stage == "code" else "plan"
    writing = policy.writing(operation, trust=asked_for.trust)
    decision = policy.decision(RUN_CODE) if about == "code" else writing
    return Question(operation, asked_for, about, decision == "ask", plan.code, plan)


def asker(about: Callable[..., Question]) -> Callable[..., Any]:
    """The resolver that puts the question which ``about`` found to the person, where that is possible."""

    def ask(ctx: Ctx, question: Annotated[Question, Resolve(about)]) -> NotAsked | Elicit[Consent]:
        if question.asks and question.problem is None and can_ask(ctx):
            return Elicit(question.message, Consent)
        return NotAsked()

    return ask


def can_ask(ctx: Ctx) -> bool:
    """Whether the client can show a person a form. A bare ``elicitation: {}`` means forms."""
    capabilities = ctx.client_capabilities
    offered = capabilities.elicitation if capabilities is not None else None
    return offered is not None and (offered.form is not None or offered.url is None)


def _code_message(code: Mapping[str, str]) -> str:
    from agent_connector.masking import printable

    files = [f"  {printable(path)}\n  (SHA-256 {digest})" for path, digest in code.items()]
    many = len(files) != 1
    asked = f"May agent-connector run {'these Python files' if many else 'this Python file'}?"
    why = "A connector's definition in Python runs with your rights. Nothing is written yet."
    return "\n".join([f"{asked} {why}", *files])


def _plan_message(plan: Plan | None) -> str:
    from agent_connector.masking import printable

    assert plan is not None
    what = "repair what doctor found" if plan.operation == "doctor" else f"{plan.operation} {plan.connector}".strip()
    lines = [f"May agent-connector {printable(what)}?"]
    if plan.commands:
        lines += ["", "Commands that agents will run:", *(f"  {printable(command)}" for command in plan.commands)]
    if plan.files:
        lines += ["", "Files that change:", *(f"  {what} {printable(path)}" for what, path in plan.files)]
    return "\n".join(lines)
