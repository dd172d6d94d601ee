"""Recorded runs as tables in files, each written whole or not at all, and always in the same way.

* ``csv``: RFC 4180 in UTF-8, with a heading; a cell that is None is empty;
* ``jsonl``: a JSON object a line, in ASCII;
* ``parquet``: columns with types; it needs the optional dependency ``multinet-eval[export]``.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TypeVar

from gridworld.errors import ArgumentError, GridworldError
from gridworld.support.files import replacing
from gridworld.support.installing import how_to_install
from multinet_eval.record.rows import EPISODE_COLUMNS, STEP_COLUMNS, Columns, Row, episode_rows, step_rows
from multinet_eval.record.run_directory import RunDirectory

__all__ = ["ExportError", "export_run", "write_csv"]

T = TypeVar("T")

BATCH = 10_000
"""How many rows of a Parquet file are in memory at once."""


class ExportError(GridworldError):
    """A run that cannot be exported."""


def export_run(directory: RunDirectory, path: Path, form: str, rows: str = "episodes") -> int:
    """Write what is recorded of a run as a table.

    Args:
        directory: the run.
        path: the file; one that is there is replaced.
        form: ``csv``, ``jsonl`` or ``parquet``.
        rows: what has a row of its own, ``episodes`` or ``steps``; `multinet_eval.record.rows` describes the columns.

    Returns:
        The number of rows.

    Raises:
        ArgumentError: there is no such format, or no such rows.
        ExportError: the file cannot be written, or what Parquet files need is not installed.
        RunError: an episode cannot be read; no file is written.
    """
    columns, read = _chosen(TABLES, rows, "rows")
    write = _chosen(WRITERS, form, "format")
    counter = _Counted(read(directory))
    try:
        with replacing(path) as place:
            write(columns, counter, place)
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror or error}") from error
    return counter.number


def _chosen(choices: Mapping[str, T], name: str, what: str) -> T:
    if name not in choices:
        raise ArgumentError(f"{what}: expected one of {', '.join(choices)}, got {name!r}")
    return choices[name]


class _Counted:
    """Rows that are counted as they go by."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self.number = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.number += 1
            yield row


def write_csv(columns: Iterable[str], rows: Iterable[Row], path: Path) -> None:
    """Write rows as RFC 4180 has it, in UTF-8; halves of characters are escaped.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.DictWriter(file, list(columns))
        writer.writeheader()
        writer.writerows(rows)


def _write_jsonl(columns: Columns, rows: Iterable[Row], path: Path) -> None:
    with path.open("w", encoding="ascii", newline="") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _write_parquet(columns: Columns, rows: Iterable[Row], path: Path) -> None:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ExportError(
            f"Parquet files need an optional dependency ({error}): {how_to_install('multinet-eval', 'export')}"
        ) from error
    types = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    schema = arrow.schema([(name, types[kind]) for name, kind in columns.items()])
    remaining = map(_in_unicode, rows)
    with parquet.ParquetWriter(path, schema) as writer:
        while batch := list(islice(remaining, BATCH)):
            try:
                writer.write_table(arrow.Table.from_pylist(batch, schema))
            except (arrow.ArrowException, OverflowError) as error:
                raise ExportError(f"Parquet cannot hold a value of the run: {error}") from error


def _in_unicode(row: Row) -> Row:
    """A row of which every text can be encoded: halves of characters are escaped."""
    return {name: _encodable(value) if isinstance(value, str) else value for name, value in row.items()}


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


TABLES: Mapping[str, tuple[Columns, Callable[[RunDirectory], Iterator[Row]]]] = {
    "episodes": (EPISODE_COLUMNS, episode_rows),
    "steps": (STEP_COLUMNS, step_rows),
}
WRITERS: Mapping[str, Callable[[Columns, Iterable[Row], Path], None]] = {
    "csv": write_csv,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}
