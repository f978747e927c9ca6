"""A call inside the process of an author's tests: handlers are the live functions, so what a test replaces counts.

Nothing of that process is left changed: signals, timers, streams and the module search path are as before.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..runtime.dispatch import Dispatch
from ..runtime.limits import LateError
from ..runtime.simulation import told
from .reports import SimulateReport
from .simulate import Registered, call_of, no_statusline, statusline_payload, with_payload
from .simulated import drawn, judged, not_drawn
from .simulation_process import printed_in

if TYPE_CHECKING:
    from ..authoring.handlers import PythonHandler
    from ..authoring.models import Connector
    from ..host import Host
    from .context import Context


def simulate_live(
    connector: Connector, host: Host, event: str, payload: bytes | None, context: Context
) -> SimulateReport:
    """See :func:`agent_connector.testing.simulate`."""
    from ..runtime.hook_record import hook_record

    with TemporaryDirectory(prefix="agent-connector-", ignore_cleanup_errors=True) as root:
        made = hook_record(connector, context.catalogue, version=context.version, data_root=Path(root))
        call = call_of(Registered(connector.id, made.record), host, event)
        if isinstance(call, SimulateReport):
            return call
        call, data = with_payload(call, payload)
        work = Dispatch(host.id, call.event, connector.id, root)
        work.record = made.record
        live = work.live = Live(lambda index: _hook_handler(connector, work, index), connector.source)
        try:
            answer = told(work, data)
        finally:
            if work.output >= 0:
                os.close(work.output)
        return judged(call, answer, "".join([printed_in(Path(root), connector.id), *live.shown]))


def draw_live(connector: Connector, host: Host, payload: bytes | None, context: Context) -> SimulateReport:
    """The status line; see :func:`agent_connector.testing.simulate`."""
    from ..runtime.code_records import statusline_record
    from ..runtime.statusline import rendered_statusline

    with TemporaryDirectory(prefix="agent-connector-", ignore_cleanup_errors=True) as root:
        made = statusline_record(connector, context.catalogue, version=context.version, data_root=Path(root))
        reason = no_statusline(Registered(connector.id, made.record), host)
        if reason:
            return not_drawn(connector.id, host, reason)
        data, notes = statusline_payload(host, payload)
        live = Live(lambda _index: _renderer(connector, host.id), connector.source)
        text, faults = rendered_statusline(host.id, connector.id, root, data, record=made.record, live=live)
        printed = "".join([printed_in(Path(root), connector.id), *live.shown])
        return drawn(connector.id, host, {"text": text, "faults": faults}, printed, notes)


def _renderer(connector: Connector, host: str) -> PythonHandler:
    assert connector.statusline is not None
    own = connector.statusline.hosts.get(host)
    handler = (own.render if own else None) or connector.statusline.render
    assert handler is not None
    return handler


def _hook_handler(connector: Connector, work: Dispatch, index: int) -> PythonHandler:
    hooks = connector.hooks_for(work.caller).get(work.event) or connector.native_hooks_for(work.caller)[work.event]
    handler = hooks[index].handler
    assert handler is not None
    return handler


class Live:
    """What stands in for a process of our own (see ``Dispatch.live``)."""

    def __init__(self, handler: Callable[[int], PythonHandler], source: str) -> None:
        """``handler``: the one of an entry, by its place; ``source``: the definition's file."""
        self._handler = handler
        self._source = source
        self.shown: list[str] = []
        """Tracebacks of handlers that raised; a hook process writes them to the handlers' log."""

    def function(self, entry: dict[str, Any], index: int) -> Callable[[Any], Any]:
        """The handler at hand. Raises :class:`UnavailableError` where a reference leads nowhere."""
        from ..runtime.author import UnavailableError

        del entry
        handler = self._handler(index)
        try:
            function = handler.function or _referenced(handler.reference, self._source)
        except Exception as fault:
            raise UnavailableError from fault

        def called(argument: Any) -> Any:
            try:
                return _waited_for(function(argument))
            except Exception:
                self.shown.append(traceback.format_exc())
                raise

        return called

    def within(self, seconds: float, work: Callable[[], Any]) -> Any:
        """What ``work`` returns; raises :class:`LateError` in it when its time is up.

        In the main thread a signal does that, as in a hook process. In another one it is raised as soon as the
        interpreter is back from whatever waits in C.
        """
        on_main = threading.current_thread() is threading.main_thread()
        limit = _by_signal(seconds) if on_main and sys.platform != "win32" else _by_watcher(seconds)
        with limit:
            return work()


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    import signal

    def ring(_number: int, _frame: object) -> None:
        raise LateError

    before = signal.signal(signal.SIGALRM, ring)
    started = monotonic()
    waiting, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if waiting:  # a test runner's own limit goes on
            signal.setitimer(signal.ITIMER_REAL, max(waiting - (monotonic() - started), 0.001), interval)


@contextlib.contextmanager
def _by_watcher(seconds: float) -> Iterator[None]:
    import ctypes

    thread = threading.get_ident()
    done = threading.Event()
    lock = threading.Lock()

    def watch() -> None:
        if done.wait(seconds):
            return
        with lock:
            if not done.is_set():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(LateError))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with lock:
            done.set()
        watcher.join()


def _waited_for(answer: Any) -> Any:
    """What a coroutine answers, also where the test itself runs in an event loop: then in a thread of its own."""
    if not hasattr(answer, "__await__"):
        return answer
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    async def waited() -> Any:
        return await answer

    if not _loop_is_running():
        return asyncio.run(waited())
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, waited()).result()


def _loop_is_running() -> bool:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _referenced(reference: str, source: str) -> Callable[[Any], Any]:
    """``module:name`` or ``./file.py:name``, which counts from the definition's folder, as it stands in this
    process."""
    where, _, name = reference.rpartition(":")
    folder = Path(source).parent if source else Path.cwd()
    found: Any = _module_in(folder / where) if where.endswith(".py") else _module_named(where, folder)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"a {type(found).__name__} cannot be called")
    return found  # type: ignore[no-any-return]  # callable, as was just seen


def _module_named(name: str, folder: Path) -> Any:
    before = list(sys.path)
    sys.path.insert(0, str(folder))
    try:
        return import_module(name)
    finally:
        sys.path[:] = before


def _module_in(file: Path) -> Any:
    """The file as the test imported it, else run anew under a name that nobody imports."""
    file = file.resolve()
    for module in list(sys.modules.values()):
        where = getattr(module, "__file__", None)
        if where and Path(where).name == file.name and Path(where).resolve() == file:
            return module
    spec = spec_from_file_location(f"_agent_connector_handler_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
