"""The kit for backends passes sound ones, on the kernel and around a simulator; its checks each catch a broken one."""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, NotResetError, Problem
from gridworld.hookspecs import BackendInfo
from gridworld.task_spec import Position, TaskSpecification
from gridworld.testing import BackendConformance
from gridworld.world import Topology, square_topology
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones, failures

AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Walker(AbstractGridBackend):
    """A simulator that walks about between walls, and knows nothing else."""

    _task: TaskSpecification | None = None
    _state: GridState | None = None

    def configure(self, task_spec: TaskSpecification) -> None:
        _, errors = task_spec.validate()
        if len(task_spec.mechanisms):
            errors.append("mechanisms: there are only walls")
        if errors or task_spec.rules.observability != "full":
            raise InvalidTaskError([Problem("", error) for error in errors], task_spec.task_id)
        self._task, self._state = task_spec, None

    def reset(self, seed: int | None = None) -> Any:
        task = self.task()
        self._state = GridState(tuple(task.maze.start), 0, max_steps=task.max_steps)
        return self.render(), self.get_state(), {}

    def step(self, action: int) -> Any:
        state, task = self.present(), self.task()
        if state.terminated or state.truncated:
            raise EpisodeOver("it has ended")
        if action not in ACTION_SPACE:
            raise InvalidAction(f"no action: {action!r}")
        x, y = state.agent_position
        dx, dy = AHEAD[state.agent_direction] if action == 2 else (0, 0)
        place = state.agent_position if (x + dx, y + dy) in task.maze.wall_cells() else (x + dx, y + dy)
        there, count = place == (task.goal.target or task.maze.goal), state.step_count + 1
        self._state = attrs.evolve(
            state,
            agent_position=place,
            agent_direction=(state.agent_direction + {0: -1, 1: 1}.get(action, 0)) % 4,
            step_count=count,
            terminated=there,
            goal_reached=there,
            reward=float(there),
            truncated=count >= task.max_steps and not there,
        )
        state = self.get_state()
        return self.render(), state.reward, state.terminated, state.truncated, state, {}

    def moved(self, result: Any, cells: int) -> Any:
        """Return the result of a step after which the agent has drifted on, unless a wall is there."""
        state = self.present()
        (x, y), (dx, dy) = state.agent_position, AHEAD[state.agent_direction]
        place = Position(x + cells * dx, y + cells * dy)
        inside = self.task().maze.contains(place) and place not in self.task().maze.wall_cells()
        self._state = attrs.evolve(state, agent_position=place if inside else state.agent_position)
        return (self.render(), *result[1:4], self.get_state(), {})

    def render(self) -> Any:
        picture = np.zeros((6, 8, 3), dtype=np.uint8)
        x, y = self.present().agent_position
        picture[y, x] = 50 * self.present().agent_direction + 50
        return picture

    def get_mission_text(self) -> str:
        return f"walk to {self.task().maze.goal}"

    def get_state(self) -> GridState:
        return attrs.evolve(self.present())

    def close(self) -> None:
        self._task = self._state = None

    def task(self) -> TaskSpecification:
        if self._task is None:
            raise NotResetError("configure first")
        return self._task

    def present(self) -> GridState:
        if self._state is None:
            raise NotResetError("reset first")
        return self._state


class Mosaic(KernelBackend):
    """One pixel for each cell, coloured by how it is shown."""

    def __init__(self, brightness: int = 1) -> None:
        self._brightness = brightness

    @property
    def name(self) -> str:
        return "mosaic"

    @property
    def tiling(self) -> str:
        return "square"

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(*task.maze.dimensions)

    def observe(self) -> Any:
        return self.render()

    def render(self) -> Any:
        state = self.episode.state
        looks = [repr(self.episode.look(cell)) for cell in range(self.world.topology.cell_count)]
        colors = [[sum(look.encode()) % 256, self._brightness, cell == state.cell] for cell, look in enumerate(looks)]
        return np.array([colors], dtype=np.uint8)


class Demanding(Mosaic):
    def __init__(self, palette: str) -> None:
        super().__init__()


class Picky(Walker):
    """Plays only what is called after it."""

    def configure(self, task_spec: TaskSpecification) -> None:
        if not task_spec.task_id.startswith("picky"):
            raise InvalidTaskError([Problem("task_id", "it is not for me")], task_spec.task_id)
        super().configure(task_spec)


class Boat(Walker):
    """Drifts on by two cells after each action."""

    turns_in_place = False
    moves_one_cell = False

    def step(self, action: int) -> Any:
        return self.moved(super().step(action), 2)


ONE: dict[str, Any] = {
    "task_id": "picky one",
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [7, 6], "start": [1, 1], "goal": [5, 4]},
    "goal": {"type": "reach_position"},
    "max_steps": 30,
}
TWO = {**ONE, "task_id": "picky two", "maze": {**ONE["maze"], "goal": [2, 3]}}


