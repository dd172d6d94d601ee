"""Search for a shortest plan: chooses the space and the heuristic.

Every plan consists of kernel transitions, so it can be played. If entities can be dropped, the relaxed space of
`gridworld.solver.relaxation` is searched first; push puzzles are searched with pattern databases
(`gridworld.solver.pattern_databases`); all other tasks are searched breadth-first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property

import attrs

from gridworld.actions import Action
from gridworld.solver.expansion import CachingExpansion, Expansion
from gridworld.solver.exploration import Exploration, Heuristic, SearchLimits, TooManyStates, no_heuristic
from gridworld.solver.last_step import plan_to_the_last_step
from gridworld.solver.necessity import NecessityResult, ShortestPlans, without
from gridworld.solver.pattern_databases import (
    PairDistanceHeuristic,
    SingleDistanceHeuristic,
    is_push_puzzle,
    pairs_help,
)
from gridworld.solver.plans import DEFAULT_MAX_STATES, Solution, Verdict
from gridworld.solver.relaxation import RelaxedDistanceHeuristic, RelaxedSpace, forgettable_entities
from gridworld.solver.spaces import (
    UNLIMITED,
    BudgetedSpace,
    ConstrainedSpace,
    DiscoveringSpace,
    EntityPredicate,
    PathConstraint,
    Property,
    StateSpace,
    TimedSpace,
    TouchPredicate,
    UntilSpace,
    require_compiled,
    unbudgeted,
)
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

STATES_BEFORE_PAIRS = 500_000
"""Number of states after which the search of a push puzzle builds pair databases."""
MOST_FORGOTTEN = 6
"""Maximum number of forgettable entities for which relaxed distances guide the search of the world."""


def solve(
    world: World,
    max_states: int = DEFAULT_MAX_STATES,
    start: State | None = None,
    until: Property | None = None,
    constraint: PathConstraint | None = None,
    max_length: int = UNLIMITED,
) -> Solution:
    """Find a shortest plan from `start` (by default the start of the task).

    The search ignores the step budget, except for goals that depend on it (`GoalType.timed`): compare `Solution.length`
    with ``world.max_steps`` to see whether the budget suffices.

    Args:
        world: the compiled task.
        max_states: maximum number of states to visit, at least 1.
        start: the start state.
        until: search for a running state with this property instead of success.
        constraint: forbids steps, depending on the steps before.
        max_length: maximum number of actions of a plan.

    Returns:
        The solution; ``UNSOLVABLE`` only if every reachable state has been expanded.

    Raises:
        ArgumentError: the world is not a compiled task.
    """
    require_compiled(world)
    first = world.start if start is None else start
    search = _Search(world, first, constraint, max_length, SearchLimits(max_states))
    if until is not None:
        discovering = world.hidden and not world.goal_type.timed and not isinstance(until, EntityPredicate)
        space = DiscoveringSpace(world) if discovering else _space(world)
        return search.through(UntilSpace(space, until)).solution
    return search.success().solution


def _space(world: World) -> StateSpace:
    return TimedSpace(world) if world.goal_type.timed else StateSpace(world)


class TaskSearches:
    """Searches for shortest plans of one task, with shared expansions.

    Args:
        world: the compiled task.
        max_states: limit on the states of each search, at least 1.
    """

    def __init__(self, world: World, max_states: int = DEFAULT_MAX_STATES) -> None:
        require_compiled(world)
        self.world = world
        self.max_states = max_states
        self._expansions: dict[type[StateSpace], Expansion] = {}

    def from_state(self, state: State) -> Solution:
        """Return the result of `solve` from another start state."""
        return self._search_from(state).success().solution

    @property
    def solution(self) -> Solution:
        """Result of `solve` from the start of the task."""
        return self._found.solution

    def as_short(self, constraint: TouchPredicate) -> Solution:
        """Search for a shortest plan that satisfies a constraint.

        Returns:
            The solution. Without a plan, its `depth` exceeds the length of a shortest plan if no such plan exists for
            certain.
        """
        length = self.solution.length
        if length is not None and self._shortest_plans is not None:
            plan = self._shortest_plans.under(constraint)
            if plan is None:
                return attrs.evolve(self.solution, verdict=Verdict.GAVE_UP, plan=None, depth=length + 1)
            if _wins(self.world, self.world.start, plan, constraint):
                return attrs.evolve(self.solution, plan=plan)
        max_length = UNLIMITED if length is None else length
        return solve(self.world, self.max_states, constraint=constraint, max_length=max_length)

    def necessity_of(self, entity: int) -> NecessityResult:
        """Search for a shortest plan that leaves an entity's value and position unchanged in a winnable task.

        Args:
            entity: the index of the entity.
        """
        found, optimum = self.as_short(without(self.world, entity)), self.solution.length
        return NecessityResult(found.length, found.length is not None or optimum is None or found.depth > optimum)

    def expansion_of(self, space: StateSpace) -> Expansion:
        """Return the shared expansion of a space that has been searched; otherwise a new, unshared one."""
        return self._expansions[type(space)] if type(space) in self._expansions else Expansion(space)

    @cached_property
    def _found(self) -> _Found:
        return self._search_from(self.world.start).success()

    def _search_from(self, state: State) -> _Search:
        return _Search(self.world, state, None, UNLIMITED, SearchLimits(self.max_states), self._expansion)

    def _expansion(self, space: StateSpace) -> Expansion:
        """Return the shared expansion of a space of the task, one for each class of space."""
        if type(space) not in self._expansions:
            self._expansions[type(space)] = CachingExpansion(space)
        return self._expansions[type(space)]

    @cached_property
    def _shortest_plans(self) -> ShortestPlans | None:
        """The shortest plans in the searched space; None if no exploration found one, or if there are too many."""
        exploration, length = self._found.exploration, self.solution.length
        if exploration is None or length is None:
            return None
        try:
            return ShortestPlans(exploration, length)
        except TooManyStates:
            return None


@attrs.frozen
class _Found:
    """A solution, and the exploration that found it, if any."""

    solution: Solution
    exploration: Exploration | None = None


@attrs.frozen
class _Search:
    """One configured search."""

    world: World
    first: State
    constraint: PathConstraint | None
    max_length: int
    limits: SearchLimits
    expand: Callable[[StateSpace], Expansion] = Expansion
    """Makes or reuses the expansion of an unconstrained space."""

    def success(self) -> _Found:
        """Search for success with the method that suits the task."""
        if self.world.goal_type.only_at_last_step:
            return _Found(self._to_the_last_step())
        depends_on_places = self.constraint is not None and not isinstance(self.constraint, TouchPredicate)
        forgettable = () if depends_on_places else forgettable_entities(self.world)
        if forgettable:
            return self._relaxed(forgettable)
        return self._push_puzzle() if is_push_puzzle(self.world) else self.through(_space(self.world))

    def through(self, space: StateSpace, guide: Callable[[Expansion], Heuristic] | None = None) -> _Found:
        """Search a space, using the heuristic that `guide` makes for its expansion, if any."""
        return self._explore(self._expansion(space), guide)

    def _expansion(self, space: StateSpace) -> Expansion:
        return self.expand(space) if self.constraint is None else Expansion(ConstrainedSpace(space, self.constraint))

    def _explore(self, expansion: Expansion, guide: Callable[[Expansion], Heuristic] | None = None) -> _Found:
        if expansion.space.world.is_over(self.first):
            return _Found(Solution(Verdict.UNSOLVABLE, None, 1, UNLIMITED))
        try:
            heuristic = no_heuristic if guide is None else guide(expansion)
            exploration = Exploration(expansion, self.first, self.limits, heuristic)
        except TooManyStates:
            return _Found(Solution(Verdict.GAVE_UP, None, self.limits.states, 0))
        return _Found(self._solution(exploration), exploration)

    def _relaxed(self, forgettable: tuple[int, ...]) -> _Found:
        """Search the relaxed space, and the world itself only if the relaxed plan does not win there."""
        relaxed = RelaxedSpace(self.world, forgettable)
        expansion = self._expansion(relaxed)
        found = self._explore(expansion)
        plan = found.solution.plan
        if plan is None or _wins(self.world, self.first, plan, self.constraint):
            return found
        if len(forgettable) > MOST_FORGOTTEN:
            return self.through(StateSpace(self.world))
        free = expansion if self.constraint is None else Expansion(relaxed)
        return self.through(StateSpace(self.world), lambda exact: self._relaxed_distances(relaxed, free, exact))

    def _push_puzzle(self) -> _Found:
        """Search with single-entity distances; switch to pair distances if that takes long."""
        expansion = self._expansion(StateSpace(self.world))
        if self.limits.states <= STATES_BEFORE_PAIRS or not pairs_help(self.world, self.limits):
            return self._explore(expansion, self._guided_by(SingleDistanceHeuristic))
        brief = attrs.evolve(self, limits=attrs.evolve(self.limits, states=STATES_BEFORE_PAIRS))
        found = brief._explore(expansion, brief._guided_by(SingleDistanceHeuristic))
        if found.solution.states_seen < STATES_BEFORE_PAIRS:
            return found
        return self._explore(expansion, self._guided_by(PairDistanceHeuristic))

    def _guided_by(self, heuristic: type[SingleDistanceHeuristic]) -> Callable[[Expansion], Heuristic]:
        return lambda expansion: heuristic(self.world, expansion, self.first, self.limits)

    def _to_the_last_step(self) -> Solution:
        """Search for a plan that lasts as long as the budget."""
        left = self.world.max_steps - self.first.steps
        if left > self.max_length:
            return Solution(Verdict.GAVE_UP, None, 1, left)
        space = BudgetedSpace(self.world)
        constrained = space if self.constraint is None else ConstrainedSpace(space, self.constraint)
        plan, seen, complete = plan_to_the_last_step(constrained, self.first, self.limits.states)
        if plan is not None:
            return Solution(Verdict.SOLVED, plan, seen, len(plan))
        return Solution(Verdict.UNSOLVABLE if complete else Verdict.GAVE_UP, None, seen, UNLIMITED if complete else 0)

    def _relaxed_distances(self, space: RelaxedSpace, relaxed: Expansion, exact: Expansion) -> Heuristic:
        try:
            return RelaxedDistanceHeuristic(space, relaxed, exact, self.first, self.limits)
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


def _wins(world: World, first: State, plan: Iterable[Action], constraint: PathConstraint | None) -> bool:
    """Whether a relaxed plan also wins in the world itself, by allowed steps."""
    states = _play(unbudgeted(world), first, plan)
    return states[-1].status == Status.SUCCEEDED and (constraint is None or _allows(constraint, states[1:]))


def _play(world: World, first: State, plan: Iterable[Action]) -> list[State]:
    states = [first]
    for action in plan:
        if world.is_over(states[-1]):
            break
        states.append(transition(world, states[-1], action)[0])
    return states


def _allows(constraint: PathConstraint, states: Iterable[State]) -> bool:
    memory: Hashable = 0
    for state in states:
        remembered = constraint(state, memory)
        if remembered is None:
            return False
        memory = remembered
    return True


def replay(world: World, plan: Iterable[Action]) -> list[State]:
    """Return the states along a plan from the start; without a step budget unless the goal depends on it."""
    return _play(unbudgeted(world), world.start, plan)
