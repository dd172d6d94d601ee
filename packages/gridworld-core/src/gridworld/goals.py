"""The four goal types of the core; `gridworld.builtin` registers them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from gridworld.errors import Problem
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.goal_type import GoalType, Marker
from gridworld.world.looks import dotted
from gridworld.world.mechanism_type import Explained, Trait, TypedSpec
from gridworld.world.state import State
from gridworld.world.world import Entity, World

Entries = Mapping[str, TypedSpec]
"""The mechanisms of a task by id."""


def _target(task: TaskSpecification) -> Position:
    return task.goal.target or task.maze.goal


def _is_at_target(world: World) -> Callable[[State], bool]:
    target = frozenset(world.topology.patches[_target(world.task)])
    return lambda state: state[0] in target


def _validate_position(task: TaskSpecification, entries: Entries) -> Iterator[Problem]:
    target = _target(task)
    if target == task.maze.start:
        yield Problem("target", f"{list(target)} is where the agent starts")
    if target == task.maze.goal:  # where nothing else may be
        return
    for entry in _fixed_at(target, entries):
        if _always(entry, Trait.DEADLY):
            yield Problem("target", f"{_place_of(entry, target)}; stepping onto it ends the episode without success")
        elif _always(entry, Trait.SOLID):
            yield Problem("target", f"{_place_of(entry, target)}; nothing can move it out of the way")


def _fixed_at(position: Position, entries: Entries) -> Iterator[TypedSpec]:
    """Yield the mechanism at a position, unless it can be moved."""
    for entry in entries.values():
        if position in entry.type.positions(entry.spec).values() and not _ever(entry, Trait.MOVABLE):
            yield entry


def _ever(entry: TypedSpec, traits: Trait) -> bool:
    """Whether a mechanism has one of some traits in any of its states."""
    return bool(entry.type.possible_traits(entry.spec) & traits)


def _always(entry: TypedSpec, traits: Trait) -> bool:
    """Whether a mechanism has one of some traits in each of its states."""
    return all(entry.type.traits(entry.spec, value) & traits for value in entry.type.values)


def _place_of(entry: TypedSpec, position: Position) -> str:
    return f"{list(position)} is where the {entry.type.noun} '{entry.spec.id}' is"


REACH_POSITION = GoalType(
    name="reach_position",
    summary="Stand on the target cell.",
    fields=("target",),
    reached=_is_at_target,
    mission=lambda world: "reach the goal",
    markers=lambda task: (Marker(_target(task), "goal"),),
    explains=Explained("The mission is done as soon as the agent stands on the goal."),
    validate=_validate_position,
    agent_cells=lambda world: world.topology.patches[_target(world.task)],
    ignores_dropped=True,
)
"""Goal type: the agent stands in the patch of the target cell, by default ``maze.goal``."""


def _all_collected(world: World) -> Callable[[State], bool]:
    wanted = []
    for name in world.task.goal.target_ids:
        entity = world.by_id[name]
        if entity.type.collected is not None:
            values = frozenset(map(entity.type.values.index, entity.type.collected.values))
            wanted.append((entity.index, values))
    return lambda state: all(state.values[entity] in values for entity, values in wanted)


def _collect_mission(world: World) -> str:
    """List the targets by verb, as in ``pick up the red key and switch on the blue switch``."""
    clauses: dict[str, list[str]] = {}
    for name in world.task.goal.target_ids:
        entity = world.by_id[name]
        if entity.type.collected is not None:
            called = " ".join(filter(None, ("the", entity.color, entity.type.noun)))
            clauses.setdefault(entity.type.collected.verb, []).append(called)
    return " and ".join(f"{verb} {', '.join(targets)}" for verb, targets in sorted(clauses.items()))


def _validate_collected(task: TaskSpecification, entries: Entries) -> Iterator[Problem]:
    possible = [name for name, entry in entries.items() if entry.type.collected]
    if not task.goal.target_ids:
        yield Problem("target_ids", "names nothing to collect")
    for index, name in enumerate(task.goal.target_ids):
        if name not in entries:
            message = f"nothing that can be collected has the id '{name}'{nearest_hint(name, possible)}"
            yield Problem(f"target_ids[{index}]", message)
        elif name not in possible:
            message = f"'{name}' is one of the {entries[name].type.name}, which cannot be collected"
            yield Problem(f"target_ids[{index}]", message)
    wanted = [entries[name] for name in task.goal.target_ids if name in possible]
    if wanted and all(_is_collected_at_start(entry, task) for entry in wanted):
        yield Problem("target_ids", "every target is collected at the start")


def _is_collected_at_start(entry: TypedSpec, task: TaskSpecification) -> bool:
    kind = entry.type
    return (
        kind.collected is not None and kind.values[kind.initial_value(entry.spec, task.rules)] in kind.collected.values
    )


COLLECT_ALL = GoalType(
    name="collect_all",
    summary="Pick up all target keys and switch on all target switches.",
    fields=("target_ids",),
    reached=_all_collected,
    mission=_collect_mission,
    validate=_validate_collected,
    explains=Explained(
        (
            "The mission is done as soon as every key that it names has been picked up and every switch that it names "
            "is on.",
            "A key counts once it has been picked up, whatever happens to it afterwards.",
        )
    ),
    agent_cells=lambda world: (),
    ignores_dropped=True,
)
"""Goal type: every target is in a state that its mechanism type counts as collected."""


def _target_cells(world: World) -> dict[int, int]:
    """Return the target cell of each block, both as indices."""
    goal = world.task.goal
    return {
        world.by_id[name].index: world.topology.anchor(position)
        for name, position in zip(goal.target_ids, goal.target_positions, strict=True)
    }


def _all_pushed(world: World) -> Callable[[State], bool]:
    wanted = tuple(_target_cells(world).items())
    return lambda state: all(state.places[block] == cell for block, cell in wanted)


def _push_mission(world: World) -> str:
    """Pair blocks with targets by colour, adding dots where several target blocks share a colour."""
    wanted = [world.by_id[name] for name in world.task.goal.target_ids]
    count = Counter(block.color for block in wanted)

    def pair(block: Entity) -> str:
        number = block.number if count[block.color] > 1 else 0
        thing, target = (" ".join(filter(None, (block.color, noun))) for noun in (block.type.noun, "target"))
        return f"the {dotted(thing, number)} onto the {dotted(target, number)}"

    return f"push {', '.join(map(pair, wanted))}"


def _target_markers(task: TaskSpecification) -> tuple[Marker, ...]:
    pairs = zip(task.goal.target_positions, task.goal.target_ids, strict=True)
    return tuple(Marker(position, "target", block) for position, block in pairs)


def _validate_pushed(task: TaskSpecification, entries: Entries) -> Iterator[Problem]:
    ids, positions = task.goal.target_ids, task.goal.target_positions
    pushable = {name: each for name, each in entries.items() if _ever(each, Trait.PUSHABLE)}
    if not ids:
        yield Problem("target_ids", "names no block to push")
    if len(ids) != len(positions):
        yield Problem("target_positions", f"has {len(positions)} entries, but target_ids has {len(ids)}")
    for index, name in enumerate(ids):
        if name not in pushable:
            yield Problem(
                f"target_ids[{index}]", f"no pushable block has the id '{name}'{nearest_hint(name, pushable)}"
            )
    for field, named in (("target_ids", ids), ("target_positions", positions)):
        if len(set(named)) != len(named):
            yield Problem(field, "names the same thing twice")
    yield from _find_blocked_targets(positions, entries)
    blocks = [pushable[name] for name in ids if name in pushable]
    if ids and tuple(next(iter(each.type.positions(each.spec).values())) for each in blocks) == positions:
        yield Problem("target_positions", "every block stands on its target at the start")


def _find_blocked_targets(positions: Sequence[Position], entries: Entries) -> Iterator[Problem]:
    for index, position in enumerate(positions):
        for entry in _fixed_at(position, entries):
            if not _may_take_block(entry, entries):
                message = f"{_place_of(entry, position)}; no block can be pushed onto it"
                yield Problem(f"target_positions[{index}]", message)


def _may_take_block(entry: TypedSpec, entries: Entries) -> bool:
    """Whether a block may come to stand on a mechanism, pushed or carried."""
    if any(each.type.carries for each in entries.values()):
        return not _always(entry, Trait.SOLID | Trait.DEADLY)
    return _ever(entry, Trait.TAKES_BLOCKS)


PUSH_BLOCK_TO = GoalType(
    name="push_block_to",
    summary="Push each target block onto its target position.",
    fields=("target_ids", "target_positions"),
    reached=_all_pushed,
    mission=_push_mission,
    markers=_target_markers,
    explains=Explained(
        (
            "The mission is done as soon as each block that it names stands on the target of its colour, all at the "
            "same time.",
            "If several blocks to push have the same colour, each has the same number of dots as its target.",
        )
    ),
    validate=_validate_pushed,
    agent_cells=lambda world: (),
    thing_cells=lambda world: {block: (cell,) for block, cell in _target_cells(world).items()},
    ignores_dropped=True,
)
"""Goal type: all target blocks stand on their target positions at the same time."""

SURVIVE_STEPS = GoalType(
    name="survive_steps",
    summary="Be alive when the budget of steps, max_steps, is used up.",
    reached=lambda world: lambda state: state.steps >= world.max_steps,
    mission=lambda world: "stay alive until the last step",
    validate=lambda task, entries: (),
    explains=Explained("The mission is done if the agent is still alive when the budget of steps is used up."),
    reward=lambda step_count, max_steps: 1.0,
    agent_cells=lambda world: (),
    timed=True,
    only_at_last_step=True,
)
"""Goal type: the agent is alive at the last step of its budget."""