@pytest.mark.parametrize(
    "attributes",
    [
        {"backend": Walker},
        {"backend": Mosaic, "arguments": {"brightness": 5}},
        {"backend": Picky, "tasks": (ONE, TaskSpecification.from_dict(TWO))},
        {"backend": Boat},
    ],
)
def test_a_sound_backend_conforms(attributes: dict[str, Any]) -> None:
    assert_conforms(BackendConformance, **attributes)


@pytest.mark.parametrize(("backend", "advice"), [(Demanding, "set `arguments`"), (Picky, "set `tasks`")])
def test_a_backend_that_the_kit_cannot_try_stays_undecided(backend: Any, advice: str) -> None:
    found = failures(BackendConformance, backend=backend)
    assert {result.verdict for result in found.values()} == {"undecided"}
    assert all(advice in result.wrong for result in found.values())


# --- Broken ones -----------------------------------------------------------------------------------------------------


def walker(**methods: Any) -> type[Walker]:
    """A walker with other methods."""
    return type("Broken", (Walker,), methods)


def stepping(change: Callable[[Any, Any], Any]) -> type[Walker]:
    """A walker whose `step` returns something else, given the backend and what it returned."""
    return walker(step=lambda self, action: change(self, Walker.step(self, action)))


def acting(other: Callable[[Any, Any], Any]) -> type[Walker]:
    """A walker that takes another action, given the backend and the action."""
    return walker(step=lambda self, action: Walker.step(self, other(self, action)))


def drifting(walker: Walker, result: Any) -> Any:
    """Move on after each action, as a boat does."""
    return walker.moved(result, 1)


def leaping(walker: Walker, result: Any) -> Any:
    """Move on by two cells after each action."""
    return walker.moved(result, 2)


def stating(**changes: Any) -> type[Walker]:
    """A walker that states other facts."""
    return walker(get_state=lambda self: attrs.evolve(self.present(), **changes))


def mosaic(**methods: Any) -> type[Mosaic]:
    """A mosaic with other methods."""
    return type("Broken", (Mosaic,), methods)


class Hasty(Walker):
    """Forgets the episode before it looks at the task."""

    def configure(self, task_spec: TaskSpecification) -> None:
        self._state = None
        super().configure(task_spec)


class OneState(Walker):
    """Returns the same cells each time, and changes them."""

    def __init__(self) -> None:
        self.cells: set[tuple[int, int]] = set()

    def reset(self, seed: int | None = None) -> Any:
        self.cells.clear()
        return super().reset(seed)

    def get_state(self) -> GridState:
        self.cells.add(self.present().agent_position)
        return attrs.evolve(self.present(), explored_cells=self.cells)


class Erratic(Walker):
    """Starts another way each time."""

    resets = 0

    def reset(self, seed: int | None = None) -> Any:
        super().reset(seed)
        self.resets += 1
        self._state = attrs.evolve(self.present(), agent_direction=self.resets % 4)
        return self.render(), self.get_state(), {}


class KeepsTheFirstWalls(Walker):
    first: TaskSpecification | None = None

    def configure(self, task_spec: TaskSpecification) -> None:
        super().configure(task_spec)
        self.first = self.first or task_spec
        self._task = attrs.evolve(task_spec, maze=self.first.maze)


class ClosesOnce(Walker):
    def close(self) -> None:
        del self._task


class Blinks(Mosaic):
    looks = 0

    def render(self) -> Any:
        self.looks += 1
        return super().render() + np.uint8(self.looks)


class DrawsInSteps(Mosaic):
    """Keeps a picture that only resets and steps make anew."""

    picture: Any = None

    def reset(self, seed: int | None = None) -> Any:
        self.picture = None
        return super().reset(seed)

    def step(self, action: int) -> Any:
        self.picture = None
        return super().step(action)

    def render(self) -> Any:
        if self.picture is None:
            self.picture = super().render()
        return self.picture


class LooksAway(Mosaic):
    """Keeps the picture of the last moment at which somebody looked."""

    picture: Any = None

    def skip_rendering(self) -> None:
        self.unseen = True

    def on_configure(self) -> None:
        self.picture = None

    def on_change(self) -> None:
        if not self.unseen:
            self.picture = None

    def render(self) -> Any:
        if self.picture is None:
            self.picture = super().render()
        return self.picture


class ShowsHidden(Mosaic):
    """Marks the cells of hidden things."""

    def render(self) -> Any:
        picture = super().render()
        hidden = self.world.task.rules.hidden_mechanisms
        picture[0, [cell for entity in self.world.entities if entity.id in hidden for cell in entity.cells], 1] = 255
        return picture


