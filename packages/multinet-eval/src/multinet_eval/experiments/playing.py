"""Playing the runs of an experiment one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import GridworldError
from multinet_eval.experiments.experiment_folder import ExperimentFolder
from multinet_eval.experiments.preparing import PreparedRun
from multinet_eval.play.limits import Stopped, StopReason
from multinet_eval.play.readiness import FAIL_AT_ONCE, ServerWait
from multinet_eval.play.run import Run, RunOutcome, new_run, open_run
from multinet_eval.record.confirmation import Given
from multinet_eval.record.episode_facts import EpisodeFacts, RequestTotals, facts_of_run
from multinet_eval.record.events import Spent
from multinet_eval.record.lock import RunLock
from multinet_eval.record.manifest import RunOptions
from multinet_eval.record.record_folders import is_run
from multinet_eval.record.results import RunResults, recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_player
from multinet_eval.settings.spending import BudgetLimits, limit_message

Player = Callable[[Run, RunOptions], RunOutcome]
"""Plays one run, such as `Run.play`."""
ENDING = (StopReason.INTERRUPTED, StopReason.BUDGET)
"""Stop reasons that apply to every other run as well."""


@attrs.frozen
class PlayedRun:
    """Progress of one run."""

    prepared: PreparedRun
    results: RunResults | None = None
    """Results so far; None for a run that has not started."""
    requests: Mapping[str | None, RequestTotals] = attrs.Factory(dict)
    """Figures of the requests on each tiling, over all sessions."""
    problem: str | None = None
    """Reason why the run is unfinished, unless the whole experiment was stopped."""

    @property
    def spent(self) -> Spent:
        """Usage over all sessions."""
        return Spent.sum(each.spent for each in self.requests.values())

    @property
    def complete(self) -> bool:
        """Whether all episodes have ended."""
        return self.results is not None and self.results.complete

    @property
    def scored(self) -> bool:
        """Whether no episode ended with an error."""
        return self.results is None or all(each.scored for each in self.results.in_order)

    @property
    def cost(self) -> float:
        """Cost of the requests; 0 without prices."""
        prices = self.prepared.settings.prices
        return 0.0 if prices is None else prices.cost_of(self.spent)


@attrs.frozen
class ExperimentOutcome:
    """Progress of an experiment."""

    runs: tuple[PlayedRun, ...]
    """All runs, in order."""
    stopped: Stopped | None
    """Reason for stopping; None if every run was reached."""

    @property
    def spent(self) -> Spent:
        """Usage of all runs over all sessions, in unfinished episodes too."""
        return Spent.sum(each.spent for each in self.runs)

    @property
    def cost(self) -> float | None:
        """Cost of all runs; None without prices."""
        priced = [each.cost for each in self.runs if each.prepared.settings.prices is not None]
        return sum(priced) if priced else None


def play_experiment(
    folder: ExperimentFolder,
    runs: Sequence[PreparedRun],
    options: RunOptions,
    play: Player,
    tell: Callable[[PlayedRun], object] = lambda played: None,
    wait: ServerWait = FAIL_AT_ONCE,
) -> ExperimentOutcome:
    """Play the rest of an experiment; a failed run does not stop the others.

    Args:
        folder: folder of the experiment.
        runs: all runs, in order.
        options: how to play; limits apply to the whole experiment.
        play: plays one run.
        tell: called with each run before it is played, and with each problem.
        wait: how long to wait for servers that are still starting, over all runs.

    Raises:
        RunError: another process plays the experiment.
        Exception: a run failed because of a defect, with an error that is not a `GridworldError`.
    """
    with RunLock(folder.path, options.take_over):
        return _play_all(folder, runs, options, play, tell, wait)


def _play_all(
    folder: ExperimentFolder,
    runs: Sequence[PreparedRun],
    options: RunOptions,
    play: Player,
    tell: Callable[[PlayedRun], object],
    wait: ServerWait,
) -> ExperimentOutcome:
    begun = time.monotonic()
    played = {each.run.folder: _recorded(each, folder.of(each)) for each in runs}
    for name, each in played.items():
        if each.problem is not None:
            tell(each)
        if each.problem is not None or (each.complete and not options.retry_faults):
            continue
        tell(each)
        others = [other for key, other in played.items() if key != name]
        limits = _limits_left(options.limits, others, time.monotonic() - begun)
        left = attrs.evolve(options, limits=limits)
        played[name], stopped = _play(each, folder, left, play, wait)
        if stopped is not None and stopped.reason in ENDING:
            whole = _limit_reached(options.limits, list(played.values()), time.monotonic() - begun)
            message = whole if whole is not None and stopped.reason is StopReason.BUDGET else stopped.message
            return ExperimentOutcome(tuple(played.values()), attrs.evolve(stopped, message=message))
        if played[name].problem is not None:
            tell(played[name])
    return ExperimentOutcome(tuple(played.values()), None)


def _recorded(prepared: PreparedRun, path: Path) -> PlayedRun:
    """Read the recorded progress of a run."""
    if not is_run(path):
        return PlayedRun(prepared)
    try:
        return PlayedRun(prepared, recorded_results(RunDirectory(path)), _requests(path))
    except GridworldError as error:
        return PlayedRun(prepared, problem=str(error))


def _requests(path: Path) -> dict[str | None, RequestTotals]:
    """Return the figures of the requests of a recorded run by tiling; raises RunError."""
    directory, by_tiling = RunDirectory(path), dict[str | None, list[EpisodeFacts]]()
    for number, facts in facts_of_run(directory).items():
        tiling = directory.manifest.backend_on(directory.manifest.episode(number).tiling).tiling
        by_tiling.setdefault(tiling, []).append(facts)
    return {tiling: RequestTotals.of(listed) for tiling, listed in by_tiling.items()}


def _play(
    before: PlayedRun, folder: ExperimentFolder, options: RunOptions, play: Player, wait: ServerWait
) -> tuple[PlayedRun, Stopped | None]:
    """Start or resume a run; return its progress and the reason for stopping."""
    try:
        run = _open(before.prepared, folder, wait)
        outcome = run.discard_unanswered(play(run, options))
        requests = {} if outcome.directory is None else _requests(outcome.directory)
    except GridworldError as error:
        return attrs.evolve(before, problem=str(error)), None
    stopped = outcome.stopped
    if stopped is not None and stopped.error is not None and not isinstance(stopped.error, GridworldError):
        raise stopped.error
    failed = stopped is not None and stopped.reason not in ENDING
    problem = str(stopped.error or stopped.message) if stopped is not None and failed else None
    return attrs.evolve(before, results=outcome.results, requests=requests, problem=problem), stopped


def _open(prepared: PreparedRun, folder: ExperimentFolder, wait: ServerWait) -> Run:
    path, settings = folder.of(prepared), prepared.settings
    if is_run(path):
        run, _ = open_run(path, Given.of(settings), prices=settings.prices, wait=wait)
        return run
    return new_run(settings, prepared.suite, make_player(settings), path, wait=wait)


def _limits_left(limits: BudgetLimits, others: Sequence[PlayedRun], seconds: float) -> BudgetLimits:
    """Return the limits of one run, given the usage of all others."""
    used = _used(others, seconds)
    given = attrs.asdict(limits).items()
    return BudgetLimits(**{name: None if limit is None else max(0, limit - used[name]) for name, limit in given})


def _limit_reached(limits: BudgetLimits, runs: Sequence[PlayedRun], seconds: float) -> str | None:
    """Describe the first limit of the whole experiment that is reached."""
    used = _used(runs, seconds)
    for name, limit in attrs.asdict(limits).items():
        if limit is not None and used[name] >= limit:
            return limit_message(name, limit)
    return None


def _used(runs: Sequence[PlayedRun], seconds: float) -> dict[str, Any]:
    """Return the usage of runs, by the name of the limit."""
    return {
        "requests": sum(each.spent.requests for each in runs),
        "tokens": sum(each.spent.tokens for each in runs),
        "cost": sum(each.cost for each in runs),
        "seconds": seconds,
    }
