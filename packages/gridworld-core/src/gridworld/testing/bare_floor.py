"""Checks of the solver's assumption that all positions on bare floor are alike.

`LocalInspection` inspects the hooks of a mechanism, one call at a time. `differences_on_bare_floor` tries whole steps:
apart from the pose itself, an action must have the same outcome in all poses of the same sort.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import Any

from gridworld.actions import Action
from gridworld.testing.conformance import expect
from gridworld.testing.hook_calls import NEXT_VALUES, AnyHook, call_hook, is_floor
from gridworld.world import Entity, State, World, transition
from gridworld.world.events import kinds_of
from gridworld.world.state import NOTHING
from gridworld.world.topology import NO_CELL

__all__ = ["NOT_LOCAL", "LocalInspection", "bare_poses", "differences_on_bare_floor"]

NOT_LOCAL = "set local=False; otherwise the solver takes walking about on bare floor to be the same everywhere"
"""Advice for a mechanism that wrongly claims to be `local`."""

PHASES = (*NEXT_VALUES, "carries")
"""Hooks that are called wherever the agent is."""
HANDLED = ("on_toggle", "on_pickup")
"""Hooks that are called for the entity in front of the agent."""
UNTOUCHING = (Action.TURN_LEFT, Action.TURN_RIGHT, Action.DONE)
"""Actions whose effect does not depend on what is in front."""
BARE = "bare floor"


def bare_poses(world: World, state: State, besides: Collection[int] = ()) -> list[State]:
    """Return the state with the agent in each pose on bare floor; cells that the goal marks are bare floor to an agent.

    Args:
        world: the world of the state.
        state: any state.
        besides: cells that are not to be counted as bare floor.
    """
    cells = (cell for cell in range(world.topology.cell_count) if cell not in besides and _is_bare(world, state, cell))
    placed = (state.at(cell) for cell in cells)
    return [there.facing(heading) for there in placed for heading in range(world.headings)]


def _is_bare(world: World, state: State, cell: int) -> bool:
    return cell not in world.walls and world.thing_at(state, cell) == NOTHING


# --- Hooks -----------------------------------------------------------------------------------------------------------


class LocalInspection:
    """Checks that a hook of a `local` mechanism ignores the agent's position and heading on bare floor.

    A call that has been checked is not checked again when only the agent has moved.
    """

    def __init__(self) -> None:
        self._seen: set[Hashable] = set()

    def __call__(self, name: str, hook: AnyHook, world: World, state: State, entity: Entity) -> Any:
        """Call the hook as an `Inspection` does."""
        front = _in_front(world, state) if name in HANDLED else NO_CELL
        look = (name, entity.id, world.topology.name, world.task, front, state.at(0).facing(0)._replace(steps=0))
        if entity.type.local and look not in self._seen:
            self._seen.add(look)
            _expect_the_same(name, hook, world, list(_poses_alike(name, world, state, front)), entity)
        return call_hook(name, hook, world, state, entity)


def _expect_the_same(name: str, hook: AnyHook, world: World, poses: list[State], entity: Entity) -> None:
    effects = [_effect(name, pose, call_hook(name, hook, world, pose, entity), entity) for pose in poses]
    different = next((pose for pose, effect in zip(poses, effects, strict=True) if effect != effects[0]), None)
    expect(
        different is None,
        f"{name} of '{entity.id}' on {world.topology.name} depends on where on bare floor the agent is: compare "
        f"{poses[:1]} and {different}",
        NOT_LOCAL,
    )


def _poses_alike(name: str, world: World, state: State, front: int) -> Iterator[State]:
    """Yield the state in all poses in which a hook must have the same effect; `front` is the cell in front."""
    if name in PHASES:
        yield from bare_poses(world, state)
    elif name in HANDLED and front != NO_CELL:
        yield from (pose for pose in bare_poses(world, state) if _in_front(world, pose) == front)


def _in_front(world: World, state: State) -> int:
    return world.exits[state.cell * world.headings + state.heading]


def _effect(name: str, state: State, result: Any, entity: Entity) -> Hashable:
    """Return all changes in a result; for the pose, only whether it changed."""
    if name == "carries" or result is None:
        unchanged: Hashable = result
        return unchanged
    happened = kinds_of(result[1])
    if name in NEXT_VALUES:
        return (None if result[0] == state.values[entity.index] and not happened else result[0]), happened
    return _but_for_the_pose(state, result[0]), happened


def _but_for_the_pose(before: State, after: State) -> Hashable:
    stays = (after.cell, after.heading) == (before.cell, before.heading)
    return stays, after.carried, after.values, after.places, after.memory, after.status


# --- Whole steps -----------------------------------------------------------------------------------------------------


def differences_on_bare_floor(world: World, state: State, besides: Collection[int] = ()) -> Iterator[str]:
    """Yield descriptions of pairs of similar poses in which an action has different outcomes.

    Args:
        world: the world of the state; its step budget must allow another step.
        state: a running state; the agent's position does not matter.
        besides: cells on which it may matter whether the agent stands.
    """
    first: dict[Hashable, tuple[State, Hashable]] = {}
    for pose in bare_poses(world, state, besides):
        for action in Action:
            sort = _sort_of(world, pose, action, besides)
            if sort is None:
                continue
            after, events = transition(world, pose, action)
            outcome = _but_for_the_pose(pose, after), kinds_of(events)
            other, expected = first.setdefault((action, sort), (pose, outcome))
            if outcome != expected:
                yield (
                    f"{action.name.lower()} on cell {pose.cell} with heading {pose.heading} leads to something else "
                    f"than on cell {other.cell} with heading {other.heading}, in {state}"
                )
                return


def _sort_of(world: World, pose: State, action: Action, besides: Collection[int]) -> Hashable | None:
    """Return the class of poses in which an action must have the same outcome; None where it may differ."""
    if action in UNTOUCHING:
        return BARE
    ahead = _in_front(world, pose)
    if ahead == NO_CELL or ahead in world.walls:
        return NO_CELL
    if not is_floor(world, pose, ahead) or ahead in besides:
        return None if action is Action.MOVE_FORWARD else ahead
    return None if action is Action.DROP and pose.carried != NOTHING else BARE
