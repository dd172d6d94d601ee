"""Check of a model before a run: its own checks with the first question of a run, or that one question alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.errors import PluginFault
from gridworld.model_interface import CheckedModel, ModelInput, ModelInterface, PreflightCheck
from gridworld.plugins.registry import owner_of
from gridworld.runner.presentation import Presentation
from gridworld.suites import read_installed
from gridworld.support.faults import calling
from gridworld.task_spec import TaskSpecification
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.play.readiness import FAIL_AT_ONCE, NotStartedError, ServerWait, wait_until_ready
from multinet_eval.play.worker import Worker
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.defaults import DEFAULT_SUITE
from multinet_eval.settings.run_settings import RunSettings

STARTED = "the server is ready"
"""Name of the check that waits for a server that is still starting."""
ANSWERS = "it answers a question"
"""Name of the only check for a model without checks of its own."""

ONE_STEP: dict[str, Any] = {
    "task_id": "one_step",
    "seed": 1,
    "difficulty_tier": 1,
    "max_steps": 1,
    "maze": {"dimensions": [4, 3], "walls": [], "start": [1, 1], "goal": [2, 1]},
    "goal": {"type": "reach_position", "target": [2, 1]},
}
"""Task with the goal in front of the agent; parsed on demand, since that loads plugins."""


def check_model(
    model: ModelInterface,
    name: str,
    presentation: Presentation,
    begin: Callable[[str], object],
    wait: ServerWait = FAIL_AT_ONCE,
) -> Iterator[PreflightCheck]:
    """Yield the model's own checks or, if it has none, that of one question about a small task.

    Args:
        model: the model.
        name: its name as a plugin.
        presentation: what a run would give it.
        begin: called with the name of each check before it begins.
        wait: how long to wait for a server that is still starting, which is a check of its own.

    Raises:
        PluginFault: the model's checks failed.
        UnknownNameError: the backend that draws the picture is not installed.
    """
    if wait.seconds > 0 and isinstance(model, CheckedModel):
        begin(STARTED)
        yield (started := _has_started(model, wait))
        if not started.passed:
            return
    checked = False
    if isinstance(model, CheckedModel):
        question = _first_question(model, name, presentation)
        with calling(owner_of("model", model, model.model_name), "preflight"):
            for check in model.preflight_along(question, begin):
                checked = True
                yield check
    if not checked:
        begin(ANSWERS)
        yield _answers(model, presentation)


def _has_started(model: ModelInterface, wait: ServerWait) -> PreflightCheck:
    """Wait for the model's server; whatever else is wrong with it is found by later checks."""
    begun, problem = time.monotonic(), None
    try:
        wait_until_ready(model, wait)
    except NotStartedError as error:
        problem = str(error)
    except PluginFault:
        pass
    return PreflightCheck(STARTED, problem is None, problem or "it answers", time.monotonic() - begun)


def _first_question(model: ModelInterface, name: str, presentation: Presentation) -> ModelInput:
    """Return the first question of a run on the default suite."""
    suite = read_installed(DEFAULT_SUITE)
    settings = RunSettings(model=name, presentation=presentation)
    with Worker.of_settings(settings.about(suite.tasks), model) as worker:
        return worker.factory(None).input_at(suite.tasks[0])


def _answers(model: ModelInterface, presentation: Presentation) -> PreflightCheck:
    """Check whether the model answers a question, right or wrong."""
    policies = AnswerPolicies("skip", "skip", "skip", "fail", "skip")
    harness = EvaluationHarness(model, policies=policies, presentation=presentation)
    try:
        wait_until_ready(model)
    except PluginFault as fault:
        return PreflightCheck(ANSWERS, False, str(fault), 0.0)
    task = TaskSpecification.from_dict(ONE_STEP)
    harness.runner.input_at(task)  # so that no imports are timed
    begun = time.monotonic()
    result = harness.evaluate_task(task)
    seconds = time.monotonic() - begun
    requests = [request for step in result.trajectory for request in step.requests]
    if not requests:
        return PreflightCheck(ANSWERS, False, result.error or "it was not asked", seconds)
    action, last = requests[-1].action, requests[-1]
    detail = f"{last.outcome}: {last.message}" if action is None else f"it answered {ACTION_SPACE[action]}"
    return PreflightCheck(ANSWERS, action is not None, detail, seconds)
