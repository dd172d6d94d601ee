"""Recorded runs and probings as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.wording import counted, first_numbers
from multinet_eval.analysis.pages import PageProgress, WrittenPage, say_nothing
from multinet_eval.probing.probe_directory import ProbeDirectory
from multinet_eval.record.fingerprint import condition_differences
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.statistics import ESTIMATORS_VERSION
from multinet_eval.statistics.paired_differences import compare_pairs
from multinet_report.analysis import Boards
from multinet_report.page_file import Blocks, page, write_page
from multinet_report.probing_data import ProbingReading, read_probing_data
from multinet_report.run_data import RunReading, read_run_data
from multinet_report.sources import RunName, find_sources, name_runs


@attrs.frozen
class MadeReport:
    """A page and the data read for it."""

    text: str
    runs: tuple[RunReading, ...]
    probings: tuple[ProbingReading, ...]

    @property
    def shows(self) -> str:
        """Summary of the contents, in words."""
        episodes = sum(len(each.data["episodes"]) for each in self.runs)
        questions = sum(row["asked"] for each in self.probings for row in each.data["moments"])
        counts = ((self.runs, counted(episodes, "episode")), (self.probings, counted(questions, "question")))
        return ", ".join(words for shown, words in counts if shown)


def write_report(
    folders: Sequence[Path],
    output: Path,
    max_states: int = MAX_STATES_OF_METRICS,
    progress: PageProgress = say_nothing,
    workers: int = 1,
) -> WrittenPage:
    """Write a page of recorded runs and probings.

    Args:
        folders: folders of runs (finished or not), probings, and experiments and diagnoses, whose runs are shown.
        output: the file.
        max_states: maximum number of states of a task for which distances to success are computed.
        progress: called after each episode.
        workers: number of processes that read episodes.

    Raises:
        NotRecordedError: nothing is recorded in a folder.
        RunError: a run or a probing cannot be read at all.
        ArgumentError: no folder is given, or no run has started in any.
        GridworldError: the file cannot be written.
    """
    made = make_report(folders, max_states, progress, workers)
    problems = [text for each in made.runs for text in _told(each, each.problems)]
    problems += [problem for each in made.probings for problem in each.problems]
    notes = [text for each in made.runs for text in _told(each, each.notes)]
    return write_page(made.text, output, made.shows, tuple(problems), tuple(notes))


def make_report(
    folders: Sequence[Path],
    max_states: int = MAX_STATES_OF_METRICS,
    progress: PageProgress = say_nothing,
    workers: int = 1,
) -> MadeReport:
    """Build the text of the page and the data read for it; raises as `write_report` does, except when writing."""
    if not folders:
        raise ArgumentError("expected a recorded run")
    sources, blocks = find_sources(folders), Blocks()
    if not sources.runs and not sources.probings:
        raise ArgumentError(f"no run has started in {', '.join(map(str, folders))}")
    names = name_runs(sources.runs)
    numbers, planned = count(1), sum(len(name.directory.manifest.plan) for name in names)

    def tell_read() -> None:
        progress(next(numbers), planned)

    boards = Boards(max_states)
    runs = [
        _called(name, read_run_data(name.directory, str(place), blocks, boards, tell_read, workers))
        for place, name in enumerate(names)
    ]
    probings = [
        read_probing_data(ProbeDirectory(path), str(place), blocks) for place, path in enumerate(sources.probings)
    ]
    shown = [*(each.data for each in runs), *(each.data for each in probings)]
    title = ", ".join(dict.fromkeys(f"{each['model']} on {each['suite']}" for each in shown))
    index = {
        "estimators": ESTIMATORS_VERSION,
        "runs": [each.data for each in runs],
        "difference": paired_difference(runs),
        "probings": [each.data for each in probings],
    }
    blocks.add_json("index", index)
    return MadeReport(page(title, blocks), tuple(runs), tuple(probings))


def paired_difference(runs: Sequence[RunReading]) -> str | None:
    """Describe the paired difference of two runs of a suite, in words.

    None for any other number of runs, without common mazes, or if a run stopped when decided: the test assumes that the
    number of mazes was fixed in advance.
    """
    if len(runs) != 2 or runs[0].data["suite_hash"] != runs[1].data["suite_hash"]:
        return None
    if any(each.data["sequential"] is not None and each.data["sequential"]["stopped"] for each in runs):
        return None
    (found,) = compare_pairs([each.successes for each in runs], seed=0)
    if found.difference is None or found.test is None:
        return None
    first, second = (each.data["name"] for each in runs)
    low, high = found.interval
    told = (
        f"Success of {first} minus that of {second}, paired by {counted(found.clusters, 'maze')}: "
        f"{found.difference:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}; {_p_value(found.test.p_value)} "
        f"({found.test.kind.value}); {first} is better in {found.better}, {second} in {found.worse}."
    )
    if found.majority_disagrees:
        told += " The mean and most mazes favour different runs: the test does not say which of them is better."
    missing = sum(each.data["planned"] - sum(one.score is not None for one in each.successes) for each in runs)
    if missing:
        told += f" {counted(missing, 'episode')} without a score left out."
    differing = [path for path, _ in condition_differences(*(each.data["conditions"] for each in runs))]
    if differing:
        told += f" The runs also differ in {', '.join(differing)}."
    return told


def _p_value(value: float) -> str:
    return f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"


def _called(name: RunName, reading: RunReading) -> RunReading:
    own = {"name": name.folder, "differs": name.differs, "condition": name.condition}
    return attrs.evolve(reading, data={**reading.data, **own})


def _told(reading: RunReading, found: Mapping[str, list[int]]) -> Iterator[str]:
    """Yield one line per problem or note, with the episodes concerned."""
    for text, numbers in found.items():
        yield f"{reading.data['name']}: {text}, in {counted(len(numbers), 'episode')}: {first_numbers(numbers)}"
