"""Recorded runs as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.files import write_bytes
from gridworld.support.wording import counted
from multinet_eval.defaults import MAX_STATES_OF_METRICS
from multinet_eval.runs.record_folders import RunError
from multinet_eval.runs.run_directory import RunDirectory
from multinet_report.blocks import Blocks
from multinet_report.page_file import page
from multinet_report.run_data import RunReading, read_run_data

__all__ = ["Written", "make_report", "write_report"]


@attrs.frozen
class Written:
    """What was written."""

    size: int
    """Of the file, in bytes."""
    episodes: int
    problems: tuple[str, ...]
    """What could not be read or computed, and is left out."""


def write_report(runs: Sequence[Path], output: Path, max_states: int = MAX_STATES_OF_METRICS) -> Written:
    """Write a page of recorded runs.

    Args:
        runs: their folders, finished or not.
        output: the file.
        max_states: the most states of a task for which distances to success are computed.

    Raises:
        NotRecordedError: there is no run in a folder.
        RunError: a run cannot be read at all, or the file cannot be written.
        ArgumentError: no run is given.
    """
    text, readings = make_report(runs, max_states)
    content = text.encode("utf-8")
    try:
        write_bytes(output, content)
    except OSError as error:
        raise RunError(f"cannot write {output}: {error.strerror}") from error
    episodes = sum(len(reading.data["episodes"]) for reading in readings)
    return Written(len(content), episodes, tuple(problem for each in readings for problem in _problems(each)))


def make_report(runs: Sequence[Path], max_states: int = MAX_STATES_OF_METRICS) -> tuple[str, list[RunReading]]:
    """The text of the page, and what was read for it; raises as `write_report` does, but for what it writes."""
    if not runs:
        raise ArgumentError("expected a recorded run")
    blocks = Blocks()
    readings = [read_run_data(RunDirectory(path), str(place), blocks, max_states) for place, path in enumerate(runs)]
    title = ", ".join(dict.fromkeys(f"{each.data['model']} on {each.data['suite']}" for each in readings))
    blocks.add_json("index", {"runs": [reading.data for reading in readings]})
    return page(title, blocks), readings


def _problems(reading: RunReading) -> Iterator[str]:
    """A line for each kind of problem, since it may be that of a thousand episodes."""
    name = reading.data["name"]
    for problem, numbers in reading.problems.items():
        yield f"{name}: {problem} ({counted(len(numbers), 'episode')}, the first is {numbers[0]})"
