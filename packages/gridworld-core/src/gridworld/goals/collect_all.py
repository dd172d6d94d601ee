"""``collect_all``: every target key has been picked up, every target switch is on."""

from collections.abc import Callable, Iterator
from typing import Any

from gridworld.errors import Problem
from gridworld.support.suggestions import nearest_hint
from gridworld.task_spec import TaskSpecification
from gridworld.world.explained import Explained
from gridworld.world.goal_type import GoalType
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["COLLECT_ALL"]


def _reached(world: World) -> Callable[[State], bool]:
    wanted = [world.by_id[name] for name in world.task.goal.target_ids]
    tests = [(entity.type.grid_state.entry, entity) for entity in wanted if entity.type.grid_state]
    return lambda state: all(entry(world, state, entity) for entry, entity in tests)


def _by_id(task: TaskSpecification) -> dict[str, tuple[str, Any]]:
    keys = {key.id: ("key", key) for key in task.mechanisms.keys}
    return keys | {switch.id: ("switch", switch) for switch in task.mechanisms.switches}


def _mission(task: TaskSpecification) -> str:
    known = _by_id(task)
    wanted = [known[name] for name in task.goal.target_ids]
    pick_up = [f"the {spec.color} key" for noun, spec in wanted if noun == "key"]
    switch_on = [f"the {spec.color} switch" for noun, spec in wanted if noun == "switch"]
    clauses = [f"pick up {', '.join(pick_up)}"] if pick_up else []
    clauses += [f"switch on {', '.join(switch_on)}"] if switch_on else []
    return " and ".join(clauses)


def _validate(task: TaskSpecification) -> Iterator[Problem]:
    known = _by_id(task)
    if not task.goal.target_ids:
        yield Problem("target_ids", "names nothing to collect")
    for index, name in enumerate(task.goal.target_ids):
        if name not in known:
            yield Problem(f"target_ids[{index}]", f"no key or switch has the id '{name}'{nearest_hint(name, known)}")
    wanted = [known[name] for name in task.goal.target_ids if name in known]
    if wanted and all(noun == "switch" and _is_on_from_the_start(spec, task) for noun, spec in wanted):
        yield Problem("target_ids", "every target is on at the start")


def _is_on_from_the_start(switch: Any, task: TaskSpecification) -> bool:
    return switch.initial_state == "on" and (switch.switch_type or task.rules.switch_type) != "hold"


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
            "A key counts once it has been picked up, whatever becomes of it.",
        )
    ),
    agent_cells=lambda world: (),
    ignores_dropped=True,
)
"""All target keys have been collected, and all target switches are on."""
