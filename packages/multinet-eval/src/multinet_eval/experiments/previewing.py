"""Previews of the conditions of an experiment: the prompt at one step of one task, and differences from the base."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from difflib import SequenceMatcher

import attrs

from gridworld.model_interface import ModelInput, ModelInterface, PromptedModel, PromptImage, PromptText
from gridworld.plugins.faults import blaming
from gridworld.task_spec import TaskSpecification
from multinet_eval.experiments.experiment import Condition, Experiment
from multinet_eval.experiments.experiment_file import naming
from multinet_eval.experiments.preparing import SuiteReader, find_suites
from multinet_eval.play.played_tasks import find_budgets, swapped_tasks
from multinet_eval.play.recorder import texts_of
from multinet_eval.play.worker import Worker
from multinet_eval.record.manifest import Suite
from multinet_eval.record.plan import task_hash
from multinet_eval.settings.plugin_objects import make_player
from multinet_eval.settings.run_settings import RunSettings


@attrs.frozen(eq=False)
class Preview:
    """Prompt of one condition."""

    condition: Condition
    """Its first run is looked at."""
    model_name: str
    task_id: str
    parts: tuple[PromptText | PromptImage, ...]
    """The whole prompt, in order; of a model without one, all texts and pictures that it is given."""


def preview_conditions(
    experiment: Experiment, read: SuiteReader, task: TaskSpecification | None = None, step: int = 0
) -> list[Preview]:
    """Prompts of each condition; nobody is asked.

    Args:
        experiment: the experiment.
        read: reads a suite.
        task: the task that is asked about; by default the first of each condition's own suite.
        step: how many actions of a shortest plan are taken before, at least 0.

    Returns:
        First that of the base, if it is enough for a run; then those of the conditions, in order.

    Raises:
        ArgumentError: something does not fit together; the condition is named.
        PluginFault: a plugin fails.
    """
    conditions = [each for each in (experiment.base, *experiment.conditions) if each is not None]
    suites = find_suites(experiment, (each.runs[0] for each in conditions), read)
    return [
        _preview(experiment, condition, suite, task, step) for condition, suite in zip(conditions, suites, strict=True)
    ]


def mark_differences(base: Sequence[str], lines: Sequence[str]) -> list[tuple[str, str]]:
    """Lines, each with a mark: ``-`` for one of the base alone, ``+`` for a new one, and a blank for all others."""
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
            parts = _parts(model, _question(settings, suite, model, spec, step))
    return Preview(condition, model.model_name, spec.task_id, parts)


def _question(
    settings: RunSettings, suite: Suite, model: ModelInterface, task: TaskSpecification, step: int
) -> ModelInput:
    """Input of the model on the first tiling."""
    tasks = suite.tasks if task in suite.tasks else (task, *suite.tasks)
    swapped = swapped_tasks(tasks)[task_hash(task)] if settings.presentation.swaps_observations else None
    tiling = settings.tilings[0]
    with Worker.of_settings(settings.about(tasks), model) as worker:
        runner = worker.factory(tiling)
        budgets = find_budgets([task], {tiling: runner}, settings.budget_factor)
        max_steps = budgets.get((task_hash(task), tiling), task.max_steps)
        return runner.input_at(attrs.evolve(task, max_steps=max_steps), step, swapped)


def _parts(model: ModelInterface, given: ModelInput) -> tuple[PromptText | PromptImage, ...]:
    if isinstance(model, PromptedModel):
        with blaming(f"model '{model.model_name}'", "when its prompt was made"):
            return tuple(model.rendered_prompt(given))
    pictures = [*(given.prior_images or ()), *([] if given.image is None else [given.image])]
    texts = [PromptText("user", f"{name}: {text}") for name, text in texts_of(given)]
    return (*(PromptImage("observation", picture) for picture in pictures), *texts)
