"""How a runner plays policies, and what it keeps of the episodes."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

from gridworld.actions import Action
from gridworld.backends.grid_state import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import InvalidAction, InvalidTaskError
from gridworld.runner.grid_runner import GridRunner, Stop
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, square_topology
from gridworld.world.events import Bumped, Moved, Succeeded, Turned
from support.worlds import LETTERS, corridor, draw, hazard


class PlainBackend(KernelBackend):
    """Shows the agent's position as text, and keeps the seeds that it was reset with."""

    name = "plain"
    tiling = "square"

    def __init__(self) -> None:
        self.seeds: list[int | None] = []

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(*task.maze.dimensions)

    def reset(self, seed: int | None = None) -> tuple[Any, GridState, dict[str, Any]]:
        self.seeds.append(seed)
        return super().reset(seed)

    def observe(self) -> str:
        return f"at {self.get_state().agent_position}"

    def render(self) -> None: ...


@pytest.fixture
def backend() -> PlainBackend:
    return PlainBackend()


@pytest.fixture
def runner(backend: PlainBackend) -> GridRunner:
    return GridRunner(backend=backend)


def policy_of(letters: str) -> Callable[[Any, GridState, str], int]:
    """Plays the letters of `worlds.play`, then waits."""
    actions = [LETTERS[letter] for letter in letters]
    return lambda observation, state, mission: [*actions, Action.DONE][min(state.step_count, len(actions))]


def test_an_episode_is_played_until_the_goal_is_reached(runner: GridRunner) -> None:
    result = runner.run_episode(corridor("@.G", max_steps=10), policy_fn=policy_of("FFFF"), seed=3)

    assert (result.task_id, result.mission, result.seed) == ("drawn", "reach the goal", 3)
    assert (result.success, result.terminated, result.truncated) == (True, True, False)
    assert (result.steps_taken, result.max_steps) == (2, 10)
    assert result.total_reward == pytest.approx(1 - 0.9 * 2 / 10)
    assert result.final_state.agent_position == (3, 1)
    assert result.final_state.goal_reached


def test_an_episode_is_played_until_its_steps_run_out(runner: GridRunner) -> None:
    result = runner.run_episode(corridor("@.G", max_steps=5), policy_of(""))

    assert (result.success, result.terminated, result.truncated) == (False, False, True)
    assert (result.steps_taken, result.total_reward, len(result.trajectory)) == (5, 0.0, 5)


def test_an_episode_is_played_until_the_agent_dies(runner: GridRunner) -> None:
    result = runner.run_episode(corridor("@hG", h=hazard()), policy_of("F"))

    assert (result.success, result.terminated, result.truncated) == (False, True, False)
    assert (result.steps_taken, result.total_reward) == (1, 0.0)


def test_a_policy_is_given_observation_state_and_mission(runner: GridRunner) -> None:
    asked: list[tuple[Any, int, str]] = []

    def policy(observation: Any, state: GridState, mission: str) -> int:
        asked.append((observation, state.step_count, mission))
        return Action.MOVE_FORWARD

    runner.run_episode(corridor("@.G"), policy)

    assert asked == [("at (1, 1)", 0, "reach the goal"), ("at (2, 1)", 1, "reach the goal")]


def test_the_trajectory_holds_what_was_seen_done_and_caused_in_each_step(runner: GridRunner) -> None:
    result = runner.run_episode(corridor("@.G", max_steps=10), policy_of("LFRFF"))

    steps = result.trajectory
    assert [step.observation for step in steps] == ["at (1, 1)"] * 4 + ["at (2, 1)"]
    assert [step.action for step in steps] == [0, 2, 1, 2, 2]
    assert [step.reward for step in steps] == [0, 0, 0, 0, result.total_reward]
    assert [step.terminated for step in steps] == [False] * 4 + [True]
    assert not any(step.truncated for step in steps)
    assert [step.state.step_count for step in steps] == [1, 2, 3, 4, 5]
    assert [[type(event) for event in step.events] for step in steps] == [
        [Turned],
        [Bumped],
        [Turned],
        [Moved],
        [Moved, Succeeded],
    ]
    assert steps[-1].state == result.final_state


def test_what_a_policy_says_beside_its_action_is_kept(runner: GridRunner) -> None:
    result = runner.run_episode(
        corridor("@.G"), lambda observation, state, mission: (2, {"thought": f"step {state.step_count}"})
    )
    assert [step.policy_info for step in result.trajectory] == [{"thought": "step 0"}, {"thought": "step 1"}]


def test_a_policy_may_sometimes_say_nothing_beside_its_action(runner: GridRunner) -> None:
    result = runner.run_episode(
        corridor("@.G"), lambda observation, state, mission: 2 if state.step_count else (2, {"first": True})
    )
    assert [step.policy_info for step in result.trajectory] == [{"first": True}, {}]


