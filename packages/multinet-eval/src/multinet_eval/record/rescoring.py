"""Rescoring: the results of a recorded run, computed anew from what is recorded."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import attrs

from multinet_eval.record.lock import RunLock
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.results import RunResults, recorded_results
from multinet_eval.record.run_directory import RunDirectory

__all__ = ["Rescored", "rescore_run"]


@attrs.frozen
class Rescored:
    """What came of rescoring a run."""

    results: RunResults
    changed: tuple[str, ...]
    """The parts of the results file that were different, or missing, sorted; all of them where there was no such
    file."""
    written: bool
    """Whether the file is the new one; False where the folder of the run cannot be written."""


def rescore_run(path: Path, take_over: bool = False) -> Rescored:
    """Compute the results of a finished run from its episodes, and write them; the file is replaced as a whole.

    A run whose folder cannot be written is read alone.

    Args:
        path: the folder of the run.
        take_over: whether to take the run from a process that holds it.

    Raises:
        RunError: the run cannot be read or written, it is unfinished, or it is being played.
    """
    directory = RunDirectory(path)
    if not os.access(path, os.W_OK):
        return _rescored(directory, written=False)
    with RunLock(path, take_over):
        rescored = _rescored(directory, written=True)
        text = rescored.results.to_text()
        if text != directory.results():
            try:
                directory.write_results(text)
            except OSError as error:
                raise RunError(f"cannot write to {path}: {error.strerror}") from error
    return rescored


def _rescored(directory: RunDirectory, written: bool) -> Rescored:
    """What comes of rescoring a run, before anything is written."""
    path, results = directory.path, recorded_results(directory)
    if not results.complete:
        finished, planned = len(results.results), len(directory.manifest.plan)
        raise RunError(
            f"{path} is unfinished: {finished} of {planned} episodes have ended, and results are written after the "
            f"last; 'multinet runs resume {path}' goes on with it, 'multinet runs show {path}' shows what there is"
        )
    return Rescored(results, _differing(_parsed(directory.results()), json.loads(results.to_text())), written)


def _parsed(text: str | None) -> dict[str, Any]:
    """The contents of a results file; empty where it holds something else."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _differing(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """The names of what is in one only, or not the same in both."""
    missing = object()
    return tuple(name for name in sorted({*before, *after}) if before.get(name, missing) != after.get(name, missing))
