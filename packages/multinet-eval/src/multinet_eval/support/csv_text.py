"""CSV for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["csv_text"]


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with the same columns as CSV (RFC 4180), but with line feeds, under a heading; a cell that is None is empty.

    Without rows it is empty, since they say what the columns are.
    """
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
