"""Preparation of an experiment: checks that all runs can be played, and previews of their prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import attrs

from gridworld.model_interface import ModelInput, ModelInterface, Prompt
from gridworld.model_interface.chat_model import ChatModel
from gridworld.plugins import get_registry, normal_name
from gridworld.suites import Suite as FoundSuite
from gridworld.suites.named import suite_recipes
from gridworld.support.files import exists
from gridworld.task_spec import TaskSpecification
from multinet_eval.experiments.experiment_file import Condition, ConditionRun, Experiment, naming
from multinet_eval.experiments.keys import TIER
from multinet_eval.play.forecast import Forecast, make_forecast
from multinet_eval.play.model_caller import render_prompt
from multinet_eval.play.played_tasks import find_budgets, swapped_tasks
from multinet_eval.play.recorder import pictures_of, texts_of
from multinet_eval.play.run import check_run
from multinet_eval.play.worker import Worker
from multinet_eval.record.manifest import Suite
from multinet_eval.record.plan import task_hash
from multinet_eval.record.record_folders import is_run
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sent_requests import sent_input
from multinet_eval.settings.plugin_objects import make_player
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import PriceFinder
from multinet_eval.settings.tiers import with_tiers

SuiteReader = Callable[[str], FoundSuite]
"""Reads a suite by name or folder, such as `gridworld.suites.read_suite`."""


@attrs.frozen
class PreparedRun:
    """A run that can be played."""

    run: ConditionRun
    suite: Suite
    settings: RunSettings
    """Settings of the run, with prices if known."""
    model_name: str
    """Model name in results."""


def find_suites(experiment: Experiment, runs: Iterable[ConditionRun], read: SuiteReader) -> Iterator[Suite]:
    """Yield the suites of some runs; paths are tried relative to the experiment file first.

    Args:
        experiment: the experiment.
        runs: some of its runs.
        read: reads a suite; called once for each.

    Raises:
        ArgumentError: a suite does not exist or is not usable; the message names the condition.
        PluginFault: a plugin fails.
    """
    here, read_once = Path(experiment.file).parent, cache(read)
    for run in runs:
        with naming(f"{experiment.file}: condition '{run.condition}'"):
            yield _find_suite(run, here, read_once)


def prepare_runs(
    experiment: Experiment, read: SuiteReader, find_prices: PriceFinder = lambda name, own: own
) -> list[PreparedRun]:
    """Check that all runs of an experiment can be played, and return them in order, without querying a model.

    Args:
        experiment: the experiment.
        read: reads a suite; called once for each.
        find_prices: returns the prices of a model's tokens; by default the prices in the file.

    Raises:
        ArgumentError: model, backend, tasks and settings of a run are incompatible; the message names its condition.
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
    """Forecast the remaining episodes of each run.

    Args:
        runs: the runs.
        folder_of: returns the folder of a run; None if nothing is recorded.
        retry_faults: whether to replay episodes that ended with an error.

    Raises:
        RunError: a recording cannot be read.
        GridworldError: as `multinet_eval.play.forecast.make_forecast` does.
    """
    found = []
    for each in runs:
        finished = Counter() if folder_of is None else _finished(folder_of(each), retry_faults)
        model = make_player(each.settings)
        with closing(model):
            found.append((each, make_forecast(each.settings, each.suite, model, finished)))
    return found


def _finished(path: Path, retry_faults: bool) -> Counter[tuple[str, str | None]]:
    """Count the finished episodes of a run, by task and tiling."""
    if not is_run(path):
        return Counter()
    directory = RunDirectory(path)
    ends = directory.ends()
    over = [(each, end) for each in directory.manifest.plan if (end := ends.get(each.number)) is not None]
    kept = [each for each, end in over if not end.permanent and not (retry_faults and end.error is not None)]
    return Counter((each.task, each.tiling) for each in kept)


def _find_suite(run: ConditionRun, here: Path, read: SuiteReader) -> Suite:
    place = run.suite
    if place in get_registry().benchmarks:
        name, found = normal_name("benchmark", place), read(place)
    else:
        beside = str(here / place)
        place = beside if exists(beside) else place
        found = read(place)
        name = run.suite if suite_recipes(place) else Path(place).resolve().name
    if run.tier is not None:
        found = with_tiers(found, run.tier, name, TIER)
    return Suite(name, found.tasks)


@attrs.frozen(eq=False)
class Preview:
    """Prompt of one condition."""

    condition: Condition
    """Condition whose first run is shown."""
    model_name: str
    task_id: str
    prompt: Prompt
    """The whole prompt; for a model without prompts, all texts and pictures of the input."""


def preview_conditions(
    experiment: Experiment, read: SuiteReader, task: TaskSpecification | None = None, step: int = 0
) -> list[Preview]:
    """Render the prompts of the conditions, without querying a model.

    Args:
        experiment: the experiment.
        read: reads a suite.
        task: the task; by default the first of each condition's suite.
        step: number of actions of a shortest plan taken before, at least 0.

    Returns:
        First the base, if it defines a complete run; then the conditions, in order.

    Raises:
        ArgumentError: settings are incompatible; the message names the condition.
        PluginFault: a plugin fails.
    """
    conditions = [each for each in (experiment.base, *experiment.conditions) if each is not None]
    suites = find_suites(experiment, (each.runs[0] for each in conditions), read)
    return [
        _preview(experiment, condition, suite, task, step) for condition, suite in zip(conditions, suites, strict=True)
    ]


def mark_differences(base: Sequence[str], lines: Sequence[str]) -> list[tuple[str, str]]:
    """Mark lines: ``-`` for lines only in the base, ``+`` for new lines, and a space for common ones."""
    marked: list[tuple[str, str]] = []
    for change, *place in SequenceMatcher(None, base, lines, autojunk=False).get_opcodes():
        before, after = base[slice(*place[:2])], lines[slice(*place[2:])]
        if change == "equal":
            marked += [(" ", line) for line in after]
        else:
            marked += [*(("-", line) for line in before), *(("+", line) for line in after)]
    return marked


def _preview(
    experiment: Experiment, condition: Condition, suite: Suite, task: TaskSpecification | None, step: int
) -> Preview:
    settings, spec = condition.runs[0].settings, task or suite.tasks[0]
    with naming(f"{experiment.file}: condition '{condition.name}'"):
        model = make_player(settings)
        with closing(model):
            prompt = _prompt(model, _question(settings, suite, model, spec, step))
    return Preview(condition, model.model_name, spec.task_id, prompt)


def _question(
    settings: RunSettings, suite: Suite, model: ModelInterface, task: TaskSpecification, step: int
) -> ModelInput:
    """Return the model input on the first tiling."""
    tasks = suite.tasks if task in suite.tasks else (task, *suite.tasks)
    swapped = swapped_tasks(tasks)[task_hash(task)] if settings.presentation.swaps_observations else None
    tiling = settings.tilings[0]
    with Worker.of_settings(settings.about(tasks), model) as worker:
        runner = worker.factory(tiling)
        budgets = find_budgets([task], {tiling: runner}, settings.budget_factor)
        max_steps = budgets.get((task_hash(task), tiling), task.max_steps)
        return runner.input_at(attrs.evolve(task, max_steps=max_steps), step, swapped)


def _prompt(model: ModelInterface, given: ModelInput) -> Prompt:
    if isinstance(model, ChatModel):
        return render_prompt(model, given)
    return sent_input(texts_of(given), pictures_of(given)).prompt
