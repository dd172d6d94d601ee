"""A recorded run prepared for analyses: its plan and its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gridworld.errors import PluginFault, UnknownNameError
from gridworld.task_spec import TaskSpecification
from multinet_eval.analysis.export import Row, episode_rows, mistake_rows, step_rows
from multinet_eval.analysis.mistakes.mistake_table import MistakeTable
from multinet_eval.analysis.mistakes.run_mistakes import mistakes_of_run
from multinet_eval.record.episode_facts import EpisodeFacts, facts_of_run
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.results import RunResults
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sequential_design import SequentialState
from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.clusters import base_maze
from multinet_eval.support.parallel import ALONE, Work

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.aggregation import Value
    from multinet_eval.analysis.metrics.measuring import Choice
    from multinet_eval.analysis.metrics.metric_type import Metric


@attrs.frozen
class PlayedEpisode:
    """A planned episode and its latest attempt."""

    planned: PlannedEpisode
    base: str
    """Base maze of the episode's task (`multinet_eval.statistics.clusters.base_maze`)."""
    result: TaskResult | None = None
    """Result of the latest attempt; None for an unfinished episode."""
    times: tuple[float, ...] = attrs.field(default=(), repr=False)
    """Durations that distinguish the episode from a copy (`measured_times`); empty if nothing was measured."""
    values: Mapping[str, Value] = attrs.field(factory=dict, repr=False)
    """Defined values of the requested metrics (`RecordedRun.measured`)."""


class PlayedTogether:
    """A set of planned episodes, some of them finished."""

    __slots__ = ()
    played: tuple[PlayedEpisode, ...]

    @property
    def finished(self) -> int:
        """Number of finished episodes."""
        return sum(each.result is not None for each in self.played)

    @property
    def complete(self) -> bool:
        """Whether all planned episodes are finished."""
        return self.finished == len(self.played)


@attrs.frozen
class RecordedRun(PlayedTogether):
    """A recorded run, finished or not."""

    path: Path
    manifest: Manifest
    played: tuple[PlayedEpisode, ...]
    """Episodes in the order of the plan."""
    tasks: Mapping[str, TaskSpecification] = attrs.field(repr=False)
    """Tasks of the plan, by hash."""

    @property
    def results(self) -> RunResults:
        """Results of the run."""
        results = {each.planned.number: each.result for each in self.played if each.result is not None}
        return RunResults(self.manifest, results, tasks=self.tasks)

    @property
    def sequential(self) -> SequentialState | None:
        """State of the run's comparison with a reference; None without a reference."""
        return self.results.sequential

    def episodes(self) -> list[Row]:
        """Return one row per planned episode, with the columns of `EPISODE_COLUMNS`.

        Raises:
            RunError: an episode cannot be read.
        """
        return list(episode_rows(RunDirectory(self.path)))

    def steps(self) -> list[Row]:
        """Return one row per step of each episode, with the columns of `STEP_COLUMNS`.

        Raises:
            RunError: an episode cannot be read.
        """
        return list(step_rows(RunDirectory(self.path)))

    def mistakes(self, by: str = "kind") -> list[Row]:
        """Return a table of mistakes.

        Args:
            by: what a row stands for: ``kind`` (the rows of `mistake_table`, ranked) or ``mistake`` (a row for each,
                with the columns of `MISTAKE_COLUMNS`).

        Raises:
            UnknownNameError: there is no such table.
            GridworldError: as `multinet_eval.analysis.mistakes.run_mistakes.mistakes_of_run` does.
        """
        directory = RunDirectory(self.path)
        if by == "mistake":
            return list(mistake_rows(directory))
        if by != "kind":
            raise UnknownNameError("table", by, ("kind", "mistake"), listed_as="there are")
        return self.mistake_table.to_list()

    @property
    def mistake_table(self) -> MistakeTable:
        """Mistakes of the run's episodes by kind, ranked, with the sentence that says what is wrong.

        Raises:
            GridworldError: as `multinet_eval.analysis.mistakes.run_mistakes.mistakes_of_run` does.
        """
        return MistakeTable.of_run(self.results, mistakes_of_run(RunDirectory(self.path)))

    def metrics(self, chosen: Iterable[Choice] = (), by: str = "run", weights: Path | None = None) -> list[Row]:
        """Return a table of metrics, as described by `multinet_eval.analysis.metrics.measured_run.MeasuredRun`.

        Args:
            chosen: the metrics: names of installed ones, and results of the decorators `metric` and `weighted_metric`;
                all installed ones by default.
            by: what a row stands for: ``run``, ``task`` or ``episode``.
            weights: a TOML file with weights of metrics such as ``composite``; by default the bundled ones.

        Raises:
            UnknownNameError: no metric or table has this name; also as
                `multinet_eval.analysis.metrics.measuring.measure_run` does.
        """
        from multinet_eval.analysis.metrics.measuring import measure_run

        return measure_run(RunDirectory(self.path), chosen, weights=weights).table(by)

    def measured(self, metrics: Mapping[str, Metric[Value]]) -> RecordedRun:
        """Return the run with metric values added to the episodes.

        Args:
            metrics: metrics by name.

        Raises:
            PluginFault: a metric fails; also as `multinet_eval.analysis.metrics.measuring.measure_with` does.
        """
        from multinet_eval.analysis.metrics.measuring import measure_with

        found = measure_with(RunDirectory(self.path), metrics)
        faults = [fault for fault, _ in found.faults().values()]
        if faults:
            raise PluginFault("; ".join(faults))
        pairs = zip(self.played, found.episodes, strict=True)
        return attrs.evolve(self, played=tuple(attrs.evolve(each, values=one.values) for each, one in pairs))


def run_names(paths: Iterable[Path]) -> tuple[str, ...]:
    """Name runs after their folders, or by their paths if folder names collide."""
    folders = tuple(paths)
    names = tuple(path.resolve().name for path in folders)
    return names if len(set(names)) == len(names) else tuple(map(str, folders))


def read(path: str | PathLike[str], work: Work = ALONE) -> RecordedRun:
    """Read a recorded run.

    Args:
        path: the folder of the run.
        work: how episodes are read.

    Raises:
        NotRecordedError: the folder does not contain a run.
        RunError: the run cannot be read; the message names the file and line.
    """
    directory = RunDirectory(Path(path))
    tasks = directory.tasks()
    facts = facts_of_run(directory, work)
    played = tuple(
        _played(planned, tasks[planned.task], facts.get(planned.number)) for planned in directory.manifest.plan
    )
    return RecordedRun(directory.path, directory.manifest, played, tasks)


def _played(planned: PlannedEpisode, task: TaskSpecification, facts: EpisodeFacts | None) -> PlayedEpisode:
    base = base_maze(task)
    if facts is None:
        return PlayedEpisode(planned, base)
    return PlayedEpisode(planned, base, facts.result and facts.result.of_task(task), facts.times)
