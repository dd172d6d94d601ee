"""Exhaustive search of a world, and claims of certificates held against it; shares no code with `gridworld.solver`."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import attrs

from gridworld.actions import Action
from gridworld.generation.certificate import Certificate
from gridworld.plugins.tilings import compile_on
from gridworld.task.validation import LABEL_DISTRACTOR
from gridworld.task_spec import TaskSpecification
from gridworld.world import State, Status, World
from gridworld.world.rules import transition

Name = Hashable
"""Identity of a state."""

WON = "won"
DEAD = "dead"
LATE = "late"
"""The step budget is used up without success; only where the goal depends on time."""


@attrs.frozen
class Explored:
    """All running states that are reachable from the start of a world."""

    start: Name
    states: dict[Name, State]
    """Each state as first met, nearest to the start first."""
    outcomes: dict[Name, dict[Action, Name]]
    """Successor of each state and action, or `WON`, `DEAD` or `LATE`."""
    distance: dict[Name, int | None]
    """Length of a shortest winning plan from each state; None for a lost state."""
    optimal: dict[Name, frozenset[Action]]
    """First actions of the shortest plans from each state."""

    @property
    def length(self) -> int | None:
        """Length of a shortest plan; None for an unsolvable task."""
        return self.distance[self.start]

    @property
    def lost(self) -> frozenset[Name]:
        """The states that cannot be won."""
        return frozenset(name for name, distance in self.distance.items() if distance is None)


def explore_plainly(world: World, max_states: int) -> Explored | None:
    """Try every action in every reachable state; None if there are more than `max_states`."""
    return _explore(world, max_states, lambda outcomes: False)


def explore_to_success(world: World, max_states: int) -> Explored | None:
    """Try every action in every state that is nearer than success; None as in `explore_plainly`.

    All shortest plans are found; off them, distances may be too great, or missing.
    """
    return _explore(world, max_states, lambda outcomes: WON in outcomes.values())


def _explore(world: World, max_states: int, is_enough: Callable[[Mapping[Action, Name]], bool]) -> Explored | None:
    """Breadth-first search, up to the end of the first layer in which a state's outcomes are enough."""
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
    """The parts of a state that decide all that can follow, and what is shown of it."""
    steps = state.steps if world.goal_type.timed else None
    discovered = state.discovered if world.hidden else None
    return (state.cell, state.heading, state.carried, state.values, state.places, state.memory, discovered, steps)


def outcome_of(world: World, state: State) -> Name:
    """The name of a state, or the end of the episode."""
    if state.status == Status.SUCCEEDED:
        return WON
    if state.status == Status.DIED:
        return DEAD
    return LATE if state.steps >= world.max_steps else name_of(world, state)


def distances(outcomes: dict[Name, dict[Action, Name]]) -> dict[Name, int | None]:
    """Distance of each state to success, computed backwards from it."""
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
    """The actions of each state that lead one step closer to success."""
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


def can_do_without(world: World, plain: Explored, entity: int) -> bool:
    """Whether some shortest plan leaves an entity untouched."""
    return any(name == WON for name, _ in _shortest_plans_leaving(world, plain, entity))


def can_come_first(world: World, plain: Explored, entity: int, other: int) -> bool:
    """Whether some shortest plan touches an entity before another one."""
    return any(not _is_as_at_start(world, state, entity) for _, state in _shortest_plans_leaving(world, plain, other))


def can_lose_by_touching(world: World, plain: Explored, entity: int) -> bool:
    """Whether the first touch of an entity can lose the task."""
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
    """The states on shortest plans that leave an entity untouched, the end included."""
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
    """A state with an unused budget, unless the goal depends on time."""
    return state if world.goal_type.timed else state._replace(steps=0)


def _is_as_at_start(world: World, state: State, entity: int) -> bool:
    start = world.start
    moved = entity < len(start.places) and state.places[entity] != start.places[entity]
    return not moved and state.values[entity] == start.values[entity]


PROVED, UNTOUCHED, TOO_LARGE = "proved", "touches not proved", "too large"
"""Verdicts on a certificate: everything is proved, everything but touches of decoys, or nothing."""


