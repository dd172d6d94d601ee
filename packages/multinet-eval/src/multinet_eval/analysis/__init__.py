"""Recorded runs: what is planned, how it is played, and what is kept of it; `read` reads one for analysis."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multinet_eval.analysis.recorded_run import RecordedRun

__all__ = ["read"]


def read(path: str | PathLike[str]) -> RecordedRun:
    """Read a recorded run, finished or not.

    Raises:
        NotRecordedError: there is no run in that folder.
        RunError: it cannot be read; the place is named.
    """
    from multinet_eval.analysis.recorded_run import read_run

    return read_run(path)
