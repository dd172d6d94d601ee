"""Trying out a model before a run: its own checks, or one question about a small task."""

from __future__ import annotations

import time

from gridworld.actions import ACTION_SPACE
from gridworld.culprits import blaming
from gridworld.errors import PluginFault
from gridworld.model_interface import CheckedModel, ModelInterface, Verdict
from gridworld.task_spec import TaskSpecification
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.policies import AnswerPolicies
from multinet_eval.tally import Step

__all__ = ["check_model"]

ANSWERS = "it answers a question"
"""The name of the one check."""

ONE_STEP = TaskSpecification.from_dict(
    {
        "task_id": "one_step",
        "seed": 1,
        "difficulty_tier": 1,
        "max_steps": 1,
        "maze": {"dimensions": [4, 3], "walls": [], "start": [1, 1], "goal": [2, 1]},
        "goal": {"type": "reach_position", "target": [2, 1]},
    }
)
"""The goal is the cell in front of the agent."""


def check_model(model: ModelInterface) -> list[Verdict]:
    """What came of the model's own checks or, where it has none, of one question about a picture of a small task.

    Raises:
        PluginFault: the checks failed to say.
        UnknownNameError: the backend that draws the picture is not installed.
    """
    own = _own_checks(model) if isinstance(model, CheckedModel) else []
    return own or [_answers(model)]


def _own_checks(model: CheckedModel) -> list[Verdict]:
    with blaming(f"model '{model.model_name}'", "when it was tried out"):
        return list(model.preflight())


def _answers(model: ModelInterface) -> Verdict:
    """Whether the model answers a question, right or wrong."""
    asked: list[tuple[Step, float]] = []
    policies = AnswerPolicies("skip", "skip", "skip", "fail")
    harness = EvaluationHarness(
        model, on_step=lambda task, step: asked.append((step, time.monotonic())), policies=policies
    )
    try:
        harness.check_ready()
    except PluginFault as fault:
        return Verdict(ANSWERS, False, str(fault), 0.0)
    harness.input_at(ONE_STEP)  # so that only the answer is timed, and nothing that is imported for the first time
    begun = time.monotonic()
    result = harness.evaluate_task(ONE_STEP)
    if not asked:
        return Verdict(ANSWERS, False, result.error or "it has not been asked", time.monotonic() - begun)
    (step, ended), *_ = asked
    last = step.last
    message = (
        f"it answered {ACTION_SPACE[last.action]}" if last.action is not None else f"{last.outcome}: {last.message}"
    )
    return Verdict(ANSWERS, last.action is not None, message, ended - begun)
