"""Recorded runs as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gridworld.errors import ArgumentError
from gridworld.support.wording import counted
from multinet_eval.defaults import MAX_STATES_OF_METRICS
from multinet_eval.pages import WrittenPage
from multinet_eval.runs.run_directory import RunDirectory
from multinet_report.blocks import Blocks
from multinet_report.page_file import page, write_page
from multinet_report.run_data import RunReading, read_run_data

__all__ = ["make_report", "write_report"]


def write_report(
    runs: Sequence[Path], output: Path, max_states: int = MAX_STATES_OF_METRICS, follow: float | None = None
) -> WrittenPage:
    """Write a page of recorded runs.

    Args:
        runs: their folders, finished or not.
        output: the file.
        max_states: the most states of a task for which distances to success are computed.
        follow: the seconds after which an open page is read anew, for runs in progress; None for a page that stays.

    Raises:
        NotRecordedError: there is no run in a folder.
        RunError: a run cannot be read at all.
        ArgumentError: no run is given.
        GridworldError: the file cannot be written.
    """
    text, readings = make_report(runs, max_states, follow)
    problems = tuple(problem for each in readings for problem in _problems(each))
    episodes = sum(len(reading.data["episodes"]) for reading in readings)
    return write_page(text, output, counted(episodes, "episode"), problems)


def make_report(
    runs: Sequence[Path], max_states: int = MAX_STATES_OF_METRICS, follow: float | None = None
) -> tuple[str, list[RunReading]]:
    """The text of the page, and what was read for it; raises as `write_report` does, but for what it writes."""
    if not runs:
        raise ArgumentError("expected a recorded run")
    blocks = Blocks()
    readings = [read_run_data(RunDirectory(path), str(place), blocks, max_states) for place, path in enumerate(runs)]
    title = ", ".join(dict.fromkeys(f"{each.data['model']} on {each.data['suite']}" for each in readings))
    blocks.add_json("index", {"runs": [reading.data for reading in readings], "follow": follow})
    return page(title, blocks), readings


def _problems(reading: RunReading) -> Iterator[str]:
    """A line for each kind of problem, since it may be that of a thousand episodes."""
    name = reading.data["name"]
    for problem, numbers in reading.problems.items():
        yield f"{name}: {problem} ({counted(len(numbers), 'episode')}, the first is {numbers[0]})"
