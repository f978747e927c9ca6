"""Rows for other programs: JSON, CSV, Parquet, or OpenTelemetry. Counts only; where projects are, only when asked."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ..errors import FileError, UsageError
from ..telemetry import store
from ..telemetry.records import FIELDS, PATH_FIELD, records
from ..telemetry.since import since_ms
from .context import Context
from .telemetry import TelemetryExportReport, TelemetryExportRequest
from .telemetry_report import NOTHING_YET, known_host

Records = Iterator[dict[str, Any]]


def telemetry_export(request: TelemetryExportRequest, context: Context) -> TelemetryExportReport:
    """Raises :class:`UsageError` for what cannot be asked (a format whose library is missing, Parquet without a
    file), :class:`FileError` for a file that cannot be written, :class:`TelemetryError` where the database, or the
    collector, cannot be used."""
    since = since_ms(request.since, time.time())
    host = known_host(request.host, context)
    if request.format == "otlp":
        return _to_collector(request, since, host, context)
    if request.endpoint:
        raise UsageError("rows go to a collector as otlp only", hint="Say --format otlp, or leave --endpoint away.")
    write = _WRITERS[request.format]()
    if request.format == "parquet" and not request.out:
        raise UsageError("Parquet is no text", hint="Name a file with --out FILE.")
    columns = (*FIELDS, PATH_FIELD) if request.paths else FIELDS
    out = Path(context.machine.path(request.out)) if request.out else None
    with _target(out) as file:

        def use(found: Records) -> int:
            file.seek(0)  # a database that turns out damaged is asked twice
            file.truncate()
            return write(found, columns, file)

        rows, notes = _each(request, since, host, context, use)
        text = "" if out else file.getvalue().decode()  # type: ignore[attr-defined]  # in memory where there is no file
    return TelemetryExportReport(request.format, rows, str(out or ""), text, notes)


def _each(
    request: TelemetryExportRequest,
    since: int | None,
    host: str,
    context: Context,
    use: Callable[[Records], int],
) -> tuple[int, tuple[str, ...]]:
    """What ``use`` makes of all records: of the database, then of the connectors' own files."""
    if not store.exists(context.data_root):
        return use(iter(())), (NOTHING_YET,)

    def question(opened: store.Store) -> int:
        def found() -> Records:
            wanted = {"since": since, "connector": request.connector, "host": host, "paths": request.paths}
            yield from records(opened.connection, **wanted)  # type: ignore[arg-type]  # each of its own type
            if logs := opened.logs(request.connector):
                connection = store.in_memory(logs)
                yield from records(connection, **wanted)  # type: ignore[arg-type]
                connection.close()

        return opened.ask(lambda _: use(found()))

    return store.ask(context.data_root, question)


# --- formats ----------------------------------------------------------------------------------------------------

Write = Callable[[Records, tuple[str, ...], IO[bytes]], int]
"""(records, names of their fields, where to) -> how many there were"""


def _json() -> Write:
    def write(found: Records, _columns: tuple[str, ...], file: IO[bytes]) -> int:
        count = 0
        file.write(b"[")
        for count, record in enumerate(found, 1):
            file.write(b"\n  " if count == 1 else b",\n  ")
            file.write(json.dumps(record).encode())
        file.write(b"\n]\n" if count else b"]\n")
        return count

    return write


def _csv() -> Write:
    def write(found: Records, columns: tuple[str, ...], file: IO[bytes]) -> int:
        count = 0
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.DictWriter(text, columns)
        writer.writeheader()
        for record in found:
            writer.writerow({name: _plain(value) for name, value in record.items()})
            count += 1
        text.flush()
        text.detach()
        return count

    return write


def _plain(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: names of tools are chosen by whoever wrote the server."""
    if isinstance(value, bool):
        return int(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


_PER_GROUP = 50_000


def _parquet() -> Write:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed here", hint="pip install pyarrow, or --format csv."
        ) from None

    def write(found: Records, columns: tuple[str, ...], file: IO[bytes]) -> int:
        kinds = {"ts": pa.timestamp("ms", tz="UTC"), "latencyMs": pa.float64(), "isError": pa.bool_()}
        numbers = ("inputTokens", "outputTokens", "inputBytes", "outputBytes")
        schema = pa.schema(
            [(name, kinds.get(name) or (pa.int64() if name in numbers else pa.string())) for name in columns]
        )
        count = 0
        with pq.ParquetWriter(file, schema) as writer:
            while group := list(islice(found, _PER_GROUP)):
                writer.write_table(pa.Table.from_pylist(group, schema=schema))
                count += len(group)
        return count

    return write


_WRITERS: Mapping[str, Callable[[], Write]] = {"json": _json, "csv": _csv, "parquet": _parquet}


@contextmanager
def _target(out: Path | None) -> Iterator[IO[bytes]]:
    """Where to write: memory, or a file beside ``out`` that takes its place when all went well. Private, for who used
    what when is nobody else's business."""
    if out is None:
        with io.BytesIO() as memory:
            yield memory
        return
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(out)
    except OSError as error:
        raise FileError(
            f"cannot write {out}: {error.strerror or error}", hint="Name a file in a folder that you can write."
        ) from error
    finally:
        Path(temporary).unlink(missing_ok=True) if temporary else None


# --- OpenTelemetry ----------------------------------------------------------------------------------------------


def _to_collector(
    request: TelemetryExportRequest, since: int | None, host: str, context: Context
) -> TelemetryExportReport:
    from ..telemetry.otel import endpoint_of, exporter, send

    endpoint = endpoint_of(request.endpoint, context.machine.env)
    ready = exporter(endpoint)
    if request.out:
        raise UsageError("OTLP goes to a collector, not to a file", hint="Leave --out away.")
    rows, notes = _each(request, since, host, context, lambda found: send(found, ready, context.version))
    return TelemetryExportReport("otlp", rows, endpoint, "", notes)
