"""Runs and probings in the folders given to a page, and their displayed names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.files import safe_file_name
from gridworld.support.wording import shorten
from multinet_eval.analysis.recorded_run import run_names
from multinet_eval.analysis.shared_conditions import distinctions
from multinet_eval.record.record_folders import (
    DIAGNOSIS,
    EXPERIMENT,
    PROBING,
    RUN,
    RunError,
    kind_of,
    read_record,
    records_in,
)
from multinet_eval.record.run_directory import RunDirectory


@attrs.frozen
class RunSource:
    """A folder that holds a run."""

    path: Path
    condition: str | None = None
    """Name of the run's condition, if it belongs to an experiment or a diagnosis."""


@attrs.frozen
class Sources:
    """Runs and probings to show."""

    runs: tuple[RunSource, ...]
    probings: tuple[Path, ...]


def find_sources(folders: Iterable[Path]) -> Sources:
    """Find the runs and probings in folders of runs, probings, experiments and diagnoses.

    A folder without a record is returned as a run, so that its reader reports what is missing.

    Raises:
        ArgumentError: a folder is given twice.
        RunError: the file of an experiment or a diagnosis cannot be read.
    """
    folders = list(folders)
    for path, times in Counter(folder.resolve() for folder in folders).items():
        if times > 1:
            raise ArgumentError(f"{path} is given {times} times, expected once")
    runs: list[RunSource] = []
    probings: list[Path] = []
    for folder in folders:
        kind = kind_of(folder)
        if kind is PROBING:
            probings.append(folder)
        elif kind is EXPERIMENT:
            runs += _runs_of(folder)
        elif kind is DIAGNOSIS:
            read_record(folder, DIAGNOSIS)
            runs += [RunSource(path, path.name) for path, each in records_in(folder) if each is RUN]
        else:
            runs.append(RunSource(folder))
    return Sources(tuple(runs), tuple(probings))


def _runs_of(experiment: Path) -> Iterator[RunSource]:
    """Yield an experiment's runs that have been started."""
    path = experiment / EXPERIMENT.file
    try:
        runs = read_record(experiment, EXPERIMENT)["runs"]
        planned = [(str(each["folder"]), str(each["condition"])) for each in runs]
    except (LookupError, TypeError) as error:
        raise RunError(f"{path} is damaged: {error!r}") from error
    for number, (folder, condition) in enumerate(planned):
        if safe_file_name(folder) != folder:
            place = f"{path} is damaged: runs[{number}].folder"
            raise RunError(f"{place}: expected the name of a folder in it, got {shorten(repr(folder))}")
        if kind_of(experiment / folder) is RUN:
            yield RunSource(experiment / folder, condition)


SHOWN_BESIDE = ("model.name",)
"""Parts of fingerprints that are always shown next to the name."""


@attrs.frozen
class RunName:
    """Unique name of a run on a page."""

    directory: RunDirectory
    folder: str
    """Name of the run's folder, or its path if names collide."""
    differs: str
    """Settings in which the condition's runs differ, such as ``hex, seed=3``; may be empty."""
    condition: str | None
    """Name of the run's condition, if it belongs to an experiment or a diagnosis."""


def name_runs(sources: Sequence[RunSource]) -> list[RunName]:
    """Return the names of the runs, in order; raises RunError if a run cannot be read."""
    directories = [RunDirectory(each.path) for each in sources]
    told = [""] * len(sources)
    for condition in {each.condition for each in sources}:
        places = [place for place, each in enumerate(sources) if each.condition == condition]
        found = distinctions([directories[place].manifest for place in places], SHOWN_BESIDE)
        for place, words in zip(places, found, strict=True):
            told[place] = words
    folders = run_names(each.path for each in sources)
    named = zip(directories, folders, told, sources, strict=True)
    return [RunName(directory, folder, words, source.condition) for directory, folder, words, source in named]
