"""The JSON schema of a definition, for editors: ``python -m agent_connector.authoring.schema``."""

from __future__ import annotations

import json
import sys
from typing import Any

from . import models as all_models
from .definition import ConnectorConfig
from .events import HOOK_EVENTS
from .findings import camel_case
from .handlers import REFERENCE_HINT
from .spelling import HIDDEN

DIALECT = "https://json-schema.org/draft/2020-12/schema"


_LISTED_ALONE_TOO = {"HookDefinition": True, "NativeHook": False}
"""Models of which one may stand where a list is meant; whether their event names are a closed set."""


def definition_schema() -> dict[str, Any]:
    """Draft 2020-12. Both spellings of each key are known; the snake_case one carries the description."""
    schema = ConnectorConfig.model_json_schema(mode="validation")
    models = schema.pop("$defs")
    models["PartialServer"] = {**models["Server"], "required": []}
    override = json.dumps(models["PlatformOverride"]).replace("#/$defs/Server", "#/$defs/PartialServer")
    models["PlatformOverride"] = json.loads(override)
    for name, model in {"": schema, **models}.items():
        _both_spellings(model, _also(name))
    schema["properties"]["$schema"] = {"type": "string"}
    schema = _hooks_alone_too(schema)
    models = _hooks_alone_too(models)
    return {
        "$schema": DIALECT,
        **schema,
        "title": "agent-connector definition",
        "$defs": dict(sorted(models.items())),
    }


def _also(name: str) -> dict[str, str]:
    model = ConnectorConfig if not name else getattr(all_models, name, None)
    return dict(model.also) if model is not None else {}


def _both_spellings(model: dict[str, Any], also: dict[str, str]) -> None:
    properties: dict[str, Any] = {}
    for name, value in model.get("properties", {}).items():
        if name in HIDDEN:
            continue
        value.pop("title", None)
        properties[name] = value
        if camel_case(name) != name:
            properties[camel_case(name)] = value
    properties.update({spelling: properties[name] for spelling, name in also.items()})
    if properties:
        model["properties"] = properties
    required = model.pop("required", [])
    plain = [name for name in required if camel_case(name) == name]
    if plain:
        model["required"] = plain
    either = [
        {"anyOf": [{"required": [name]}, {"required": [camel_case(name)]}]} for name in required if name not in plain
    ]
    if either:
        model["allOf"] = either


def _hooks_alone_too(node: Any) -> Any:
    """A copy in which an event may hold one hook, a list of them, or a reference to a function."""
    if isinstance(node, list):
        return [_hooks_alone_too(item) for item in node]
    if not isinstance(node, dict):
        return node
    model = str(node.get("additionalProperties", {}).get("items", {}).get("$ref", "")) if _is_map(node) else ""
    name = model.rsplit("/", 1)[-1]
    if name not in _LISTED_ALONE_TOO:
        return {key: _hooks_alone_too(value) for key, value in node.items()}
    one = [{"$ref": model}, {"type": "string", "description": REFERENCE_HINT}]
    several = {"type": "array", "items": {"anyOf": one}}
    events = {"propertyNames": {"enum": list(HOOK_EVENTS)}} if _LISTED_ALONE_TOO[name] else {}
    return {**node, **events, "additionalProperties": {"anyOf": [*one, several]}}


def _is_map(node: dict[str, Any]) -> bool:
    values = node.get("additionalProperties")
    return isinstance(values, dict) and isinstance(values.get("items"), dict)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(definition_schema(), indent=2, ensure_ascii=False) + "\n")
