"""What a page is made of: the runs and probings in the folders that somebody gives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError
from multinet_eval.record.record_folders import (
    DIAGNOSIS,
    EXPERIMENT,
    PROBING,
    RUN,
    RunError,
    kind_of,
    records_in,
    refuse_special_files,
)

__all__ = ["RunSource", "Sources", "find_sources"]


@attrs.frozen
class RunSource:
    """The folder of a run."""

    path: Path
    condition: str | None = None
    """What it is called in its experiment or diagnosis, if it belongs to one."""


@attrs.frozen
class Sources:
    """What there is to show."""

    runs: tuple[RunSource, ...]
    probings: tuple[Path, ...]


def find_sources(folders: Iterable[Path]) -> Sources:
    """The runs and probings in folders: each is one itself, or holds the runs of an experiment or of a diagnosis.

    A folder without any record is given back as a run, for whoever reads it to say what is missing.

    Raises:
        ArgumentError: a folder is given twice.
        RunError: what an experiment consists of cannot be read.
    """
    folders = list(folders)
    for path, times in Counter(folder.resolve() for folder in folders).items():
        if times > 1:
            raise ArgumentError(f"{path} is given {times} times, expected once")
    runs: list[RunSource] = []
    probings: list[Path] = []
    for folder in folders:
        kind = kind_of(folder)
        if kind in (EXPERIMENT, DIAGNOSIS):
            _check_plain(folder)
        if kind is PROBING:
            probings.append(folder)
        elif kind is EXPERIMENT:
            runs += _runs_of(folder)
        elif kind is DIAGNOSIS:
            runs += [RunSource(path, path.name) for path, each in records_in(folder) if each is RUN]
        else:
            runs.append(RunSource(folder))
    return Sources(tuple(runs), tuple(probings))


def _check_plain(folder: Path) -> None:
    try:
        refuse_special_files(folder)
    except OSError as error:
        raise RunError(f"cannot read {error.filename}: {error.strerror}") from error


def _runs_of(experiment: Path) -> Iterator[RunSource]:
    """Those that have been begun."""
    path = experiment / EXPERIMENT.file
    try:
        planned = [(str(each["folder"]), str(each["condition"])) for each in json.loads(path.read_bytes())["runs"]]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise RunError(f"{path} cannot be read: {error!r}") from error
    for folder, condition in planned:
        if Path(folder).name != folder:
            raise RunError(f"{path} is damaged: expected the name of a folder in it, got {folder[:80]!r}")
        if kind_of(experiment / folder) is RUN:
            yield RunSource(experiment / folder, condition)