NAME = "it_has_a_name_and_a_mission"
EARLY = "before_configure_and_reset_it_says_so"
REFUSED_TASK = "an_invalid_task_is_refused_and_the_one_before_kept"
RETURNS = "reset_and_step_return_what_the_interface_says"
REFUSED_ACTION = "a_refused_action_leaves_the_state_unchanged"
TURNS = "it_turns_in_place_if_it_says_so"
MOVES = "it_moves_one_cell_if_it_says_so"
AGREES = "its_states_agree_with_the_task"
JSON = "its_states_survive_json_and_later_steps"
SAME = "an_episode_is_the_same_whatever_was_before"
LOOKING = "looking_changes_nothing"
TILING = "it_shows_an_installed_tiling_of_the_size_of_the_task"
KERNEL = "its_state_is_that_of_the_kernel_at_every_step"
UNSEEN = "what_is_not_seen_or_hidden_is_not_shown"

BROKEN: list[tuple[str, Any]] = [
    (NAME, walker(name="")),
    (NAME, walker(tiling=4)),
    (NAME, walker(get_mission_text=lambda self: " ")),
    (NAME, BackendInfo("tiles", "Tiles.", "gridworld_minigrid.backend:MiniGridBackend")),
    (EARLY, walker(present=lambda self: self._state or GridState((1, 1), 0))),
    (EARLY, mosaic(render=lambda self: {}["no picture"])),
    (REFUSED_TASK, walker(configure=lambda self, task: Walker.configure(self, attrs.evolve(task, max_steps=9)))),
    (REFUSED_TASK, Hasty),
    (RETURNS, walker(reset=lambda self, seed=None: (*Walker.reset(self, seed)[:2], None))),
    (RETURNS, stepping(lambda self, result: (*result[:4], result[5]))),
    (RETURNS, stepping(lambda self, result: (result[0], result[1] + 1, *result[2:]))),
    (RETURNS, stepping(lambda self, result: (*result[:5], {"events": ("moved",)}))),
    (REFUSED_ACTION, acting(lambda self, action: action if action in range(7) else 6)),
    (REFUSED_ACTION, mosaic(step=lambda self, action: (Mosaic.step(self, 6), Mosaic.step(self, action))[1])),
    (MOVES, acting(lambda self, action: 5 if action == 2 else action)),
    (MOVES, stepping(leaping)),
    (MOVES, stating(agent_direction=90)),
    (TURNS, acting(lambda self, action: 1 - action if action in (0, 1) else action)),
    (TURNS, stepping(drifting)),
    (AGREES, stating(step_count=0)),
    (AGREES, stating(observability_mode="fog_of_war")),
    (AGREES, stating(agent_position=(0, 0))),
    (AGREES, walker(present=lambda self: attrs.evolve(Walker.present(self), truncated=False))),
    (JSON, walker(digest=lambda self: str(self.present().step_count))),
    (JSON, stating(agent_position=(np.int64(1), np.int64(1)))),
    (JSON, OneState),
    (SAME, Erratic),
    (SAME, KeepsTheFirstWalls),
    (SAME, ClosesOnce),
    (LOOKING, Blinks),
    (LOOKING, walker(render=lambda self: np.pad(Walker.render(self), ((0, 0), (0, 0), (0, 1))))),
    (LOOKING, mosaic(render=lambda self: Mosaic.render(self) / 255)),
    (TILING, mosaic(tiling="penrose")),
    (TILING, mosaic(make_topology=lambda self, task: square_topology(20, 20))),
    (KERNEL, mosaic(get_state=lambda self: attrs.evolve(Mosaic.get_state(self), reward=0.5))),
    (KERNEL, mosaic(step=lambda self, action: (*Mosaic.step(self, action)[:5], {}))),
    ("a_restored_moment_is_shown_as_it_was", DrawsInSteps),
    ("where_nobody_looks_all_else_is_the_same", LooksAway),
    (UNSEEN, mosaic(observe=lambda self: [self.render(), len(self.world.entities)])),
    (UNSEEN, ShowsHidden),
]


@pytest.mark.parametrize(("check", "backend"), BROKEN)
def test_a_broken_backend_is_caught(check: str, backend: Any) -> None:
    assert_caught(BackendConformance, check, backend=backend)


def test_every_check_has_a_broken_backend() -> None:
    assert_has_broken_ones(BackendConformance, [check for check, _ in BROKEN])


def test_a_given_task_that_it_refuses_is_a_fault() -> None:
    assert_caught(BackendConformance, AGREES, backend=Picky, tasks=({**ONE, "task_id": "elsewhere"}, TWO))


def test_a_backend_with_another_error_for_a_task_that_it_cannot_play_is_caught() -> None:
    assert_caught(BackendConformance, AGREES, backend=walker(configure=lambda self, task: {}["switches"]))