def test_observations_can_be_left_out_of_the_trajectory(backend: PlainBackend) -> None:
    seen: list[Any] = []

    def policy(observation: Any, state: GridState, mission: str) -> int:
        seen.append(observation)
        return Action.MOVE_FORWARD

    result = GridRunner(backend, keep_observations=False).run_episode(corridor("@.G"), policy)

    assert seen == ["at (1, 1)", "at (2, 1)"]
    assert [step.observation for step in result.trajectory] == [None, None]


def test_the_seed_is_the_tasks_own_unless_one_is_given(runner: GridRunner, backend: PlainBackend) -> None:
    task = attrs.evolve(corridor("@.G"), seed=31)
    assert [runner.run_episode(task, policy_of("FF"), seed=seed).seed for seed in (None, 0, 8)] == [31, 0, 8]
    assert backend.seeds == [31, 0, 8]


def test_the_same_task_can_be_played_again_from_its_start(runner: GridRunner) -> None:
    task = corridor("@.G")
    first, second = (runner.run_episode(task, policy_of("FF")) for _ in range(2))
    assert first.trajectory[0].state == second.trajectory[0].state
    assert (first.success, second.success) == (True, True)


@pytest.mark.parametrize("action", [7, -1, 2.5, "move_forward", None])
def test_an_action_outside_the_seven_is_an_error(runner: GridRunner, action: Any) -> None:
    with pytest.raises(InvalidAction):
        runner.run_episode(corridor("@.G"), lambda observation, state, mission: action)


def test_a_task_that_cannot_be_is_refused(runner: GridRunner) -> None:
    with pytest.raises(InvalidTaskError, match="max_steps"):
        runner.run_episode(corridor("@.G", max_steps=0), policy_of("FF"))


def test_a_batch_is_played_in_order_each_task_once(runner: GridRunner) -> None:
    tasks = [attrs.evolve(corridor(row), task_id=row, seed=len(row)) for row in ("@.G", "@...G", "@..G")]

    results = runner.run_batch(iter(tasks), policy_fn=policy_of("FFFF"))

    assert [result.task_id for result in results] == ["@.G", "@...G", "@..G"]
    assert [result.steps_taken for result in results] == [2, 4, 3]
    assert [result.seed for result in results] == [3, 5, 4]


def test_one_seed_can_be_given_to_a_whole_batch(runner: GridRunner) -> None:
    results = runner.run_batch([corridor("@.G"), corridor("@..G")], policy_of("FFF"), seed=9)
    assert [result.seed for result in results] == [9, 9]


def test_an_empty_batch_has_no_results(runner: GridRunner) -> None:
    assert runner.run_batch([], policy_of("F")) == []


def test_a_demonstration_plays_the_given_actions(runner: GridRunner) -> None:
    task = draw("#####\n#@..#\n###G#\n#####")

    demonstration = runner.collect_demonstrations(task, actions=[2, 2, 1, 2])

    assert (demonstration.success, demonstration.steps_taken) == (True, 4)
    assert [step.action for step in demonstration.trajectory] == [2, 2, 1, 2]
    assert [step.observation for step in demonstration.trajectory][-1] == "at (3, 1)"


def test_a_demonstration_may_stop_before_the_episode_ends(runner: GridRunner) -> None:
    demonstration = runner.collect_demonstrations(corridor("@..G"), [2])

    assert (demonstration.success, demonstration.terminated, demonstration.truncated) == (False, False, False)
    assert (demonstration.steps_taken, demonstration.final_state.agent_position) == (1, (2, 1))


def test_a_demonstration_without_actions_shows_the_start(runner: GridRunner) -> None:
    demonstration = runner.collect_demonstrations(corridor("@.G"), [])

    assert (demonstration.trajectory, demonstration.steps_taken, demonstration.total_reward) == ((), 0, 0.0)
    assert demonstration.final_state.agent_position == (1, 1)


def test_a_demonstration_takes_no_more_actions_than_the_episode_lasts(runner: GridRunner) -> None:
    def endless() -> Iterator[int]:
        while True:
            yield Action.MOVE_FORWARD

    assert runner.collect_demonstrations(corridor("@.G"), endless()).steps_taken == 2


def test_a_policy_that_has_no_action_leaves_the_episode_as_it_is(runner: GridRunner) -> None:
    result = runner.run_episode(
        corridor("@..G"), lambda observation, state, mission: Stop.STOP if state.step_count else Action.MOVE_FORWARD
    )
    assert (result.success, result.terminated, result.truncated, result.steps_taken) == (False, False, False, 1)
