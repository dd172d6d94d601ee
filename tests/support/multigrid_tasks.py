"""Tasks as environments of the package ``multigrid`` of the package index, to compare our rules with.

It knows walls, keys, doors, lava and one goal cell. A task of these means the same there; any other is refused. Its
own are the end of an episode and mistakes:

- a success on the last step is both terminated and truncated;
- a step after the end is no error, and counts;
- an unknown action is a `ValueError` that counts as a step.
"""

from collections.abc import Callable, Iterator
from typing import Any

from multigrid import Door, Goal, Grid, Key, Lava, MultiGridEnv, Wall

from gridworld.errors import Problem, TaskError
from gridworld.goals.reach_position import REACH_POSITION
from gridworld.mechanisms.doors import DOORS, DoorSpec
from gridworld.mechanisms.hazards import HAZARDS, HazardSpec
from gridworld.mechanisms.keys import KEYS, KeySpec
from gridworld.plugins import get_registry
from gridworld.task.validation import refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world, square_topology
from gridworld.world.mechanism_type import MechanismType


class UnfitTaskError(TaskError):
    """A valid task that the package ``multigrid`` cannot play by our rules."""

    headline = "cannot be an environment of the package multigrid"


AGENT = 0
"""The only agent's number."""
RIGHT = 0
"""The direction that agents start in."""


def _make_key(key: KeySpec) -> Any:
    return Key(key.color)


def _make_door(door: DoorSpec) -> Any:
    color = DOORS.color(door)
    return Door(color, is_open=door.initial_state == "open", is_locked=door.initial_state == "locked")


def _make_lava(hazard: HazardSpec) -> Any:
    return Lava()


MAKERS: dict[MechanismType, Callable[[Any], Any]] = {KEYS: _make_key, DOORS: _make_door, HAZARDS: _make_lava}
"""The mechanisms that the package knows, and what makes its objects of them."""


class TaskMultiGridEnv(MultiGridEnv):  # type: ignore[misc]  # that package has no types
    """One task as an environment of the package; observations, actions and outcomes are keyed by agent 0.

    Raises:
        InvalidTaskError: the task is invalid.
        UnfitTaskError: the package does not know everything in the task.
    """

    def __init__(self, task: TaskSpecification) -> None:
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
            agent_view_size=task.rules.view_size,
        )

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = Grid(width, height)
        for x, y in self.task.maze.wall_cells():
            self.put_obj(Wall(), x, y)
        self.put_obj(Goal(), *self.task.maze.goal)
        for name, specs in self.task.mechanisms.groups():
            make = MAKERS[get_registry().mechanisms.get(name)]
            for spec in specs:
                self.put_obj(make(spec), *spec.position)
        state = self.agents[AGENT].state
        state.pos, state.dir = self.task.maze.start, RIGHT


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
