"""How a runner plays policies, and what it keeps of the episodes."""

from collections.abc import Callable
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.backends.grid_state import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import InvalidAction
from gridworld.runner.grid_runner import GridRunner, Stop
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, square_topology
from gridworld.world.events import Bumped, Moved, Succeeded, Turned
from support.worlds import LETTERS, corridor, draw


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


def test_trajectory_holds_observations_actions_and_effects(runner: GridRunner) -> None:
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


def test_policy_info_is_kept_and_optional(runner: GridRunner) -> None:
    result = runner.run_episode(
        corridor("@..G"),
        lambda observation, state, mission: 2 if state.step_count == 1 else (2, {"step": state.step_count}),
    )
    assert [step.policy_info for step in result.trajectory] == [{"step": 0}, {}, {"step": 2}]


def test_observations_can_be_left_out_of_the_trajectory(backend: PlainBackend) -> None:
    seen: list[Any] = []

    def policy(observation: Any, state: GridState, mission: str) -> int:
        seen.append(observation)
        return Action.MOVE_FORWARD

    result = GridRunner(backend, keep_observations=False).run_episode(corridor("@.G"), policy)

    assert seen == ["at (1, 1)", "at (2, 1)"]
    assert [step.observation for step in result.trajectory] == [None, None]


@pytest.mark.parametrize("action", [7, -1, 2.5, "move_forward", None])
def test_an_action_outside_the_seven_is_an_error(runner: GridRunner, action: Any) -> None:
    with pytest.raises(InvalidAction):
        runner.run_episode(corridor("@.G"), lambda observation, state, mission: action)


@pytest.mark.parametrize(
    ("actions", "played", "place", "success"),
    [([2, 2, 1, 2], [2, 2, 1, 2], (3, 2), True), ([2], [2], (2, 1), False), ([], [], (1, 1), False)],
    ids=["whole", "short", "empty"],
)
def test_demonstrations_play_the_given_actions(
    runner: GridRunner, actions: list[int], played: list[int], place: tuple[int, int], success: bool
) -> None:
    result = runner.collect_demonstrations(draw("#####\n#@..#\n###G#\n#####"), actions=actions)
    assert [step.action for step in result.trajectory] == played
    assert (result.success, result.terminated, result.truncated) == (success, success, False)
    assert (result.steps_taken, result.final_state.agent_position) == (len(played), place)


def test_stopping_policy_leaves_the_episode_unfinished(runner: GridRunner) -> None:
    result = runner.run_episode(
        corridor("@..G"), lambda observation, state, mission: Stop.STOP if state.step_count else Action.MOVE_FORWARD
    )
    assert (result.success, result.terminated, result.truncated, result.steps_taken) == (False, False, False, 1)
