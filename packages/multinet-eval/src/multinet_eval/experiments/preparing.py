"""Makes sure that all runs of an experiment could be played, before the first of them is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import attrs

from gridworld.plugins import get_registry, normal_name
from gridworld.suites import Suite as FoundSuite
from gridworld.suites.recipes import suite_recipes
from multinet_eval.experiments.experiment import ConditionRun, Experiment
from multinet_eval.experiments.experiment_file import naming
from multinet_eval.play.forecast import Forecast, make_forecast
from multinet_eval.play.run import check_run
from multinet_eval.record.manifest import Suite
from multinet_eval.record.record_folders import is_run
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_player
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import PriceFinder

SuiteReader = Callable[[str], FoundSuite]
"""Gives what the name of a suite, or the path of a folder, stands for; such as `gridworld.suites.read_suite`."""


@attrs.frozen
class PreparedRun:
    """A run that could be played."""

    run: ConditionRun
    suite: Suite
    settings: RunSettings
    """Its settings, with the prices of its tokens, if these are known."""
    model_name: str
    """The name under which results are reported."""


def find_suites(experiment: Experiment, runs: Iterable[ConditionRun], read: SuiteReader) -> Iterator[Suite]:
    """The suite of each of some runs; paths are seen from the folder of the experiment's file first.

    Args:
        experiment: the experiment.
        runs: some of its runs.
        read: reads a suite; it is asked once for each.

    Raises:
        ArgumentError: there is no such suite, or it is not usable; the condition is named.
        PluginFault: a plugin fails.
    """
    here, read_once = Path(experiment.file).parent, cache(read)
    for run in runs:
        with naming(f"{experiment.file}: condition '{run.condition}'"):
            yield _find_suite(run.suite, here, read_once)


def prepare_runs(
    experiment: Experiment, read: SuiteReader, find_prices: PriceFinder = lambda name, own: own
) -> list[PreparedRun]:
    """All runs of an experiment, in order, each of which could be played; no model is asked anything.

    Args:
        experiment: the experiment.
        read: reads a suite; it is asked once for each.
        find_prices: gives what a model's tokens cost; by default what the file says.

    Raises:
        ArgumentError: model, backend, tasks and settings of a run do not fit together; its condition is named.
        PluginFault: a plugin fails.
    """
    found = []
    for run, suite in zip(experiment.runs, find_suites(experiment, experiment.runs, read), strict=True):
        with naming(f"{experiment.file}: condition '{run.condition}'"):
            name = check_run(run.settings, suite)
            settings = attrs.evolve(run.settings, prices=find_prices(name, run.settings.prices))
        found.append(PreparedRun(run, suite, settings, name))
    return found


def forecast_runs(
    runs: Iterable[PreparedRun], folder_of: Callable[[PreparedRun], Path] | None = None, retry_faults: bool = False
) -> list[tuple[PreparedRun, Forecast]]:
    """Forecast of the rest of each run.

    Args:
        runs: the runs.
        folder_of: where a run is recorded; None where none is.
        retry_faults: whether episodes that ended by an error are played again.

    Raises:
        RunError: what is recorded cannot be read.
        GridworldError: as `multinet_eval.play.forecast.make_forecast` raises it.
    """
    found = []
    for each in runs:
        finished = Counter() if folder_of is None else _finished(folder_of(each), retry_faults)
        model = make_player(each.settings)
        with closing(model):
            found.append((each, make_forecast(each.settings, each.suite, model, finished)))
    return found


def _finished(path: Path, retry_faults: bool) -> Counter[tuple[str, str | None]]:
    """Numbers of episodes of a run that need not be played any more, by their tasks and tilings."""
    if not is_run(path):
        return Counter()
    directory = RunDirectory(path)
    ends = directory.ends()
    over = [(each, end) for each in directory.manifest.plan if (end := ends.get(each.number)) is not None]
    kept = [each for each, end in over if not end.permanent and not (retry_faults and end.error is not None)]
    return Counter((each.task, each.tiling) for each in kept)


def _find_suite(name: str, here: Path, read: SuiteReader) -> Suite:
    if name in get_registry().benchmarks:
        found = read(name)
        return Suite(normal_name("benchmark", name), found.tasks, found.skipped)
    beside = here / name
    place = str(beside) if beside.exists() else name
    found = read(place)
    return Suite(name if suite_recipes(place) else Path(place).resolve().name, found.tasks, found.skipped)
