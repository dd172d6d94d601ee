"""Everything that can happen in a world, found by trying every action in every state.

It asks the rules of the kernel and nothing else: no line of it is shared with `gridworld.solver`, which is checked
against it. It is slow, and written to be read.
"""

from collections.abc import Callable, Hashable, Mapping

import attrs

from gridworld.actions import Action
from gridworld.world import State, Status, World
from gridworld.world.rules import transition

__all__ = ["DEAD", "LATE", "WON", "Explored", "Name", "explore_plainly", "explore_to_success", "name_of"]

Name = Hashable
"""What tells a state apart from the others."""

WON = "won"
DEAD = "dead"
LATE = "late"
"""The budget of steps is used up, without success; this can only happen where the goal depends on time."""


@attrs.frozen
class Explored:
    """All running states that can be reached from the start of a world."""

    start: Name
    states: dict[Name, State]
    """Each state as it was first met, the nearest to the start first."""
    outcomes: dict[Name, dict[Action, Name]]
    """State and action to the state that follows, or `WON`, `DEAD` or `LATE`."""
    distance: dict[Name, int | None]
    """The fewest actions that win from a state; None where it is lost."""
    optimal: dict[Name, frozenset[Action]]
    """The actions with which a shortest plan from a state can begin; none where it is lost."""

    @property
    def length(self) -> int | None:
        """The fewest actions that win the task; None where nothing does."""
        return self.distance[self.start]

    @property
    def lost(self) -> frozenset[Name]:
        """The states from which nothing wins."""
        return frozenset(name for name, distance in self.distance.items() if distance is None)


def explore_plainly(world: World, max_states: int) -> Explored | None:
    """Try every action in every state that can be reached; None if there are more than `max_states` of them."""
    return _explore(world, max_states, lambda outcomes: False)


def explore_to_success(world: World, max_states: int) -> Explored | None:
    """Try every action in every state that is reached by fewer actions than success is; None as `explore_plainly`.

    All shortest plans are among them; off them, distances may be greater than they are, or missing.
    """
    return _explore(world, max_states, lambda outcomes: WON in outcomes.values())


def _explore(world: World, max_states: int, is_enough: Callable[[Mapping[Action, Name]], bool]) -> Explored | None:
    """Go on until nothing is left, or until what comes of a state is enough and all that are as near were looked at."""
    arena = world if world.goal_type.timed else attrs.evolve(world, max_steps=2**62)
    start = name_of(arena, arena.start)
    states = {start: arena.start}
    outcomes: dict[Name, dict[Action, Name]] = {}
    layer = [start]
    while layer:
        nearer, layer = layer, []
        for name in nearer:
            outcomes[name] = {}
            for action in Action:
                following, _ = transition(arena, states[name], action)
                outcome = outcome_of(arena, following)
                outcomes[name][action] = outcome
                if outcome not in (WON, DEAD, LATE) and outcome not in states:
                    states[outcome] = following
                    layer.append(outcome)
            if len(states) > max_states:
                return None
        if any(is_enough(outcomes[name]) for name in nearer):
            break
    outcomes.update({name: {} for name in layer})
    distance = distances(outcomes)
    return Explored(start, states, outcomes, distance, optimal_actions(outcomes, distance))


def name_of(world: World, state: State) -> Name:
    """What can come of a state depends on nothing else; what is shown of it depends on what has been discovered."""
    steps = state.steps if world.goal_type.timed else None
    discovered = state.discovered if world.hidden else None
    return (state.cell, state.heading, state.carried, state.values, state.places, state.memory, discovered, steps)


def outcome_of(world: World, state: State) -> Name:
    """The name of a state, or how the episode has ended."""
    if state.status == Status.SUCCEEDED:
        return WON
    if state.status == Status.DIED:
        return DEAD
    return LATE if state.steps >= world.max_steps else name_of(world, state)


def distances(outcomes: dict[Name, dict[Action, Name]]) -> dict[Name, int | None]:
    """Worked out backwards: first the states one action away from success, then those one action away from these."""
    before: dict[Name, list[Name]] = {}
    for name, following in outcomes.items():
        for outcome in following.values():
            before.setdefault(outcome, []).append(name)
    found: dict[Name, int | None] = dict.fromkeys(outcomes)
    layer: list[Name] = [WON]
    steps = 0
    while layer:
        steps += 1
        nearer, layer = layer, []
        for outcome in nearer:
            for name in before.get(outcome, []):
                if found[name] is None:
                    found[name] = steps
                    layer.append(name)
    return found


def optimal_actions(
    outcomes: dict[Name, dict[Action, Name]], distance: dict[Name, int | None]
) -> dict[Name, frozenset[Action]]:
    """The actions that lead one step closer to success."""
    remaining = {**distance, WON: 0, DEAD: None, LATE: None}
    best = {}
    for name, following in outcomes.items():
        nearest = distance[name]
        closer = None if nearest is None else nearest - 1
        actions = [
            action for action, outcome in following.items() if closer is not None and remaining[outcome] == closer
        ]
        best[name] = frozenset(actions)
    return best
