"""What every backend on the kernel inherits: it shows the kernel's world and has no rules of its own."""

from collections.abc import Callable
from typing import Any

import pytest

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, square_topology
from gridworld.world.events import Moved, PickedUp
from support.worlds import corridor, door, key


class PlainBackend(KernelBackend):
    """Observes the number of steps, and draws nothing."""

    @property
    def name(self) -> str:
        return "plain"

    @property
    def tiling(self) -> str:
        return "square"

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(task.maze.width, task.maze.height)

    def observe(self) -> int:
        return self.episode.state.steps

    def render(self) -> None:
        return None


@pytest.fixture
def backend() -> PlainBackend:
    return PlainBackend()


def started(backend: PlainBackend, task: TaskSpecification) -> PlainBackend:
    backend.configure(task)
    backend.reset()
    return backend


def test_reset_returns_observation_state_and_info(backend: PlainBackend) -> None:
    backend.configure(corridor("@k.G", k=key(), max_steps=9))
    observation, state, info = backend.reset(seed=3)
    assert observation == 0
    assert (state.agent_position, state.step_count, state.max_steps) == ((1, 1), 0, 9)
    assert info["events"] == ()


def test_step_returns_six_values(backend: PlainBackend) -> None:
    started(backend, corridor("@k.G", k=key()))
    observation, reward, terminated, truncated, state, info = backend.step(3)
    assert (observation, reward, terminated, truncated) == (1, 0, False, False)
    assert state.agent_carrying == "k"
    assert info["events"] == (PickedUp("k", 8),)
    assert state == backend.get_state()


def test_a_win_is_reported(backend: PlainBackend) -> None:
    started(backend, corridor("@G", max_steps=10))
    _, reward, terminated, truncated, state, info = backend.step(2)
    assert reward == pytest.approx(0.91)
    assert (terminated, truncated) == (True, False)
    assert state.goal_reached
    assert Moved(5, 6) in info["events"]


def test_the_mission_is_that_of_the_goal(backend: PlainBackend) -> None:
    backend.configure(corridor("@k.G", k=key(), goal={"type": "collect_all", "target_ids": ["k"]}))
    assert backend.get_mission_text() == "pick up the red key"


def test_reset_restores_the_task(backend: PlainBackend) -> None:
    started(backend, corridor("@k.G", k=key()))
    start = backend.get_state()
    backend.step(3)
    _, state, _ = backend.reset()
    assert state == start


@pytest.mark.parametrize(
    "use",
    [
        lambda backend: backend.reset(),
        lambda backend: backend.step(0),
        lambda backend: backend.get_state(),
        lambda backend: backend.get_mission_text(),
    ],
    ids=["reset", "step", "get_state", "get_mission_text"],
)
def test_nothing_can_be_done_before_configure(backend: PlainBackend, use: Callable[[PlainBackend], Any]) -> None:
    with pytest.raises(NotResetError, match=r"configure\(task\) must be called first"):
        use(backend)


def test_tasks_have_to_be_reset_first(backend: PlainBackend) -> None:
    for row in ("@G", "@.G"):
        backend.configure(corridor(row))
        with pytest.raises(NotResetError, match=r"reset\(\) must be called"):
            backend.step(2)
        backend.reset()


def test_invalid_task_keeps_the_previous_one(backend: PlainBackend) -> None:
    started(backend, corridor("@.G"))
    backend.step(2)
    before = backend.get_state()
    with pytest.raises(InvalidTaskError, match="requires_key"):
        backend.configure(corridor("@dG", d=door("red")))
    assert backend.get_state() == before
    assert backend.step(2)[2]


@pytest.mark.parametrize(
    ("row", "before", "action", "error"), [("@.G", (), 7, InvalidAction), ("@G", (2,), 6, EpisodeOver)]
)
def test_refused_actions_change_nothing(
    backend: PlainBackend, row: str, before: tuple[int, ...], action: int, error: type[Exception]
) -> None:
    started(backend, corridor(row))
    for each in before:
        backend.step(each)
    state = backend.get_state()
    with pytest.raises(error):
        backend.step(action)
    assert backend.get_state() == state


def test_same_task_keeps_its_tables(backend: PlainBackend) -> None:
    task = corridor("@.G")
    backend.configure(task)
    world = backend.world
    backend.configure(task)
    assert backend.world is world
    backend.configure(corridor("@..G"))
    assert backend.world is not world


def test_a_closed_backend_can_be_configured_again(backend: PlainBackend) -> None:
    task = corridor("@.G")
    started(backend, task).close()
    with pytest.raises(NotResetError):
        backend.get_state()
    started(backend, task)
    assert backend.get_state().step_count == 0
