"""The scripted model: it plays a list of actions, and nothing else."""

import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError
from gridworld.model_interface import ModelInput, ModelInterface
from gridworld.plugins import get_registry
from gridworld.solver import solve
from gridworld.suites import load_benchmark
from gridworld.support.import_strings import load_object
from gridworld_minigrid import MiniGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from support.worlds import compiled


def scripted(actions: str) -> ModelInterface:
    model: ModelInterface = load_object(get_registry().models.get("scripted").target)(actions)
    return model


def asked(step: int) -> ModelInput:
    return ModelInput(
        image=None, text_prompt="reach the goal", action_space=dict(ACTION_SPACE), step_number=step, max_steps=9
    )


def test_it_plays_its_actions_in_their_order_and_waits_when_they_run_out() -> None:
    model = scripted("move_forward turn_left\n toggle")
    assert [model.predict(asked(step)).action for step in range(5)] == [2, 0, 5, 6, 6]


def test_an_unknown_action_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        ArgumentError, match=r"unknown action 'turn_lift' \(did you mean 'turn_left'\?\); known: turn_l"
    ):
        scripted("move_forward turn_lift")


def test_a_script_of_the_solvers_plan_wins_every_time() -> None:
    task = load_benchmark(get_registry().benchmarks.get("three_rooms"))[0]
    plan = solve(compiled(task)).plan
    assert plan is not None
    harness = EvaluationHarness(scripted(" ".join(action.name.lower() for action in plan)), MiniGridBackend())
    for _ in range(2):
        assert harness.evaluate_task(task).success
