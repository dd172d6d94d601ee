"""Output formats (JSON, CSV and Markdown), and the error for failed writes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from gridworld.errors import GridworldError
from gridworld.support.wording import visible_line


def json_text(value: Any) -> str:
    """Format JSON in ASCII without control characters other than line feeds, so that it is safe on a terminal."""
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f")


compact_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
"""Format JSON-ready data in one line without spaces; non-ASCII characters are kept."""


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Format rows with the same columns as CSV (RFC 4180 with line feeds) with a heading; empty without rows."""
    text = io.StringIO()
    if rows:
        write_csv(text, rows[0], rows, "\n")
    return text.getvalue()


FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""Pattern of the start of a text that a spreadsheet may take for a formula."""


def write_csv(file: TextIO, columns: Iterable[str], rows: Iterable[Mapping[str, Any]], line_end: str = "\r\n") -> None:
    """Write a heading and rows as CSV (RFC 4180); a text that looks like a formula gets a leading ``'``."""
    writer = csv.writer(file, lineterminator=line_end)
    names = list(columns)
    writer.writerow(map(_csv_cell, names))
    writer.writerows([_csv_cell(row[name]) for name in names] for row in rows)


def _csv_cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


MARKUP = re.compile(r"([\\`*_\[\]<>|#])")
"""Characters with a special meaning in Markdown or HTML."""


def markdown_text(text: str) -> str:
    """Escape a text on one line for Markdown and HTML."""
    return MARKUP.sub(r"\\\1", visible_line(text))


@contextmanager
def writing_to(place: object) -> Iterator[None]:
    """Turn an `OSError` into a `GridworldError` that names the place."""
    try:
        yield
    except OSError as error:
        raise GridworldError(f"cannot write {place}: {error.strerror or error}") from error
