"""Tasks as environments of the package ``multigrid`` of the package index, for those who train with it.

It needs the optional dependency ``gridworld-multigrid[multigrid]``. That package is another project, with rules of its
own: it knows walls, keys, doors, lava and one goal cell. A task of these means the same there, and any other is refused
before anything is built. What that package does with the end of an episode and with mistakes stays its own:

- a success on the last step is both terminated and truncated;
- a step after the end is no error, and counts;
- an unknown action is a `ValueError` that counts as a step.

An environment has one agent, 0, and goes wherever one of that package goes::

    env = SingleAgentWrapper(TaskMultiGridEnv(task))
    to_rllib_env(TaskMultiGridEnv, default_config={"task": task})
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gridworld.errors import GridworldError, Problem, TaskError
from gridworld.goals.reach_position import REACH_POSITION
from gridworld.mechanisms.doors import DOORS, DoorSpec
from gridworld.mechanisms.hazards import HAZARDS, HazardSpec
from gridworld.mechanisms.keys import KEYS, KeySpec
from gridworld.plugins import get_registry
from gridworld.support.installing import how_to_install
from gridworld.task.validation import refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world, square_topology
from gridworld.world.mechanism_type import MechanismType
from gridworld.world.square import cone
from gridworld.world.topology import NO_CELL

__all__ = ["MissingMultigridError", "TaskMultiGridEnv", "UnfitTaskError"]


class MissingMultigridError(GridworldError, ImportError):
    """The package ``multigrid`` is not installed, or does not work."""


class UnfitTaskError(TaskError):
    """A valid task that the package ``multigrid`` cannot play by our rules."""

    headline = "cannot be an environment of the package multigrid"


try:
    import multigrid as _multigrid
except ImportError as error:
    raise MissingMultigridError(
        f"environments of multigrid need an optional dependency ({error}): "
        f"{how_to_install('gridworld-multigrid', 'multigrid')}"
    ) from error

AGENT = 0
"""The only agent's number."""
RIGHT = 0
"""The direction that agents start in."""
UNSEEN_TYPE = 0
"""The type of a cell out of view in the package's observations."""
UNSEEN_COLOR = (18, 18, 24)
Image = Any
"""A numpy array; the package's own classes have no types either."""


def _make_key(key: KeySpec) -> Any:
    return _multigrid.Key(key.color)


def _make_door(door: DoorSpec) -> Any:
    color = DOORS.color(door)
    return _multigrid.Door(color, is_open=door.initial_state == "open", is_locked=door.initial_state == "locked")


def _make_lava(hazard: HazardSpec) -> Any:
    return _multigrid.Lava()


MAKERS: dict[MechanismType, Callable[[Any], Any]] = {KEYS: _make_key, DOORS: _make_door, HAZARDS: _make_lava}
"""The mechanisms that the package knows, and what makes its objects of them."""


