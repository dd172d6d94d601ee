"""Check of a model before a run: its own checks, or one question about a small task."""

from __future__ import annotations

import time
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.errors import PluginFault
from gridworld.model_interface import CheckedModel, ModelInterface, PreflightCheck
from gridworld.plugins.faults import blaming
from gridworld.task_spec import TaskSpecification
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.settings.asking import AnswerPolicies

ANSWERS = "it answers a question"
"""Name of the only check of a model without checks of its own."""

ONE_STEP: dict[str, Any] = {
    "task_id": "one_step",
    "seed": 1,
    "difficulty_tier": 1,
    "max_steps": 1,
    "maze": {"dimensions": [4, 3], "walls": [], "start": [1, 1], "goal": [2, 1]},
    "goal": {"type": "reach_position", "target": [2, 1]},
}
"""Task with the goal in front of the agent; reading the task loads plugins, so it is read when needed."""


def check_model(model: ModelInterface) -> list[PreflightCheck]:
    """Run the model's own checks or, if it has none, ask one question about a picture of a small task.

    Raises:
        PluginFault: the model's checks failed.
        UnknownNameError: the backend that draws the picture is not installed.
    """
    own: list[PreflightCheck] = []
    if isinstance(model, CheckedModel):
        with blaming(f"model '{model.model_name}'", "when it was tried out"):
            own = list(model.preflight())
    return own or [_answers(model)]


def _answers(model: ModelInterface) -> PreflightCheck:
    """Check whether the model answers a question, right or wrong."""
    policies = AnswerPolicies("skip", "skip", "skip", "fail")
    harness = EvaluationHarness(model, policies=policies)
    try:
        harness.runner.check_ready()
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
