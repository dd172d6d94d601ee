"""Results of a run, computed from its recorded episodes in the order of the plan; rescoring recomputes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from gridworld.model_interface import Adjustment
from gridworld.support.files import JSONError, parse_json
from gridworld.support.wording import counted, shorten
from gridworld.task_spec import TaskSpecification
from multinet_eval.record.episode_facts import facts_of_run
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.lock import RunLock
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sequential_design import SequentialState, scores_of
from multinet_eval.record.suite_metrics import SuiteMetrics, TilingComparison, UnplayedEpisode
from multinet_eval.record.task_result import TaskResult, mechanisms_of
from multinet_eval.statistics.clusters import base_maze
from multinet_eval.support.output import json_text
from multinet_eval.support.parallel import ALONE, Work


def _sorted(adjustments: Iterable[Adjustment]) -> tuple[Adjustment, ...]:
    """Sort and deduplicate adjustments, so that their order does not depend on workers."""
    return tuple(sorted(set(adjustments), key=attrs.astuple))


@attrs.frozen
class RunResults:
    """Results of a run, finished or not."""

    manifest: Manifest
    results: Mapping[int, TaskResult]
    """Result of each ended episode, by number."""
    adjustments: tuple[Adjustment, ...] = attrs.field(default=(), converter=_sorted)
    tasks: Mapping[str, TaskSpecification] = attrs.field(factory=dict, repr=False)
    """Tasks by hash; one that is not listed is its own base maze, and has no known mechanisms."""

    @property
    def complete(self) -> bool:
        """Whether every episode is finished, or the comparison is decided."""
        return not self.unfinished

    @property
    def unfinished(self) -> tuple[PlannedEpisode, ...]:
        """Planned episodes that still need to be played, in the order of the plan."""
        return tuple(each for each in self._counted if not self._is_finished(each.number))

    @property
    def in_order(self) -> tuple[TaskResult, ...]:
        """Results in the order of the plan."""
        return tuple(self.numbered.values())

    @property
    def numbered(self) -> dict[int, TaskResult]:
        """Results by number of the episode, in the order of the plan."""
        return self._numbered(self._counted)

    @property
    def sequential(self) -> SequentialState | None:
        """State of the comparison with the reference; None without a reference."""
        design = self.manifest.sequential
        return None if design is None else design.state(self.manifest.plan, scores_of(self.results))

    @property
    def _counted(self) -> Sequence[PlannedEpisode]:
        """The plan without episodes of mazes after the decision, which other workers may have played."""
        state, plan = self.sequential, self.manifest.plan
        return plan if state is None else [each for each in plan if state.is_needed(each)]

    @property
    def metrics(self) -> tuple[SuiteMetrics, ...]:
        """Metrics for each tiling with a finished episode; the first tiling is always included."""
        first, *others = map(self._metrics, self.manifest.settings.tilings)
        return first, *(each for each in others if each.task_results)

    @property
    def together(self) -> SuiteMetrics:
        """Metrics of all tilings together."""
        parts = list(map(self._metrics, self.manifest.settings.tilings))
        return attrs.evolve(
            parts[0],
            tiling=parts[0].tiling if len(parts) == 1 else None,
            task_results=tuple(result for part in parts for result in part.task_results),
            unplayed=tuple(episode for part in parts for episode in part.unplayed),
            complete=all(part.complete for part in parts),
        )

    @property
    def comparison(self) -> TilingComparison | None:
        """Metrics of all tilings side by side; None for a run that does not compare tilings."""
        settings = self.manifest.settings
        if not settings.compares_tilings:
            return None
        return TilingComparison(self.metrics, tuple(name for name in settings.tilings if name is not None))

    def to_dict(self) -> dict[str, Any]:
        """Make the contents of a results file; omits estimates if the comparison was decided early."""
        state, found = self.sequential, (self.comparison or self.metrics[0]).to_dict()
        if state is None:
            return found
        return {**(_without_estimates(found) if state.stopped else found), "sequential": state.to_dict()}

    def to_text(self) -> str:
        """Format a results file."""
        return json_text(self.to_dict()) + "\n"

    def _metrics(self, tiling: str | None) -> SuiteMetrics:
        manifest, backend = self.manifest, self.manifest.backend_on(tiling)
        planned = [each for each in self._counted if each.tiling == tiling]
        return SuiteMetrics(
            benchmark_name=manifest.suite,
            suite_hash=manifest.suite_hash,
            model_name=manifest.model_name,
            backend=backend.backend,
            tiling=backend.tiling,
            seed=manifest.settings.seed,
            task_results=tuple(self._numbered(planned).values()),
            complete=all(self._is_finished(each.number) for each in planned),
            adjustments=self.adjustments,
            prices=manifest.settings.prices,
            unplayed=tuple(self._unplayed(each) for each in planned if each.number not in self.results),
        )

    def _numbered(self, planned: Iterable[PlannedEpisode]) -> dict[int, TaskResult]:
        found = {}
        for each in planned:
            if each.number in self.results:
                result, task = self.results[each.number], self.tasks.get(each.task)
                found[each.number] = result if task is None else result.of_task(task)
        return found

    def _unplayed(self, planned: PlannedEpisode) -> UnplayedEpisode:
        task = self.tasks.get(planned.task)
        if task is None:
            return UnplayedEpisode(planned.task_id, planned.tiling, planned.task_id, None, ())
        maze, tier, mechanisms = base_maze(task), task.difficulty_tier, mechanisms_of(task)
        return UnplayedEpisode(planned.task_id, planned.tiling, maze, tier, mechanisms)

    def _is_finished(self, number: int) -> bool:
        """Whether an episode has ended other than by a permanent error, after which it is replayed."""
        result = self.results.get(number)
        return result is not None and not result.permanent


ESTIMATES = ("success_", "pass_", "spl", "mean_", "budget_", "cost_per_")
"""Prefixes of the names of estimates in results files."""


def _without_estimates(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Remove estimates, which early stopping biases, from part of a results file."""
    found = {name: value for name, value in summary.items() if not name.startswith(ESTIMATES)}
    groups = {name: found[name] for name in ("tiers", "mechanisms", "tilings") if name in found}
    return found | {
        name: {key: _without_estimates(each) for key, each in group.items()} for name, group in groups.items()
    }


