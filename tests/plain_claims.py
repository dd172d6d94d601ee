"""What tasks say of the things in them, held against all that can happen: it shares no code with the solver."""

from collections.abc import Iterator

from gridworld.world import State, World
from gridworld.world.rules import transition
from plain_search import WON, Explored, Name

__all__ = ["can_come_first", "can_do_without", "can_lose_by_touching", "quickest_touch"]


def can_do_without(world: World, plain: Explored, entity: int) -> bool:
    """Whether some shortest plan leaves an entity as it is at the start."""
    return any(name == WON for name, _ in _shortest_plans_leaving(world, plain, entity))


def can_come_first(world: World, plain: Explored, entity: int, other: int) -> bool:
    """Whether some shortest plan touches an entity while it has left another one as it is at the start."""
    return any(not _is_as_at_start(world, state, entity) for _, state in _shortest_plans_leaving(world, plain, other))


def can_lose_by_touching(world: World, plain: Explored, entity: int) -> bool:
    """Whether the first touch of an entity can turn a state that can be won into one that cannot."""
    for name, state in plain.states.items():
        if plain.distance[name] is not None and _is_as_at_start(world, state, entity):
            for outcome in plain.outcomes[name].values():
                end = plain.states.get(outcome)
                if end is not None and not _is_as_at_start(world, end, entity) and plain.distance[outcome] is None:
                    return True
    return False


def quickest_touch(world: World, plain: Explored, entity: int) -> Name | None:
    """A state after the fewest actions that touch an entity; None if nothing touches it."""
    return next((name for name, state in plain.states.items() if not _is_as_at_start(world, state, entity)), None)


def _shortest_plans_leaving(world: World, plain: Explored, entity: int) -> Iterator[tuple[Name, State]]:
    """Where shortest plans lead as long as they leave an entity as it is at the start, the end included."""
    layer = {plain.start}
    while layer:
        following = set()
        for name in layer:
            yield name, plain.states[name]
            for action in plain.optimal[name]:
                outcome = plain.outcomes[name][action]
                now = plain.states.get(outcome)
                end = transition(world, _in_time(world, plain.states[name]), action)[0] if now is None else now
                if _is_as_at_start(world, end, entity):
                    if now is None:
                        yield WON, end
                    else:
                        following.add(outcome)
        layer = following


def _in_time(world: World, state: State) -> State:
    """A state whose budget is not used up; its time is kept where the goal depends on it."""
    return state if world.goal_type.timed else state._replace(steps=0)


def _is_as_at_start(world: World, state: State, entity: int) -> bool:
    start = world.start
    moved = entity < len(start.places) and state.places[entity] != start.places[entity]
    return not moved and state.values[entity] == start.values[entity]
