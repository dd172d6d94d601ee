"""`TaskResult.of`: a pure fold over a recording, so that an old one gains new metrics without asking a model again."""

import json
from typing import Any

import pytest

from gridworld.model_interface import AnswerOutcome, RandomModelInterface
from gridworld.plugins import get_registry
from gridworld.runner.record import EndReason, Recording
from gridworld.suites import load_benchmark
from gridworld_minigrid import MiniGridBackend
from multinet_eval import EvaluationHarness
from multinet_eval.play.limits import Backoff
from multinet_eval.record.task_result import TaskResult
from support.runs import AnsweringModel, ScriptedModel
from support.worlds import corridor, hazard

SUITES = ("validation_10", pytest.param("tiers", marks=pytest.mark.more))


def result_of(model: Any, task: Any, **options: Any) -> TaskResult:
    backend = MiniGridBackend(render_mode=None)
    return EvaluationHarness(model, backend, backoff=Backoff(sleep=lambda seconds: None), **options).evaluate_task(task)


def recording_of(result: TaskResult) -> Recording:
    assert result.recording is not None
    return result.recording


def read_back(recording: Recording) -> Recording:
    return Recording.from_dict(json.loads(json.dumps(recording.to_dict())))


def fold(recording: Recording) -> TaskResult:
    return TaskResult.of(recording.header, recording.steps, recording.end)


@pytest.mark.parametrize("suite", SUITES)
def test_recordings_of_bundled_tasks_fold_to_the_same_results(suite: str) -> None:
    harness = EvaluationHarness(RandomModelInterface(), MiniGridBackend(render_mode=None), max_states=1)
    for task in load_benchmark(get_registry().benchmarks.get(suite)):
        result = harness.evaluate_task(task)
        again = read_back(recording_of(result))
        assert again == result.recording
        assert fold(again).of_task(task) == result


@pytest.mark.parametrize(
    "answers",
    [
        ("F", "F"),
        ("F", AnswerOutcome.REFUSED, "F"),
        (AnswerOutcome.UNPARSABLE, AnswerOutcome.EMPTY, AnswerOutcome.TRUNCATED, "F", "F"),
        (AnswerOutcome.INFRASTRUCTURE,) * 6,
        ("F", ValueError("out of order")),
    ],
)
def test_every_recording_folds_to_its_result(answers: tuple[Any, ...]) -> None:
    result = result_of(AnsweringModel(*answers), corridor("@.G", max_steps=6))
    assert fold(read_back(recording_of(result))) == result


def test_only_results_of_single_tasks_hold_recordings() -> None:
    harness = EvaluationHarness(ScriptedModel("FF"), MiniGridBackend(render_mode=None))
    result = harness.evaluate_task(corridor("@.G"))
    assert [step.action for step in result.trajectory] == [2, 2]
    assert result.final_state is not None
    assert result.final_state.goal_reached
    (kept,) = harness.evaluate_tasks([corridor("@.G")], "suite").task_results
    assert (kept.recording, kept.trajectory, kept.final_state) == (None, (), None)
    assert kept == result
    assert "recording" not in kept.to_dict()


@pytest.mark.parametrize(
    ("letters", "row", "reason"),
    [("FF", "@.G", EndReason.GOAL), ("F", "@hG", EndReason.DEATH), ("WWW", "@.G", EndReason.BUDGET)],
)
def test_the_end_says_why(letters: str, row: str, reason: EndReason) -> None:
    things = {"h": hazard()} if "h" in row else {}
    recording = recording_of(result_of(ScriptedModel(letters), corridor(row, max_steps=3, **things)))
    assert recording.end.reason is reason
    assert (recording.header.model, recording.header.backend) == ("scripted", "minigrid")
    assert recording.end.optimal_steps == (None if "h" in row else 2)
