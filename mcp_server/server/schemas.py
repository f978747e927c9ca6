"""What the tools answer, as JSON schemas made beforehand, because making them takes long.

Generated from the models by `python -m agent_connector.mcp_server.server.answers`; do not edit.
"""

from typing import Any, Final

OUTPUT: Final[dict[str, dict[str, Any]]] = {
    "detect": {
        "$defs": {
            "DetectedHost": {
                "properties": {
                    "id": {"type": "string"},
                    "name": {"type": "string"},
                    "installed": {"type": "boolean"},
                    "confidence": {"enum": ["high", "medium", "low", "none"], "type": "string"},
                    "reason": {"type": "string"},
                    "paradigm": {"type": "string"},
                    "config_path": {"type": "string"},
                    "binary": {"type": "string"},
                    "version": {"type": "string"},
                    "scopes": {
                        "items": {
                            "enum": ["system", "user", "local", "project", "profile", "managed"],
                            "type": "string",
                        },
                        "type": "array",
                    },
                    "surfaces": {"items": {"type": "string"}, "type": "array"},
                    "hook_events": {"items": {"type": "string"}, "type": "array"},
                    "roots": {"items": {"$ref": "#/$defs/HostRoot"}, "type": "array"},
                },
                "required": ["id", "name", "installed", "confidence", "reason", "paradigm", "config_path"],
                "type": "object",
            },
            "HostRoot": {
                "description": "One place where a host "
                "keeps its files: the usual "
                "one, or where an override "
                "(``env``) put it.",
                "properties": {
                    "path": {"type": "string"},
                    "source": {"type": "string"},
                    "env": {"additionalProperties": {"type": "string"}, "type": "object"},
                },
                "required": ["path", "source"],
                "type": "object",
            },
        },
        "properties": {
            "notice": {"type": "string"},
            "hosts": {"items": {"$ref": "#/$defs/DetectedHost"}, "type": "array"},
            "not_found": {"items": {"type": "string"}, "type": "array"},
            "current": {"type": "string"},
            "current_reason": {"type": "string"},
        },
        "type": "object",
    },
    "change": {
        "$defs": {
            "ChangeLine": {
                "properties": {
                    "host": {"type": "string"},
                    "surface": {"type": "string"},
                    "action": {"enum": ["create", "update", "remove", "skip", "warn", "info"], "type": "string"},
                    "detail": {"type": "string"},
                    "path": {"type": "string"},
                    "fix": {"type": "string"},
                },
                "required": ["host", "surface", "action", "detail"],
                "type": "object",
            },
            "CodeLine": {
                "properties": {"path": {"type": "string"}, "sha256": {"type": "string"}},
                "required": ["path", "sha256"],
                "type": "object",
            },
            "FileLine": {
                "properties": {
                    "what": {"enum": ["create", "update", "delete"], "type": "string"},
                    "path": {"type": "string"},
                },
                "required": ["what", "path"],
                "type": "object",
            },
        },
        "properties": {
            "notice": {"type": "string"},
            "plan_id": {"type": "string"},
            "to_apply": {"type": "string"},
            "commands": {"items": {"type": "string"}, "type": "array"},
            "files": {"items": {"$ref": "#/$defs/FileLine"}, "type": "array"},
            "diff": {"type": "string"},
            "code": {"items": {"$ref": "#/$defs/CodeLine"}, "type": "array"},
            "operation": {"type": "string"},
            "outcome": {
                "enum": ["unchanged", "planned", "done", "partial", "failed", "declined", "consent"],
                "type": "string",
            },
            "connector": {"type": "string"},
            "changes": {"items": {"$ref": "#/$defs/ChangeLine"}, "type": "array"},
            "next_steps": {"items": {"type": "string"}, "type": "array"},
        },
        "required": ["operation", "outcome"],
        "type": "object",
    },
    "status": {
        "$defs": {
            "HookState": {
                "description": "The hooks of one connector "
                "in one host. "
                "``last_fired``: ISO 8601, "
                "UTC; empty where none is "
                "known to have fired.\n"
                "``faults``: of the last "
                "seven days. ``broken``: "
                "events with a handler that "
                "cannot run.",
                "properties": {
                    "connector": {"type": "string"},
                    "events": {"items": {"type": "string"}, "type": "array"},
                    "last_event": {"type": "string"},
                    "last_fired": {"type": "string"},
                    "faults": {"type": "integer"},
                    "broken": {"items": {"type": "string"}, "type": "array"},
                },
                "required": ["connector", "events"],
                "type": "object",
            },
            "HostStatus": {
                "properties": {
                    "id": {"type": "string"},
                    "name": {"type": "string"},
                    "installed": {"type": "boolean"},
                    "surfaces": {"items": {"$ref": "#/$defs/SurfaceState"}, "type": "array"},
                    "hooks": {"items": {"$ref": "#/$defs/HookState"}, "type": "array"},
                },
                "required": ["id", "name", "installed", "surfaces"],
                "type": "object",
            },
            "SurfaceState": {
                "description": "How one surface of one "
                "connector stands in one "
                "host's file, compared "
                "with the ledger.",
                "properties": {
                    "connector": {"type": "string"},
                    "surface": {"type": "string"},
                    "state": {"enum": ["present", "changed", "vanished", "unreadable"], "type": "string"},
                    "path": {"type": "string"},
                    "scope": {"type": "string"},
                    "project": {"type": "string"},
                    "detail": {"type": "string"},
                },
                "required": ["connector", "surface", "state", "path", "scope"],
                "type": "object",
            },
        },
        "properties": {
            "notice": {"type": "string"},
            "hosts": {"items": {"$ref": "#/$defs/HostStatus"}, "type": "array"},
            "launcher": {"type": "string"},
            "runtime_version": {"type": "string"},
            "problems": {"items": {"type": "string"}, "type": "array"},
        },
        "type": "object",
    },
    "doctor": {
        "$defs": {
            "Check": {
                "properties": {
                    "subject": {"type": "string"},
                    "name": {"type": "string"},
                    "status": {"enum": ["pass", "warn", "fail"], "type": "string"},
                    "message": {"type": "string"},
                    "fix": {"type": "string"},
                    "healable": {"type": "boolean"},
                },
                "required": ["subject", "name", "status", "message"],
                "type": "object",
            },
            "CodeLine": {
                "properties": {"path": {"type": "string"}, "sha256": {"type": "string"}},
                "required": ["path", "sha256"],
                "type": "object",
            },
            "FileLine": {
                "properties": {
                    "what": {"enum": ["create", "update", "delete"], "type": "string"},
                    "path": {"type": "string"},
                },
                "required": ["what", "path"],
                "type": "object",
            },
        },
        "properties": {
            "notice": {"type": "string"},
            "plan_id": {"type": "string"},
            "to_apply": {"type": "string"},
            "commands": {"items": {"type": "string"}, "type": "array"},
            "files": {"items": {"$ref": "#/$defs/FileLine"}, "type": "array"},
            "diff": {"type": "string"},
            "code": {"items": {"$ref": "#/$defs/CodeLine"}, "type": "array"},
            "outcome": {"enum": ["checked", "planned", "healed", "failed", "declined", "consent"], "type": "string"},
            "checks": {"items": {"$ref": "#/$defs/Check"}, "type": "array"},
            "healed": {"items": {"type": "string"}, "type": "array"},
            "still_failing": {"items": {"type": "string"}, "type": "array"},
            "deferred": {"items": {"type": "string"}, "type": "array"},
        },
        "required": ["outcome"],
        "type": "object",
    },
    "explain": {
        "$defs": {
            "ExplainRow": {
                "description": "What becomes of one "
                "declared surface in one "
                "host. ``item``: the "
                "action's id; each has a "
                "row of its own.",
                "properties": {
                    "host": {"type": "string"},
                    "surface": {
                        "enum": [
                            "server",
                            "hooks",
                            "nativeHooks",
                            "commands",
                            "skills",
                            "subagents",
                            "memory",
                            "statusline",
                            "actions",
                            "configPatch",
                        ],
                        "type": "string",
                    },
                    "support": {"enum": ["native", "skip-warn", "disabled"], "type": "string"},
                    "reason": {"type": "string"},
                    "item": {"type": "string"},
                },
                "required": ["host", "surface", "support", "reason"],
                "type": "object",
            },
            "HookTable": {
                "description": "``events``: event -> "
                "verdict -> decisions, "
                "each with the number of "
                "its note; ``runs``: event "
                "-> when.",
                "properties": {
                    "host": {"type": "string"},
                    "events": {
                        "additionalProperties": {"additionalProperties": {"type": "string"}, "type": "object"},
                        "type": "object",
                    },
                    "runs": {"additionalProperties": {"type": "string"}, "type": "object"},
                    "notes": {"additionalProperties": {"type": "string"}, "type": "object"},
                },
                "required": ["host", "events"],
                "type": "object",
            },
        },
        "properties": {
            "notice": {"type": "string"},
            "connector": {"type": "string"},
            "rows": {"items": {"$ref": "#/$defs/ExplainRow"}, "type": "array"},
            "hooks": {"items": {"$ref": "#/$defs/HookTable"}, "type": "array"},
        },
        "type": "object",
    },
    "simulate": {
        "$defs": {
            "HandlerOutcome": {
                "description": "One entry of the "
                "event. "
                "``response``: what "
                "it answered, "
                "``None`` for no "
                "opinion. ``fault``: "
                "why it has none.",
                "properties": {
                    "index": {"type": "integer"},
                    "kind": {"enum": ["static", "python", "command"], "type": "string"},
                    "what": {"type": "string"},
                    "matched": {"type": "boolean"},
                    "response": {"anyOf": [{"additionalProperties": True, "type": "object"}, {"type": "null"}]},
                    "fault": {"type": "string"},
                },
                "required": ["index", "kind", "what", "matched"],
                "type": "object",
            }
        },
        "properties": {
            "notice": {"type": "string"},
            "connector": {"type": "string"},
            "host": {"type": "string"},
            "surface": {"enum": ["hooks", "statusline"], "type": "string"},
            "event": {"type": "string"},
            "honored": {"type": "boolean"},
            "verdict": {"enum": ["honored", "degraded", "dropped", "none", "verbatim"], "type": "string"},
            "reason": {"type": "string"},
            "host_reply": {},
            "response": {"anyOf": [{"additionalProperties": True, "type": "object"}, {"type": "null"}]},
            "handlers": {"items": {"$ref": "#/$defs/HandlerOutcome"}, "type": "array"},
            "faults": {"items": {"type": "string"}, "type": "array"},
            "notes": {"items": {"type": "string"}, "type": "array"},
            "fires_when": {"type": "string"},
            "stdout": {"type": "string"},
            "stderr": {"type": "string"},
            "exit_status": {"type": "integer"},
            "printed": {"type": "string"},
        },
        "required": ["connector", "host", "surface", "honored", "verdict", "reason"],
        "type": "object",
    },
    "telemetry_report": {
        "$defs": {
            "CostRow": {
                "description": "``tokens``: in, out and definitions. ``confidence``: the weakest in it.",
                "properties": {
                    "name": {"type": "string"},
                    "tokens": {"type": "integer"},
                    "tokens_in": {"type": "integer"},
                    "tokens_out": {"type": "integer"},
                    "definition_tokens": {"type": "integer"},
                    "calls": {"type": "integer"},
                    "errors": {"type": "integer"},
                    "p50_ms": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "p95_ms": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "confidence": {"type": "string"},
                },
                "required": ["name"],
                "type": "object",
            }
        },
        "description": "``more``: rows that are left out here.",
        "properties": {
            "notice": {"type": "string"},
            "by": {"type": "string"},
            "scope": {"type": "string"},
            "since": {"type": "string"},
            "rows": {"items": {"$ref": "#/$defs/CostRow"}, "type": "array"},
            "more": {"type": "integer"},
            "total": {"anyOf": [{"$ref": "#/$defs/CostRow"}, {"type": "null"}]},
            "notes": {"items": {"type": "string"}, "type": "array"},
        },
        "required": ["by", "scope"],
        "type": "object",
    },
    "leaderboard": {
        "$defs": {
            "BoardAnswer": {
                "properties": {
                    "origin": {"type": "string"},
                    "title": {"type": "string"},
                    "by": {"type": "string"},
                    "rows": {"items": {"$ref": "#/$defs/CostRow"}, "type": "array"},
                    "more": {"type": "integer"},
                    "empty": {"type": "string"},
                },
                "required": ["origin", "title", "by"],
                "type": "object",
            },
            "CostRow": {
                "description": "``tokens``: in, out and definitions. ``confidence``: the weakest in it.",
                "properties": {
                    "name": {"type": "string"},
                    "tokens": {"type": "integer"},
                    "tokens_in": {"type": "integer"},
                    "tokens_out": {"type": "integer"},
                    "definition_tokens": {"type": "integer"},
                    "calls": {"type": "integer"},
                    "errors": {"type": "integer"},
                    "p50_ms": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "p95_ms": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "confidence": {"type": "string"},
                },
                "required": ["name"],
                "type": "object",
            },
        },
        "description": "Boards of different origins are never added up.",
        "properties": {
            "notice": {"type": "string"},
            "since": {"type": "string"},
            "boards": {"items": {"$ref": "#/$defs/BoardAnswer"}, "type": "array"},
            "notes": {"items": {"type": "string"}, "type": "array"},
        },
        "type": "object",
    },
}