def refuted(tiling: str, task: TaskSpecification, certificate: Certificate, max_states: int) -> tuple[str, list[str]]:
    """The verdict on a certificate's claims about a tiling, and the claims that are wrong."""
    world, said = compile_on(tiling, task), _claims_of(certificate, tiling)
    wrong = [*_wrong_plan(world, said)]
    if said.needs_all_states:
        plain = explore_plainly(world, max_states)
        if plain is not None:
            wrong += [*_wrong_optimum(world, plain, said), *_wrong_touches(world, plain, said)]
            return PROVED, wrong
    plain = explore_to_success(world, max_states)
    if plain is None:
        return TOO_LARGE, wrong
    return UNTOUCHED if said.needs_all_states else PROVED, [*wrong, *_wrong_optimum(world, plain, said)]


@attrs.frozen
class _Claims:
    """Claims of a certificate about one tiling."""

    length: int
    plan: tuple[Action, ...]
    necessary: tuple[str, ...]
    safe: tuple[str, ...]
    lost_share: float | None
    """Share of all states that are lost; None if not counted."""

    @property
    def needs_all_states(self) -> bool:
        """Whether a claim concerns states off the way to success."""
        return bool(self.safe) or self.lost_share is not None


def _claims_of(certificate: Certificate, tiling: str) -> _Claims:
    return _Claims(
        certificate.optimal_length[tiling],
        certificate.plan[tiling],
        certificate.necessary[tiling],
        certificate.safe[tiling],
        certificate.difficulty[tiling].irreversibility,
    )


def _wrong_plan(world: World, said: _Claims) -> Iterator[str]:
    """Check that the plan wins with its last action."""
    state = world.start
    for action in said.plan:
        if state.status != Status.RUNNING:
            yield "the plan goes on after its end"
            return
        state, _ = transition(world, state, action)
    if state.status != Status.SUCCEEDED:
        yield "the plan does not win"
    if len(said.plan) != said.length:
        yield f"the plan has {len(said.plan)} actions, certified as {said.length}"


def _wrong_optimum(world: World, plain: Explored, said: _Claims) -> Iterator[str]:
    """Wrong claims about shortest plans and what they need."""
    if plain.length == said.length:
        yield from _wrong_chain(world, plain, said.necessary)
        yield from _wrong_distractors(world, plain, said.safe)
    else:
        yield f"won by {plain.length} actions, certified as {said.length}"


def _wrong_chain(world: World, plain: Explored, necessary: Sequence[str]) -> Iterator[str]:
    chain = world.task.dependency_chain
    steps = chain.sequence if chain else ()
    opened_by = {step.unlocks: step.element for step in reversed(steps) if step.unlocks in world.by_id}
    if {*necessary} != {*opened_by, *(step.element for step in steps)}:
        yield f"{necessary} are not all of the chain"
    for name in necessary:
        if can_do_without(world, plain, world.by_id[name].index):
            yield f"'{name}' is not necessary"
    for barrier, opener in opened_by.items():
        if can_come_first(world, plain, world.by_id[barrier].index, world.by_id[opener].index):
            yield f"'{barrier}' need not wait for '{opener}'"


def _wrong_distractors(world: World, plain: Explored, safe: Sequence[str]) -> Iterator[str]:
    if {*safe} != {each.element_id for each in world.task.distractors if each.type != LABEL_DISTRACTOR}:
        yield f"{safe} are not all of the distractors"
    for name in safe:
        if not can_do_without(world, plain, world.by_id[name].index):
            yield f"'{name}' is no distractor"


def _wrong_touches(world: World, plain: Explored, said: _Claims) -> Iterator[str]:
    """Wrong claims about ways to lose the task."""
    lost_share = len(plain.lost) / len(plain.states)
    if said.lost_share is not None and not world.goal_type.timed and abs(said.lost_share - lost_share) > 1e-12:
        yield f"of all states {lost_share} are lost, certified as {said.lost_share}"
    for name in said.safe:
        entity = world.by_id[name].index
        touch = quickest_touch(world, plain, entity)
        if said.lost_share is not None and can_lose_by_touching(world, plain, entity):
            yield f"'{name}' is not safe: touching it can lose the task"
        elif touch is not None and plain.distance[touch] is None:
            yield f"'{name}' is not safe: its quickest touch loses the task"
