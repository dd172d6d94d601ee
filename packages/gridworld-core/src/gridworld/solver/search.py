"""The search for the fewest actions that win a task.

Every plan is made of kernel transitions, so that it can be played. Where things can be dropped, the smaller space of
`gridworld.solver.relaxation` is searched first; where there is nothing but things to push, the search is guided by what
each of them, or each two of them, need (`gridworld.solver.pushing`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property

import attrs

from gridworld.actions import Action
from gridworld.solver.dropped_things import forgettable_things
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import Exploration, Heuristic, Limits, TooManyStates, no_heuristic
from gridworld.solver.last_step import plan_to_the_last_step
from gridworld.solver.pushing import PairDistances, PushingDistances, is_all_pushing, pairs_help
from gridworld.solver.relaxation import RelaxedDistances, RelaxedSpace
from gridworld.solver.remembering import RememberingExpansion
from gridworld.solver.shortest_plans import ShortestPlans
from gridworld.solver.solution import DEFAULT_MAX_STATES, Solution, Verdict
from gridworld.solver.spaces import (
    UNLIMITED,
    BudgetedSpace,
    DiscoveringSpace,
    OfThings,
    OfTouching,
    Property,
    StateSpace,
    TimedSpace,
    UntilSpace,
    Watch,
    WatchedSpace,
    require_compiled,
    timeless,
)
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = [
    "TaskSearches",
    "Watch",
    "is_untouched",
    "only_after",
    "replay",
    "searchable",
    "solve",
    "without",
]


FEW = 500_000
"""When a search has met so many states, it is worth while to find out what pairs of things to push need."""
MANY = 6
"""Of more things that can be forgotten, too many combinations would have to be looked up to guide a search."""


def solve(
    world: World,
    max_states: int = DEFAULT_MAX_STATES,
    start: State | None = None,
    until: Property | None = None,
    watch: Watch | None = None,
    max_length: int = UNLIMITED,
) -> Solution:
    """Find a shortest plan from `start` (by default the start of the task).

    The step budget is no limit to the search, except for goals that depend on it (`GoalType.timed`): compare
    `Solution.length` with ``world.max_steps`` to know whether the budget suffices.

    Args:
        world: the compiled task.
        max_states: give up after meeting this many states; at least 1.
        start: the state to begin with.
        until: look for a running state with this property instead of for success.
        watch: forbids steps, depending on what has been before.
        max_length: give up on plans of more actions than this.

    Returns:
        ``UNSOLVABLE`` only when every reachable state has been looked at.

    Raises:
        ArgumentError: the world is no compiled task.
    """
    require_compiled(world)
    first = world.start if start is None else start
    search = _Search(world, first, watch, max_length, Limits(max_states))
    if until is not None:
        return search.through(UntilSpace(_space_for(world, until), until)).solution
    return search.success().solution


def _space(world: World) -> StateSpace:
    return TimedSpace(world) if world.goal_type.timed else StateSpace(world)


def _space_for(world: World, until: Property) -> StateSpace:
    """A space that tells states apart by what a property may depend on."""
    discovering = world.hidden and not world.goal_type.timed and not isinstance(until, OfThings)
    return DiscoveringSpace(world) if discovering else _space(world)


class TaskSearches:
    """Searches for the shortest plans of one task, which share what they find out.

    Args:
        world: the compiled task.
        max_states: each search gives up after meeting this many states; at least 1.
    """

    def __init__(self, world: World, max_states: int = DEFAULT_MAX_STATES) -> None:
        require_compiled(world)
        self.world = world
        self.max_states = max_states
        self._expansions: dict[type[StateSpace], Expansion] = {}

    def from_state(self, state: State) -> Solution:
        """What `solve` finds from another state of the task."""
        return self._search_from(state).success().solution

    @property
    def solution(self) -> Solution:
        """What `solve` finds from the start of the task."""
        return self._found.solution

    def as_short(self, watch: OfTouching) -> Solution:
        """A plan that a watch allows, and that is as short as a shortest one.

        Returns:
            Without a plan, its `depth` is greater than the length of a shortest plan if there is certainly none.
        """
        length = self.solution.length
        if length is not None and self._shortest_plans is not None:
            plan = self._shortest_plans.under(watch)
            if plan is None:
                return attrs.evolve(self.solution, verdict=Verdict.GAVE_UP, plan=None, depth=length + 1)
            if _wins(self.world, self.world.start, plan, watch):
                return attrs.evolve(self.solution, plan=plan)
        return solve(self.world, self.max_states, watch=watch, max_length=UNLIMITED if length is None else length)

    def expansion_of(self, space: StateSpace) -> Expansion:
        """That of a space that has been searched; otherwise a new one, which nobody else will use."""
        return self._expansions[type(space)] if type(space) in self._expansions else Expansion(space)

    @cached_property
    def _found(self) -> _Found:
        return self._search_from(self.world.start).success()

    def _search_from(self, state: State) -> _Search:
        return _Search(self.world, state, None, UNLIMITED, Limits(self.max_states), self._expansion)

    def _expansion(self, space: StateSpace) -> Expansion:
        """The expansion of a space of the task, of which there is one of each class."""
        if type(space) not in self._expansions:
            self._expansions[type(space)] = RememberingExpansion(space)
        return self._expansions[type(space)]

    @cached_property
    def _shortest_plans(self) -> ShortestPlans | None:
        """Those of the space where a plan was found; None if it was found in another way, or they are too many."""
        exploration, length = self._found.exploration, self.solution.length
        if exploration is None or length is None:
            return None
        try:
            return ShortestPlans(exploration, length)
        except TooManyStates:
            return None


@attrs.frozen
class _Found:
    """What has come of a search, and the exploration that has found it, if that was one."""

    solution: Solution
    exploration: Exploration | None = None


@attrs.frozen
class _Search:
    """What is looked for."""

    world: World
    first: State
    watch: Watch | None
    max_length: int
    limits: Limits
    expand: Callable[[StateSpace], Expansion] = Expansion
    """Gives the expansion of a space where no watch is kept: a new one, or one that other searches use, too."""

    def success(self) -> _Found:
        """Look for success in the way that suits the task."""
        if self.world.goal_type.only_at_last_step:
            return _Found(self._to_the_last_step())
        regards_places = self.watch is not None and not isinstance(self.watch, OfTouching)
        things = () if regards_places else forgettable_things(self.world)
        if things:
            return self._forgetting(things)
        return self._pushing() if is_all_pushing(self.world) else self.through(_space(self.world))

    def through(self, space: StateSpace, guide: Callable[[Expansion], Heuristic] | None = None) -> _Found:
        """Search a space, guided if there is a guide for what has been numbered by its expansion."""
        return self._explore(self._expansion(space), guide)

    def _expansion(self, space: StateSpace) -> Expansion:
        return self.expand(space) if self.watch is None else Expansion(WatchedSpace(space, self.watch))

    def _explore(self, expansion: Expansion, guide: Callable[[Expansion], Heuristic] | None = None) -> _Found:
        if expansion.space.arena.is_over(self.first):
            return _Found(Solution(Verdict.UNSOLVABLE, None, 1, UNLIMITED))
        try:
            heuristic = no_heuristic if guide is None else guide(expansion)
            exploration = Exploration(expansion, self.first, self.limits, heuristic)
        except TooManyStates:
            return _Found(Solution(Verdict.GAVE_UP, None, self.limits.states, 0))
        return _Found(self._solution(exploration), exploration)

    def _forgetting(self, things: tuple[int, ...]) -> _Found:
        """Search the relaxed space, and the world itself only if what is found there does not win here."""
        relaxed = RelaxedSpace(self.world, things)
        expansion = self._expansion(relaxed)
        found = self._explore(expansion)
        plan = found.solution.plan
        if plan is None or _wins(self.world, self.first, plan, self.watch):
            return found
        if len(things) > MANY:
            return self.through(StateSpace(self.world))
        unwatched = expansion if self.watch is None else Expansion(relaxed)
        return self.through(StateSpace(self.world), lambda exact: self._relaxed_distances(relaxed, unwatched, exact))

    def _pushing(self) -> _Found:
        """Search the world, guided by what each of the things to push needs; if that takes long, by what two need."""
        expansion = self._expansion(StateSpace(self.world))
        if self.limits.states <= FEW or not pairs_help(self.world, self.limits):
            return self._explore(expansion, self._guided_by(PushingDistances))
        brief = attrs.evolve(self, limits=attrs.evolve(self.limits, states=FEW))
        found = brief._explore(expansion, brief._guided_by(PushingDistances))
        if found.solution.states_seen < FEW:
            return found
        return self._explore(expansion, self._guided_by(PairDistances))

    def _guided_by(self, distances: type[PushingDistances]) -> Callable[[Expansion], Heuristic]:
        return lambda expansion: distances(self.world, expansion, self.first, self.limits)

    def _to_the_last_step(self) -> Solution:
        """Find a plan that lasts as long as the budget."""
        left = self.world.max_steps - self.first.steps
        if left > self.max_length:
            return Solution(Verdict.GAVE_UP, None, 1, left)
        space = BudgetedSpace(self.world)
        watched = space if self.watch is None else WatchedSpace(space, self.watch)
        plan, seen, complete = plan_to_the_last_step(watched, self.first, self.limits.states)
        if plan is not None:
            return Solution(Verdict.SOLVED, plan, seen, len(plan))
        return Solution(Verdict.UNSOLVABLE if complete else Verdict.GAVE_UP, None, seen, UNLIMITED if complete else 0)

    def _relaxed_distances(self, space: RelaxedSpace, relaxed: Expansion, exact: Expansion) -> Heuristic:
        try:
            return RelaxedDistances(space, relaxed, exact, self.first, self.limits)
        except TooManyStates:
            return no_heuristic

    def _solution(self, exploration: Exploration) -> Solution:
        try:
            found = exploration.search(self.max_length)
        except TooManyStates:
            return Solution(Verdict.GAVE_UP, None, exploration.states, exploration.bound)
        if found is not None:
            plan = (*exploration.plan_to(found.number), found.action)
            return Solution(Verdict.SOLVED, plan, exploration.states, len(plan))
        if exploration.ended:
            return Solution(Verdict.UNSOLVABLE, None, exploration.states, UNLIMITED)
        return Solution(Verdict.GAVE_UP, None, exploration.states, exploration.bound)


def _wins(world: World, first: State, plan: Iterable[Action], watch: Watch | None) -> bool:
    """Whether a plan of the relaxed space wins in the world itself, by steps that are not forbidden."""
    states = _play(searchable(world)[0], first, plan)
    return states[-1].status == Status.SUCCEEDED and (watch is None or _allows(watch, states[1:]))


def searchable(world: World) -> tuple[World, Callable[[State], Hashable]]:
    """The world to search in, without a step budget unless the goal depends on it, and what tells its states apart."""
    if world.goal_type.timed:
        return world, lambda state: state
    return timeless(world), lambda state: state.key


def _play(arena: World, first: State, plan: Iterable[Action]) -> list[State]:
    states = [first]
    for action in plan:
        if arena.is_over(states[-1]):
            break
        states.append(transition(arena, states[-1], action)[0])
    return states


def _allows(watch: Watch, states: Iterable[State]) -> bool:
    memory: Hashable = 0
    for state in states:
        remembered = watch(state, memory)
        if remembered is None:
            return False
        memory = remembered
    return True


def without(world: World, entity: int) -> OfTouching:
    """Forbids every step that changes an entity's value or place from what it is at the start of the task."""
    return OfTouching(lambda state, memory: 0 if is_untouched(world, entity, state) else None)


def only_after(world: World, first: int, then: int) -> OfTouching:
    """Lets `then` be changed, and success come, only after `first` has been changed."""

    def watch(state: State, memory: Hashable) -> Hashable:
        if memory:
            return 1
        if not is_untouched(world, then, state) or state.status == Status.SUCCEEDED:
            return None
        return 0 if is_untouched(world, first, state) else 1

    return OfTouching(watch)


def is_untouched(world: World, entity: int, state: State) -> bool:
    """Whether an entity has the value and place that it has at the start of the task."""
    start, places = world.start, slice(entity, entity + 1)
    return state.values[entity] == start.values[entity] and state.places[places] == start.places[places]


def replay(world: World, plan: Iterable[Action]) -> list[State]:
    """The states that a plan leads through, the start first; played without a step budget unless the goal has one."""
    arena, _ = searchable(world)
    return _play(arena, arena.start, plan)
