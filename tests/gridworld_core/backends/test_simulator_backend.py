"""`SimulatorBackend` keeps the contract around a simulator that knows no more than where its agent is."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from gridworld.actions import Action
from gridworld.backends.base import GridState
from gridworld.backends.simulator import SimulatorBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError, Problem
from gridworld.task_spec import TaskSpecification
from support.worlds import corridor, draw, gate, key

TRACK = corridor("@...G", max_steps=20)


class Tram(SimulatorBackend):
    """Drives right, after a delay drawn from the seed, and fails where it turns."""

    def start(self, task: TaskSpecification, seed: int | None) -> None:
        self.place, self.goal, self.failed = task.maze.start.x, task.maze.goal.x, False
        self.delay = Random(seed).randrange(4)

    def act(self, action: Action) -> None:
        self.failed = action is Action.TURN_LEFT
        self.delay -= 1
        if action is Action.MOVE_FORWARD and self.delay < 0:
            self.place += 1

    def look(self) -> GridState:
        return self.state_at((self.place, 1), 0, reached=self.place == self.goal, failed=self.failed)

    def draw(self) -> np.ndarray:
        return np.full((4, 4, 3), self.place, np.uint8)

    def mission(self, task: TaskSpecification) -> str:
        return f"drive to column {task.maze.goal.x}"

    def problems(self, task: TaskSpecification) -> Iterator[Problem]:
        if task.maze.height > 3:
            yield Problem("maze.dimensions", "there is one track")


def started(seed: int = 0) -> Tram:
    tram = Tram()
    tram.configure(TRACK)
    tram.reset(seed)
    return tram


def test_goal_ends_the_episode_with_reward() -> None:
    tram = started()
    steps = [tram.step(2) for _ in range(4 + tram.delay)]
    picture, reward, terminated, truncated, state, info = steps[-1]
    assert (reward, terminated, truncated, state.goal_reached, info) == (1.0, True, False, True, {})
    assert (state.step_count, state.max_steps, state.agent_position) == (len(steps), 20, (5, 1))
    assert picture.tolist() == tram.render().tolist()
    assert [step[1] for step in steps[:-1]] == [0.0] * (len(steps) - 1)
    assert state.visible_cells == {(x, y) for x in range(7) for y in range(3)}


def test_a_spent_budget_truncates_and_failing_terminates() -> None:
    idle, failing = started(), started()
    assert [idle.step(6)[2:4] for _ in range(20)][-2:] == [(False, False), (False, True)]
    assert failing.step(0)[1:4] == (0.0, True, False)
    for over in (idle, failing):
        before = over.get_state()
        with pytest.raises(EpisodeOver, match="the episode ended after"):
            over.step(2)
        assert over.get_state() == before


@pytest.mark.parametrize("action", [-1, 7, "2", None, 1.0])
def test_unknown_actions_change_nothing(action: object) -> None:
    tram = started()
    before = tram.get_state()
    with pytest.raises(InvalidAction):
        tram.step(action)  # type: ignore[arg-type]  # which is refused
    assert tram.get_state() == before


def test_calls_out_of_order_are_refused() -> None:
    tram = Tram()
    for call in (tram.reset, tram.get_mission_text, tram.render, tram.get_state):
        with pytest.raises(NotResetError):
            call()
    tram.configure(TRACK)
    assert tram.get_mission_text() == "drive to column 5"
    with pytest.raises(NotResetError):
        tram.step(2)
    tram.reset()
    tram.close()
    with pytest.raises(NotResetError):
        tram.get_state()


@pytest.mark.parametrize(
    ("task", "place"),
    [
        (corridor("@k.G", k=key("red")), "mechanisms.keys[0]: Tram has none"),
        (corridor("@g.G", g=gate("open")), "mechanisms.gates[0]: Tram has none"),
        (draw("####\n#@.#\n#.G#\n####"), "maze.dimensions: there is one track"),
        (corridor("@.G", rules={"observability": "fog_of_war"}), "rules.observability: Tram has only full"),
    ],
)
def test_unsupported_tasks_keep_the_previous_one(task: TaskSpecification, place: str) -> None:
    tram = started()
    with pytest.raises(InvalidTaskError) as refused:
        tram.configure(task)
    assert place in str(refused.value)
    assert tram.step(2)[4].step_count == 1