class ResultsFold:
    """Collects results of recorded episodes one by one, without keeping their records in memory."""

    def __init__(self) -> None:
        self._results: dict[int, TaskResult] = {}
        self._adjustments: set[Adjustment] = set()

    def add(self, number: int, latest: EpisodeRecord) -> TaskResult | None:
        """Add the latest attempt at an episode; return its result, or None if it has not ended."""
        result = None if latest.end is None else TaskResult.of(latest.header, latest.steps, latest.end)
        self.add_result(number, result, latest.adjustments)
        return result

    def add_result(self, number: int, result: TaskResult | None, adjustments: Iterable[Adjustment]) -> None:
        """Add the result of an episode, None if it has not ended, and the workarounds that it found."""
        self._adjustments.update(adjustments)
        if result is not None:
            self._results[number] = result

    def results(self, manifest: Manifest, tasks: Mapping[str, TaskSpecification]) -> RunResults:
        """Return the results so far, given the tasks by hash."""
        return RunResults(manifest, self._results, tuple(self._adjustments), tasks)


def readable_tasks(directory: RunDirectory) -> dict[str, TaskSpecification]:
    """Return the readable tasks of a run by hash."""
    found = {}
    for digest in sorted({each.task for each in directory.manifest.plan}):
        with suppress(RunError):
            found[digest] = directory.task(digest)
    return found


def recorded_results(directory: RunDirectory, work: Work = ALONE) -> RunResults:
    """Return the results of a recorded run; raises RunError if an episode cannot be read."""
    fold = ResultsFold()
    for number, facts in facts_of_run(directory, work).items():
        fold.add_result(number, facts.result, facts.adjustments)
    return fold.results(directory.manifest, readable_tasks(directory))


@attrs.frozen
class Rescored:
    """Outcome of rescoring a run."""

    results: RunResults
    changed: tuple[str, ...]
    """Parts of the results file that differed or were missing, sorted; all parts if the file was missing."""
    written: bool
    """Whether the file holds these results; False if the run's folder is read-only."""


def rescore_run(path: Path, take_over: bool = False, work: Work = ALONE) -> Rescored:
    """Compute the results of a finished run from its episodes, and write them unless its folder is read-only.

    Args:
        path: the folder of the run.
        take_over: whether to take the run from a process that plays it.
        work: how episodes are read.

    Raises:
        RunError: the run cannot be read or written, is unfinished, or is being played.
    """
    directory = RunDirectory(path)
    if not os.access(path, os.W_OK):
        return _rescored(directory, work, written=False)
    with RunLock(path, take_over):
        rescored = _rescored(directory, work, written=True)
        text = rescored.results.to_text()
        if text != directory.results():
            directory.write_results(text)
    return rescored


def _rescored(directory: RunDirectory, work: Work, written: bool) -> Rescored:
    """Rescore a run without writing anything; raises RunError if the run is unfinished."""
    path, results = directory.path, recorded_results(directory, work)
    if not results.complete:
        raise RunError(
            f"{path} is unfinished: {_left(results)}, and results are written after the last; 'multinet runs resume "
            f"{path}' resumes it, 'multinet runs show {path}' shows its present state"
        )
    found, expected = directory.results(), results.to_text()
    if found == expected:
        return Rescored(results, (), written)
    before, after = _parsed(found), parse_json(expected)
    missing = object()
    names = sorted({*before, *after})
    changed = tuple(name for name in names if before.get(name, missing) != after.get(name, missing))
    return Rescored(results, changed, written)


def _left(results: RunResults) -> str:
    """Say how many episodes still need to be played, and why those that have ended do."""
    left = [each.number for each in results.unfinished]
    text = f"{len(left)} of {counted(len(results.manifest.plan), 'episode')} left to play"
    again = [results.results[number].error for number in left if number in results.results]
    if not again:
        return text
    return f"{text}, {len(again)} of them again after an error that would end every episode ({shorten(str(again[0]))})"


def _parsed(text: str | None) -> dict[str, Any]:
    """Parse a results file; empty if the file is damaged."""
    try:
        found = parse_json(text or "{}")
    except JSONError:
        return {}
    return found if isinstance(found, dict) else {}
