"""``push_block_to``: each target block stands on its target position, all at once."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from gridworld.errors import Problem
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import TaskSpecification
from gridworld.world.goal_type import GoalType, Marker
from gridworld.world.looks import dotted
from gridworld.world.mechanism_type import Explained, Trait, TypedSpec
from gridworld.world.state import State
from gridworld.world.world import Entity, World

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


def _mission(world: World) -> str:
    """The pairs of block and target, by colour; where two blocks to push have one colour, by their dots too."""
    wanted = [world.by_id[name] for name in world.task.goal.target_ids]
    count = Counter(block.color for block in wanted)

    def pair(block: Entity) -> str:
        number = block.number if count[block.color] > 1 else 0
        thing, target = (" ".join(filter(None, (block.color, noun))) for noun in (block.type.noun, "target"))
        return f"the {dotted(thing, number)} onto the {dotted(target, number)}"

    return f"push {', '.join(map(pair, wanted))}"


def _markers(task: TaskSpecification) -> tuple[Marker, ...]:
    pairs = zip(task.goal.target_positions, task.goal.target_ids, strict=True)
    return tuple(Marker(position, "target", thing) for position, thing in pairs)


def _validate(task: TaskSpecification, entries: Mapping[str, TypedSpec]) -> Iterator[Problem]:
    ids, positions = task.goal.target_ids, task.goal.target_positions
    pushable = {name: each for name, each in entries.items() if each.type.possible_traits(each.spec) & Trait.PUSHABLE}
    if not ids:
        yield Problem("target_ids", "names no block to push")
    if len(ids) != len(positions):
        yield Problem("target_positions", f"has {len(positions)} entries, but target_ids has {len(ids)}")
    for index, name in enumerate(ids):
        if name not in pushable:
            yield Problem(
                f"target_ids[{index}]", f"no pushable block has the id '{name}'{nearest_hint(name, pushable)}"
            )
    for field, entries_named in (("target_ids", ids), ("target_positions", positions)):
        if len(set(entries_named)) != len(entries_named):
            yield Problem(field, "names the same thing twice")
    blocks = [pushable[name] for name in ids if name in pushable]
    if ids and tuple(next(iter(each.type.positions(each.spec).values())) for each in blocks) == positions:
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
            "The mission is done as soon as each block that it names stands on the target of its colour, all at the "
            "same time.",
            "If several blocks to push have the same colour, each has the same number of dots as its target.",
        )
    ),
    validate=_validate,
    agent_cells=lambda world: (),
    thing_cells=_thing_cells,
    ignores_dropped=True,
)
"""Each target block stands on its target position, all at once."""
