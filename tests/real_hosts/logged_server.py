"""The example's MCP server with a witness: every call that reaches it is first noted in the file ``$CALLS_FILE``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SERVER = Path(__file__).parents[2] / "examples" / "acme_db" / "server.py"


def main() -> int:
    with subprocess.Popen([sys.executable, str(SERVER)], stdin=subprocess.PIPE) as server:
        assert server.stdin is not None
        with Path(os.environ["CALLS_FILE"]).open("a", encoding="utf-8") as calls:
            for line in sys.stdin.buffer:
                message = json.loads(line)
                if message.get("method") == "tools/call":
                    called = {"tool": message["params"]["name"], "arguments": message["params"].get("arguments", {})}
                    print(json.dumps(called), file=calls, flush=True)
                server.stdin.write(line)
                server.stdin.flush()
        server.stdin.close()
        return server.wait()


if __name__ == "__main__":
    raise SystemExit(main())
