"""Reading tool results as Gemini CLI and its descendants send them. Loaded in every hook process."""

from agent_connector.adapters.families.hook_payloads import json_text, text_of_content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OPENING, _CLOSING = "<untrusted_context>\n", "\n</untrusted_context>"


def result_of(response: object) -> "dict[str, Any]":
    """``tool_output`` as text, without the marks put around it for the model, and ``is_error`` where it is one."""
    if not isinstance(response, dict):
        return {"tool_output": response} if isinstance(response, str) else {}
    content = response.get("llmContent")
    output = content if isinstance(content, str) else None
    if isinstance(content, list):
        output = text_of_content([{"text": part} if isinstance(part, str) else part for part in content])
    elif isinstance(content, dict):
        output = content["text"] if isinstance(content.get("text"), str) else json_text(content)
    found: dict[str, Any] = {}
    if output is not None:
        if output.startswith(_OPENING) and output.endswith(_CLOSING):
            output = output[len(_OPENING) : -len(_CLOSING)]
        found["tool_output"] = output
    if response.get("error"):
        found["is_error"] = True
    return found
