"""The JSON schema of a definition, for editors: ``python -m agent_connector.authoring.schema``."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import sys
from collections.abc import Iterator
from typing import Any

from . import models as all_models
from .definition import ConnectorConfig
from .events import HOOK_EVENTS
from .fields import Model
from .findings import camel_case
from .handlers import REFERENCE_HINT
from .spelling import HIDDEN

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_HOOK_MODELS = {"HookDefinition": HOOK_EVENTS, "NativeHook": ()}
"""Models of which one may stand alone where a list is meant, and the names of their events where these are known."""


def definition_schema() -> dict[str, Any]:
    """Draft 2020-12. Every accepted spelling of a key is known; nulls, which say nothing, are left out."""
    schema = _without_nulls(ConnectorConfig.model_json_schema(mode="validation"))
    schemas = schema.pop("$defs")
    for name, node in {"ConnectorConfig": schema, **schemas}.items():
        _complete(node, getattr(all_models, name))
    # What a host overrides is laid over the connector's server, so nothing is required there.
    schemas["PartialServer"] = {key: value for key, value in schemas["Server"].items() if key != "required"}
    schemas["PlatformOverride"] = json.loads(
        json.dumps(schemas["PlatformOverride"]).replace("#/$defs/Server", "#/$defs/PartialServer")
    )
    schema["properties"]["$schema"] = {"type": "string"}
    schema |= {"title": "agent-connector definition", "$defs": dict(sorted(schemas.items()))}
    hooked: dict[str, Any] = _hooks_alone_too(schema)
    return {"$schema": DIALECT, **hooked}


def _without_nulls(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_nulls(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _without_nulls(value) for key, value in node.items() if not (key == "default" and value is None)}
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) == 1:
        del node["anyOf"]
        return {**branches[0], **node}
    return {**node, "anyOf": branches} if branches else node


def _complete(node: dict[str, Any], model: type[Model]) -> None:
    """Descriptions, both spellings of each key, and what is required in either of them."""
    texts = dict(_field_texts(model))
    properties: dict[str, Any] = {}
    for name, value in node.get("properties", {}).items():
        if name in HIDDEN:
            continue
        value.pop("title", None)
        if name in texts:
            value["description"] = _plain(texts[name])
        properties |= {name: value, camel_case(name): value}
    properties |= {spelling: properties[name] for spelling, name in model.also.items()}
    node["properties"] = properties
    if "description" in node:
        node["description"] = _plain(node["description"])
    required = node.pop("required", [])
    node["required"] = [name for name in required if camel_case(name) == name]
    either = [
        {"anyOf": [{"required": [name]}, {"required": [camel_case(name)]}]}
        for name in required
        if camel_case(name) != name
    ]
    if either:
        node["allOf"] = either


def _field_texts(model: type[Model]) -> Iterator[tuple[str, str]]:
    """The text under each field in the source. Read here, as having pydantic do it would slow every import."""
    body = ast.parse(inspect.getsource(model)).body[0]
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for field, text in itertools.pairwise(statements):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            yield field.target.id, str(text.value.value)


def _plain(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _hooks_alone_too(node: Any) -> Any:
    """A copy in which an event may hold one hook, a list of them, or a reference to a function."""
    if isinstance(node, list):
        return [_hooks_alone_too(item) for item in node]
    if not isinstance(node, dict):
        return node
    values = node.get("additionalProperties")
    items = values.get("items") if isinstance(values, dict) else None
    name = str(items.get("$ref", "")).removeprefix("#/$defs/") if isinstance(items, dict) else ""
    if name not in _HOOK_MODELS:
        return {key: _hooks_alone_too(value) for key, value in node.items()}
    one = [items, {"type": "string", "description": REFERENCE_HINT}]
    several = {"type": "array", "items": {"anyOf": one}}
    events = {"propertyNames": {"enum": list(_HOOK_MODELS[name])}} if _HOOK_MODELS[name] else {}
    return {**node, **events, "additionalProperties": {"anyOf": [*one, several]}}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(definition_schema(), indent=1, ensure_ascii=False) + "\n")
