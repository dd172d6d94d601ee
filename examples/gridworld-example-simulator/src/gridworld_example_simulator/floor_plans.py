"""From a task to a warehouse: what it becomes there, and what a warehouse does not have."""

from collections.abc import Iterator

from gridworld.hookspecs import InvalidTaskError, Position, Problem, TaskSpecification
from gridworld_example_simulator.warehouse import Badge, FloorPlan, Place, Shutter

__all__ = ["make_floor_plan", "to_place"]

COLORS = {
    "red": (220, 40, 40),
    "green": (40, 220, 40),
    "blue": (60, 60, 240),
    "purple": (150, 50, 190),
    "yellow": (240, 220, 40),
    "grey": (130, 130, 130),
}
"""The colours that keys and doors have in tasks."""
BECOMES = {"keys": "badges", "doors": "shutters"}
"""The mechanisms that there are in a warehouse."""


def make_floor_plan(task: TaskSpecification) -> FloorPlan:
    """The warehouse that a task describes.

    Raises:
        InvalidTaskError: the task is invalid, or has something that there is not in a warehouse.
    """
    _, errors = task.validate()
    problems = [Problem("", error) for error in errors] or list(_beyond_a_warehouse(task))
    if problems:
        raise InvalidTaskError(problems, task.task_id)
    height = task.maze.height
    return FloorPlan(
        rows=height,
        columns=task.maze.width,
        racks=frozenset(to_place(cell, height) for cell in task.maze.wall_cells()),
        dock=to_place(task.goal.target or task.maze.goal, height),
        robot=to_place(task.maze.start, height),
        charge=task.max_steps,
        badges={
            key.id: Badge(to_place(key.position, height), key.color, COLORS[key.color]) for key in task.mechanisms.keys
        },
        shutters={
            door.id: Shutter(
                to_place(door.position, height),
                code=door.requires_key if door.initial_state == "locked" else None,
                color=COLORS[door.requires_key or "grey"],
                raised=door.initial_state == "open",
            )
            for door in task.mechanisms.doors
        },
        single_use=task.rules.key_consumption,
    )


def to_place(cell: Position, height: int) -> Place:
    """Tasks count rows from the top and name the column first."""
    return height - 1 - cell.y, cell.x


def _beyond_a_warehouse(task: TaskSpecification) -> Iterator[Problem]:
    for name, listed in task.mechanisms.groups():
        if name not in BECOMES:
            yield from (Problem(f"mechanisms.{name}[{n}]", _has_only(*BECOMES)) for n in range(len(listed)))
    if task.goal.type != "reach_position":
        yield Problem("goal.type", _has_only("reach_position"))
    if task.rules.observability != "full":
        yield Problem("rules.observability", _has_only("full"))
    if task.rules.hidden_mechanisms:
        yield Problem("rules.hidden_mechanisms", "nothing is hidden in a warehouse")


def _has_only(*words: str) -> str:
    return f"a warehouse has only {' and '.join(words)}"
