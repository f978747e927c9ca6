"""An MCP server with one tool per shape of result: what ``$SPOKEN`` (a JSON file, tool name -> result) says."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def tools(spoken: dict[str, Any]) -> list[dict[str, Any]]:
    """Definitions with everything that a definition may have."""
    return [
        {
            "name": name,
            "title": "TITLE",
            "description": f"Speaks {name}.",
            "inputSchema": {"type": "object", "properties": {"a": {"type": "string", "description": "PARAMETER"}}},
            "outputSchema": {"type": "object", "properties": {"x": {"type": "string", "description": "OUTPUT"}}},
            "annotations": {"readOnlyHint": True, "title": "ANNOTATION"},
        }
        for name in spoken
    ]


def main() -> None:
    spoken = json.loads(Path(os.environ["SPOKEN"]).read_text(encoding="utf-8"))
    for line in sys.stdin:
        request = json.loads(line)
        method, params = request.get("method"), request.get("params", {})
        if "id" not in request:
            continue
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if method == "initialize":
            version = params["protocolVersion"]
            info = {"name": "speaking", "version": "1"}
            answer["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            answer["result"] = {"tools": tools(spoken)}
        elif method == "tools/call":
            answer |= spoken[params["name"]]
        else:
            answer["error"] = {"code": -32601, "message": "no such method"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
