"""``collect_all``: every target has been collected, such as a key that has been picked up or a switch that is on."""

from collections.abc import Callable, Iterator, Mapping

from gridworld.errors import Problem
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import TaskSpecification
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import Explained, TypedSpec
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["COLLECT_ALL"]


def _reached(world: World) -> Callable[[State], bool]:
    wanted = []
    for name in world.task.goal.target_ids:
        entity = world.by_id[name]
        if entity.type.collected is not None:
            values = frozenset(map(entity.type.values.index, entity.type.collected.values))
            wanted.append((entity.index, values))
    return lambda state: all(state.values[entity] in values for entity, values in wanted)


def _mission(world: World) -> str:
    """The targets by what is done with them, such as ``pick up the red key and switch on the blue switch``."""
    clauses: dict[str, list[str]] = {}
    for name in world.task.goal.target_ids:
        entity = world.by_id[name]
        if entity.type.collected is not None:
            called = " ".join(filter(None, ("the", entity.color, entity.type.noun)))
            clauses.setdefault(entity.type.collected.verb, []).append(called)
    return " and ".join(f"{verb} {', '.join(things)}" for verb, things in sorted(clauses.items()))


def _validate(task: TaskSpecification, entries: Mapping[str, TypedSpec]) -> Iterator[Problem]:
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
    reached=_reached,
    mission=_mission,
    validate=_validate,
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
"""All targets are in one of the states that their mechanism type counts as collected."""
