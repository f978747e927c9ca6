"""Bytes between a host and its server where ``poll`` knows no pipes, on Windows: one thread for each direction."""

from __future__ import annotations

import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import Popen

_CHUNK = 65536


class ThreadedFlow:
    """One direction; see :class:`.flow.Flow`."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink
        self.said: Callable[[bytes], None] | None = None
        self.passed: Callable[[bytes], bytes] | None = None
        self.rest: Callable[[], bytes] | None = None


class ThreadedPump:
    """Does for a running process what :class:`.pump.Pump` does, but for what waits beside the bytes."""

    has_sides = False
    side = None

    def __init__(self, process: Popen[bytes], client: tuple[int, int] = (0, 1)) -> None:
        """``client``: the descriptors from and to the host."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self.to_server = ThreadedFlow(client[0], process.stdin.fileno())
        self.to_client = ThreadedFlow(process.stdout.fileno(), client[1])
        self._looking = threading.Lock()
        """Held by the direction that is looked at: whoever looks need not know of threads."""
        self._saying = threading.Lock()

    def run(self) -> int:
        """The server's exit code."""
        assert self._process.stdin is not None
        # Nobody can wake a thread that waits for a host which says nothing: it ends with the process.
        threading.Thread(target=self._hand_on, args=(self.to_server, self._process.stdin.close), daemon=True).start()
        speaking = threading.Thread(target=self._hand_on, args=(self.to_client, lambda: None), daemon=True)
        speaking.start()
        code = self._process.wait()
        speaking.join(1)  # what it left in its pipe; its own children may hold that open
        return code

    def say(self, data: bytes) -> None:
        """Tell the client something in the server's place."""
        self._write(self.to_client, data)

    def _hand_on(self, flow: ThreadedFlow, close: Callable[[], None]) -> None:
        try:
            while data := os.read(flow.source, _CHUNK):
                if flow.passed is not None:
                    with self._looking:
                        data = flow.passed(data)
                self._write(flow, data)
                if flow.said is not None:
                    with self._looking:
                        flow.said(data)
            if flow.rest is not None:
                self._write(flow, flow.rest())
        except OSError:  # nobody reads it any more
            pass
        finally:
            close()

    def _write(self, flow: ThreadedFlow, data: bytes) -> None:
        with self._saying:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(flow.sink, rest) :]
