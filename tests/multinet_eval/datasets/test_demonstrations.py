"""Demonstrations: a plan played step by step, with all that was seen on the way."""

import json
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.errors import GridworldError, InvalidAction, InvalidTaskError
from gridworld.runner.grid_runner import GridRunner
from gridworld.solver import solve
from gridworld.solver.plans import NoPlanError
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv, MiniGridBackend
from multinet_eval.datasets.demonstrations import (
    Demonstration,
    DemonstrationError,
    make_demonstrations,
    plan_demonstrations,
)
from support.worlds import LETTERS, compiled, corridor, door, draw, hazard, key, tasks

KEY_AND_DOOR = draw("########\n#@k.D.G#\n########", k=key("red"), D=door("red"))
WON_BY = "PFFTFFF"


def actions_of(letters: str) -> list[Action]:
    return [LETTERS[letter] for letter in letters]


def demonstrate(task: TaskSpecification, letters: str | None = None, **options: Any) -> Demonstration:
    """The demonstration of one task, by the letters of `worlds.play` or by a shortest plan."""
    plans = None if letters is None else {task.task_id: actions_of(letters)}
    (demonstration,) = make_demonstrations([task], plans=plans, **options)
    return demonstration


def same_observation(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return (
        np.array_equal(left["image"], right["image"])
        and left["direction"] == right["direction"]
        and left["mission"] == right["mission"]
    )


def test_a_task_is_won_by_a_shortest_plan() -> None:
    demonstration = demonstrate(KEY_AND_DOOR)
    assert demonstration.actions == solve(compiled(KEY_AND_DOOR)).plan == tuple(actions_of(WON_BY))
    assert demonstration.success
    assert demonstration.terminations == (*[False] * 6, True)
    assert demonstration.truncations == (False,) * 7
    assert demonstration.rewards == (*[0.0] * 6, pytest.approx(1 - 0.9 * 7 / 100))


def test_there_is_one_demonstration_for_each_task_in_order() -> None:
    suite = [KEY_AND_DOOR, corridor("@.G"), KEY_AND_DOOR]
    assert [demonstration.task for demonstration in make_demonstrations(suite)] == suite
    assert make_demonstrations([]) == []


def test_a_given_plan_is_played_as_it_is() -> None:
    demonstration = demonstrate(KEY_AND_DOOR, "RLPW")
    assert demonstration.actions == tuple(actions_of("RLPW"))
    assert not demonstration.success
    assert not any(demonstration.terminations + demonstration.truncations)


def test_a_given_plan_is_played_as_long_as_the_episode_lasts() -> None:
    assert demonstrate(corridor("@.G"), "FFFFF").actions == tuple(actions_of("FF"))
    assert demonstrate(corridor("@.G", max_steps=3), "LLLL").truncations == (False, False, True)


def test_a_given_plan_that_ends_badly_is_no_success() -> None:
    demonstration = demonstrate(corridor("@H.G", H=hazard()), "F")
    assert (demonstration.success, demonstration.terminations, demonstration.rewards) == (False, (True,), (0.0,))


@pytest.mark.parametrize("plans", [{}, {"drawn": []}, {"another": [2]}])
def test_a_task_without_a_given_plan_is_refused(plans: dict[str, Sequence[int]]) -> None:
    with pytest.raises(DemonstrationError, match="no actions are given for the task 'drawn'"):
        make_demonstrations([corridor("@.G")], plans=plans)
    assert issubclass(DemonstrationError, GridworldError)


def test_a_task_without_a_winning_plan_is_refused() -> None:
    with pytest.raises(NoPlanError, match="task 'drawn': it cannot be won"):
        demonstrate(corridor("@H.G", H=hazard()))
    with pytest.raises(NoPlanError, match="gave up after 2 states"):
        demonstrate(KEY_AND_DOOR, max_states=2)


def test_tasks_without_a_winning_plan_can_be_left_out() -> None:
    left_out = list[NoPlanError]()
    hopeless = attrs.evolve(corridor("@H.G", H=hazard()), task_id="hopeless")
    made = plan_demonstrations([hopeless, corridor("@.G")], "hex", without_plan=left_out.append)
    assert [each.task.task_id for each in made] == ["drawn"]
    assert [error.task_id for error in left_out] == ["hopeless"]


def test_an_action_outside_the_seven_is_refused() -> None:
    with pytest.raises(InvalidAction):
        make_demonstrations([corridor("@.G")], plans={"drawn": [2, 7]})


def test_a_task_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidTaskError):
        demonstrate(attrs.evolve(corridor("@.G"), max_steps=0))


def test_the_mission_and_the_seed_are_the_tasks() -> None:
    task = attrs.evolve(KEY_AND_DOOR, seed=42)
    demonstration = demonstrate(task)
    assert demonstration.seed == 42
    assert demonstration.mission == compiled(task).goal_type.mission(compiled(task))


@given(task=tasks(), plan=st.lists(st.sampled_from(list(Action)), min_size=1, max_size=60))
def test_a_demonstration_holds_what_the_environment_of_the_task_gives(
    task: TaskSpecification, plan: list[Action]
) -> None:
    (demonstration,) = make_demonstrations([task], plans={task.task_id: plan})

    env = CustomMiniGridEnv(task)
    observation, _ = env.reset()
    assert same_observation(observation, demonstration.observations[0])
    steps = zip(
        demonstration.actions,
        demonstration.rewards,
        demonstration.terminations,
        demonstration.truncations,
        demonstration.observations[1:],
        strict=True,
    )
    for action, reward, terminated, truncated, shown in steps:
        observation, *outcome, _ = env.step(action)
        assert outcome == [reward, terminated, truncated]
        assert same_observation(observation, shown)
    assert demonstration.success == env.episode.succeeded


def test_observations_are_those_of_the_given_backend_the_last_one_too() -> None:
    backend = MiniGridBackend(tile_size=8)
    demonstration = demonstrate(corridor("@.G"), backend=backend)

    shown = [
        step.observation for step in GridRunner(backend).collect_demonstrations(corridor("@.G"), [2, 2]).trajectory
    ]
    assert len(demonstration.observations) == 3
    for observation, expected in zip(demonstration.observations, [*shown, backend.render()], strict=True):
        assert np.array_equal(observation, expected)


def test_a_demonstration_can_be_written_as_json_and_played_again_from_it() -> None:
    demonstration = demonstrate(KEY_AND_DOOR)
    plain = json.loads(json.dumps(demonstration.to_dict()))

    assert plain["task_id"] == "drawn"
    assert plain["action_names"][:2] == ["pickup", "move_forward"]
    assert plain["success"] is True
    task = TaskSpecification.from_dict(plain["task"])
    again = make_demonstrations([task], plans={task.task_id: plain["actions"]})[0]
    assert again.to_dict() == demonstration.to_dict()
