"""``push_block_to``: each target block stands on its target position, all at once."""

from collections import Counter
from collections.abc import Callable, Iterator

from gridworld.errors import Problem
from gridworld.support.suggestions import nearest_hint
from gridworld.task_spec import TaskSpecification
from gridworld.world.explained import Explained
from gridworld.world.goal_type import GoalType
from gridworld.world.marks import Marker, number_things
from gridworld.world.names import dotted
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["PUSH_BLOCK_TO"]


def _wanted(world: World) -> dict[int, int]:
    """Block to the cell that it is to be on."""
    goal = world.task.goal
    return {
        world.by_id[name].index: world.topology.anchor(position)
        for name, position in zip(goal.target_ids, goal.target_positions, strict=True)
    }


def _reached(world: World) -> Callable[[State], bool]:
    wanted = tuple(_wanted(world).items())
    return lambda state: all(state.places[block] == cell for block, cell in wanted)


def _thing_cells(world: World) -> dict[int, tuple[int]]:
    return {block: (cell,) for block, cell in _wanted(world).items()}


def _mission(task: TaskSpecification) -> str:
    """Which block goes where, by colour; where two blocks to push have one colour, by their dots too."""
    colors = {block.id: block.color for block in task.mechanisms.blocks}
    numbers = number_things(_markers(task), colors)
    twice = {color for color, count in Counter(colors[name] for name in numbers).items() if count > 1}

    def pair(name: str) -> str:
        color = colors[name]
        number = numbers[name] if color in twice else 0
        return f"the {dotted(f'{color} block', number)} onto the {dotted(f'{color} target', number)}"

    return f"push {', '.join(map(pair, task.goal.target_ids))}"


def _markers(task: TaskSpecification) -> tuple[Marker, ...]:
    pairs = zip(task.goal.target_positions, task.goal.target_ids, strict=True)
    return tuple(Marker(position, "target", thing) for position, thing in pairs)


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
    explains=Explained(
        (
            "The mission is done as soon as each block that it names stands on the target of its colour, all at once.",
            "Where several blocks to push have one colour, a block and its target have as many dots.",
        )
    ),
    validate=_validate,
    agent_cells=lambda world: (),
    thing_cells=_thing_cells,
    ignores_dropped=True,
)
"""Each target block stands on its target position, all at once."""