class TaskMultiGridEnv(_multigrid.MultiGridEnv):  # type: ignore[misc]
    """One task as an environment of the package ``multigrid``, with one agent.

    Observations, actions (numbered as in `gridworld.actions.Action`) and outcomes are dictionaries by agent, here
    ``{0: ...}``. What is observed always is the package's field of view: ``image`` (type, colour and state of each cell
    in view, shape (view, view, 3), int64), ``direction`` (0 to 3) and ``mission``. Pictures of a task in ``view_cone``
    leave out what is not in view. Wrappers that read the whole grid, such as ``FullyObsWrapper``, show the whole maze
    whatever the observability.

    Args:
        task: the task; the kernel has no randomness, so the seed of a reset changes nothing.
        render_mode: None, ``rgb_array`` or ``human``.
        tile_size: the width of a cell in pictures, in pixels.
        highlight: whether pictures show the agent's field of view lighter.
        agent_view_size: cells along a side of the view, odd and at least 3; by default the task's `view_size`.
        screen_size: the size of the window of ``human``, in pixels.

    Raises:
        InvalidTaskError: the task is invalid.
        UnfitTaskError: the package does not know everything in the task.
    """

    def __init__(
        self,
        task: TaskSpecification,
        *,
        render_mode: str | None = None,
        tile_size: int = 32,
        highlight: bool = True,
        agent_view_size: int | None = None,
        screen_size: int = 640,
    ) -> None:
        refuse_impossible_sides(task)
        world = compile_world(task, square_topology(*task.maze.dimensions))
        problems = [problem for check in CHECKS for problem in check(task)]
        if problems:
            raise UnfitTaskError(problems, task.task_id)
        self.task = task
        super().__init__(
            mission_space=world.goal_type.mission(world),
            width=task.maze.width,
            height=task.maze.height,
            max_steps=task.max_steps,
            agent_view_size=task.rules.view_size if agent_view_size is None else agent_view_size,
            render_mode=render_mode,
            screen_size=screen_size,
            highlight=highlight,
            tile_size=tile_size,
        )

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = _multigrid.Grid(width, height)
        for x, y in self.task.maze.wall_cells():
            self.put_obj(_multigrid.Wall(), x, y)
        self.put_obj(_multigrid.Goal(), *self.task.maze.goal)
        for name, specs in self.task.mechanisms.groups():
            make = MAKERS[get_registry().mechanisms.get(name)]
            for spec in specs:
                self.put_obj(make(spec), *spec.position)
        state = self.agents[AGENT].state
        state.pos, state.dir = self.task.maze.start, RIGHT

    def get_full_render(self, highlight: bool, tile_size: int) -> Image:
        """The whole grid as far as the task's observability shows it; shape (height, width, 3) in pixels, uint8."""
        picture = super().get_full_render(highlight, tile_size)
        if self.task.rules.observability == "view_cone":
            for cell in set(range(self.width * self.height)) - self._cells_in_view():
                y, x = divmod(cell, self.width)
                picture[y * tile_size : (y + 1) * tile_size, x * tile_size : (x + 1) * tile_size] = UNSEEN_COLOR
        return picture

    def _cells_in_view(self) -> set[int]:
        agent = self.agents[AGENT]
        x, y = agent.state.pos
        window = cone(self.width, self.height, int(y) * self.width + int(x), int(agent.state.dir), agent.view_size)
        types = self.gen_obs()[AGENT]["image"][..., 0].ravel()
        return {
            cell for cell, kind in zip(window.window, types, strict=True) if cell != NO_CELL and kind != UNSEEN_TYPE
        }


def _check_mechanisms(task: TaskSpecification) -> Iterator[Problem]:
    for name, specs in task.mechanisms.groups():
        mechanism = get_registry().mechanisms.get(name)
        for index, spec in enumerate(specs):
            if mechanism not in MAKERS:
                yield Problem(f"mechanisms.{name}[{index}]", f"multigrid has no {name}")
            elif mechanism is HAZARDS and spec.hazard_type != "lava":
                path = f"mechanisms.{name}[{index}].hazard_type"
                yield Problem(path, f"multigrid has no hazard of type {spec.hazard_type}, only lava")


def _check_rules(task: TaskSpecification) -> Iterator[Problem]:
    rules = task.rules
    if rules.key_consumption and _has_locked_door(task):
        yield Problem("rules.key_consumption", "multigrid never uses up a key")
    for index in range(len(rules.hidden_mechanisms)):
        yield Problem(f"rules.hidden_mechanisms[{index}]", "multigrid hides nothing")
    if rules.observability == "fog_of_war":
        yield Problem("rules.observability", "multigrid has no fog_of_war: it does not remember what has been seen")


def _has_locked_door(task: TaskSpecification) -> bool:
    doors = (
        door
        for name, specs in task.mechanisms.groups()
        for door in specs
        if get_registry().mechanisms.get(name) is DOORS
    )
    return any(door.initial_state == "locked" for door in doors)


def _check_goal(task: TaskSpecification) -> Iterator[Problem]:
    if get_registry().goals.get(task.goal.type) is not REACH_POSITION:
        yield Problem("goal.type", f"multigrid has no {task.goal.type}, only {REACH_POSITION.name}")
    elif task.goal.target not in (None, task.maze.goal):
        expected = list(task.maze.goal)
        yield Problem("goal.target", f"multigrid ends an episode on the goal that is drawn, maze.goal at {expected}")


CHECKS: tuple[Callable[[TaskSpecification], Iterator[Problem]], ...] = (_check_mechanisms, _check_rules, _check_goal)
