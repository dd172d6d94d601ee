"""Goals with a memory, for tests: the core has none of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gridworld.plugins import get_registry, using_registry
from gridworld.testing.conformance import with_item
from gridworld.world import State, World
from gridworld.world.events import Event, Moved, PickedUp, Turned
from gridworld.world.goal_type import GoalType

__all__ = ["FETCH_ALL", "NEVER_LEFT", "THERE_AND_BACK", "remembering", "with_remembering"]


def _goal_cells(world: World) -> frozenset[int]:
    return frozenset(world.topology.patches[world.task.maze.goal])


def _home_cells(world: World) -> frozenset[int]:
    return frozenset(world.topology.patches[world.task.maze.start])


def _on_the_goal(world: World) -> Callable[[State], bool]:
    goal = _goal_cells(world)
    return lambda state: state.cell in goal


def _right_turns_only(world: World) -> Callable[[State], bool]:
    there = _on_the_goal(world)
    return lambda state: there(state) and state.memory == ()


def _left_turns(world: World) -> Callable[[State, tuple[Event, ...]], Any]:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        turned = any(isinstance(event, Turned) and not event.right for event in events)
        return ("turned left",) if turned else state.memory

    return remember


def _been_there(world: World) -> Callable[[State, tuple[Event, ...]], Any]:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        goal = _goal_cells(world)
        return state.memory or any(isinstance(event, Moved) and event.target in goal for event in events)

    return remember


def _is_back(world: World) -> Callable[[State], bool]:
    home = _home_cells(world)
    return lambda state: bool(state.memory) and state.cell in home


def _fetched(world: World) -> Callable[[State, tuple[Event, ...]], Any]:
    def remember(state: State, events: tuple[Event, ...]) -> Any:
        return tuple(sorted({*state.memory, *(event.entity for event in events if isinstance(event, PickedUp))}))

    return remember


def remembering(**changes: Any) -> GoalType:
    """A goal type with a memory, and something else about it."""
    plain = {
        "summary": "For tests.",
        "validate": lambda task, entries: (),
        "mission": lambda world: "go",
        "ignores_dropped": True,
    }
    return GoalType(**{**plain, **changes})


NEVER_LEFT = remembering(name="never_left", reached=_right_turns_only, remember=_left_turns, agent_cells=_goal_cells)
"""Reach the goal without ever turning left."""

THERE_AND_BACK = remembering(
    name="there_and_back",
    reached=_is_back,
    initial_memory=lambda world: False,
    remember=_been_there,
    agent_cells=lambda world: _goal_cells(world) | _home_cells(world),
)
"""Go to the goal and come back to the start."""

FETCH_ALL = remembering(
    name="fetch_all",
    reached=lambda world: lambda state: len(state.memory) == len(world.task.mechanisms.keys),
    remember=_fetched,
    agent_cells=lambda world: (),
)
"""Have every key in the hand once."""

NAMED = {goal.name: goal for goal in (NEVER_LEFT, THERE_AND_BACK, FETCH_ALL)}


@contextmanager
def with_remembering(*others: GoalType) -> Iterator[None]:
    """All of them in the registry, and others too."""
    registry = get_registry()
    for goal in (*NAMED.values(), *others):
        registry = with_item(registry, "goal", goal)
    with using_registry(registry):
        yield
