"""``push_block_to``: each target block stands on its target position, all at once."""

from collections.abc import Callable, Iterator

from gridworld.errors import Problem
from gridworld.support.suggestions import nearest_hint
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.goal_type import GoalType
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["PUSH_BLOCK_TO"]


def _reached(world: World) -> Callable[[State], bool]:
    goal = world.task.goal
    wanted = tuple(
        (world.by_id[name].index, world.topology.anchor(position))
        for name, position in zip(goal.target_ids, goal.target_positions, strict=True)
    )
    return lambda state: all(state.places[block] == cell for block, cell in wanted)


def _mission(task: TaskSpecification) -> str:
    colors = {block.id: block.color for block in task.mechanisms.blocks}
    blocks = [f"the {colors[name]} block" for name in task.goal.target_ids]
    places = "its target" if len(blocks) == 1 else "their targets"
    return f"push {', '.join(blocks)} onto {places}"


def _markers(task: TaskSpecification) -> tuple[Position, ...]:
    return task.goal.target_positions


def _validate(task: TaskSpecification) -> Iterator[Problem]:
    ids, positions = task.goal.target_ids, task.goal.target_positions
    pushable = {block.id: block for block in task.mechanisms.blocks if block.pushable}
    if not ids:
        yield Problem("target_ids", "names no block to push")
    if len(ids) != len(positions):
        yield Problem("target_positions", f"has {len(positions)} entries, but target_ids has {len(ids)}")
    for index, name in enumerate(ids):
        if name not in pushable:
            yield Problem(
                f"target_ids[{index}]", f"no pushable block has the id '{name}'{nearest_hint(name, pushable)}"
            )
    for field, entries in (("target_ids", ids), ("target_positions", positions)):
        if len(set(entries)) != len(entries):
            yield Problem(field, "names the same thing twice")
    at_start = tuple(pushable[name].position for name in ids if name in pushable)
    if ids and at_start == positions:
        yield Problem("target_positions", "every block stands on its target at the start")


PUSH_BLOCK_TO = GoalType(
    name="push_block_to",
    summary="Push each target block onto its target position.",
    fields=("target_ids", "target_positions"),
    reached=_reached,
    mission=_mission,
    markers=_markers,
    validate=_validate,
    ignores_dropped=True,
)
"""Each target block stands on its target position, all at once."""
