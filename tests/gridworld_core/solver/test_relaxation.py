"""The smaller space in which dropped things are forgotten, and the search that its distances guide."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from gridworld.solver import Solution, Verdict, solve
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS, Exploration, SearchLimits, TooManyStates
from gridworld.solver.necessity import only_after, without
from gridworld.solver.relaxation import RelaxedDistanceHeuristic, RelaxedSpace, forgettable_entities
from gridworld.solver.search import replay
from gridworld.solver.spaces import ConstrainedSpace, PathConstraint, StateSpace
from gridworld.solver.state_table import LOST, tabulate
from gridworld.task_spec import TaskSpecification
from gridworld.world import Status, World, compile_world
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology
from support.worlds import block, compiled, corridor, door, draw, key, switch, tasks

MAX_STATES = 6_000

SWAP = draw(
    """
    ########
    #@.k...#
    #.######
    #...d.l#
    ####e###
    #G..f..#
    ########
    """,
    rules={"key_consumption": False},
    k=key("red"),
    d=door("red"),
    l=key("blue"),
    e=door("blue"),
    f=door("red"),
)
"""The red key has to be put down for the blue one and fetched again."""


def exhaustive(world: World, watch: PathConstraint | None = None) -> Solution:
    """A shortest plan from a search that forgets nothing."""
    space = StateSpace(world) if watch is None else ConstrainedSpace(StateSpace(world), watch)
    return searched(Exploration(Expansion(space), world.start, SearchLimits(MAX_STATES * 10)))


def guided(world: World) -> Solution:
    """A shortest plan from a search in the world itself that the distances of the relaxed space guide."""
    expansion = Expansion(StateSpace(world))
    try:
        heuristic = distances_in(world, expansion)
    except TooManyStates:
        return Solution(Verdict.GAVE_UP, None, MAX_STATES, 0)
    return searched(Exploration(expansion, world.start, SearchLimits(MAX_STATES), heuristic))


def distances_in(world: World, expansion: Expansion) -> RelaxedDistanceHeuristic:
    relaxed = RelaxedSpace(world, forgettable_entities(world))
    return RelaxedDistanceHeuristic(relaxed, Expansion(relaxed), expansion, world.start, SearchLimits(MAX_STATES))


def searched(exploration: Exploration) -> Solution:
    try:
        found = exploration.search(10**6)
    except TooManyStates:
        return Solution(Verdict.GAVE_UP, None, exploration.states, exploration.bound)
    if found is None:
        return Solution(Verdict.UNSOLVABLE, None, exploration.states, 0)
    plan = (*exploration.plan_to(found.number), found.action)
    return Solution(Verdict.SOLVED, plan, exploration.states, len(plan))


def wins(world: World, solution: Solution) -> bool:
    assert solution.plan is not None
    states = replay(world, solution.plan)
    return len(states) == len(solution.plan) + 1 and states[-1].status == Status.SUCCEEDED


@pytest.mark.parametrize("search", [solve, guided])
def test_plans_are_as_short_as_without_relaxation(search: Callable[[World], Solution]) -> None:
    solved = 0

    @bounded(30)
    @given(tasks(max_side=6, goal_types=("reach_position", "collect_all", "push_block_to")))
    def compare(task: TaskSpecification) -> None:
        nonlocal solved
        world = compiled(task)
        expected = exhaustive(world)
        found = search(world)
        if Verdict.GAVE_UP in (expected.verdict, found.verdict):
            return
        assert (found.verdict, found.length) == (expected.verdict, expected.length)
        if found.plan:
            assert wins(world, found)
            solved += bool(forgettable_entities(world))

    compare()
    assert solved >= 4


def test_plans_under_a_constraint() -> None:
    compared = 0

    @bounded(15)
    @given(tasks(max_side=5, goal_types=("reach_position", "collect_all")))
    def compare(task: TaskSpecification) -> None:
        nonlocal compared
        world = compiled(task)
        if not forgettable_entities(world):
            return
        pairs = [(first, then) for first in range(3) for then in range(3) if first != then]
        indices = range(min(3, len(world.entities)))
        restrictions = [without(world, index) for index in indices]
        restrictions += [only_after(world, *pair) for pair in pairs if max(pair) in indices]
        for watch in restrictions:
            expected, found = exhaustive(world, watch), solve(world, MAX_STATES, constraint=watch)
            if Verdict.GAVE_UP not in (expected.verdict, found.verdict):
                assert (found.verdict, found.length) == (expected.verdict, expected.length)
                compared += found.verdict is Verdict.SOLVED

    compare()
    assert compared >= 5


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name == "3464" else ()) for name in TILINGS]
)
def test_a_key_that_is_needed_again(name: str) -> None:
    world = compile_world(SWAP, make_topology(name, SWAP.maze.dimensions))
    assert wins(world, solve(world))


@pytest.mark.parametrize(
    ("task", "things"),
    [
        (corridor("@kdG", k=key("red"), d=door("red")), 1),
        (corridor("@bsG", b=block(), s=switch()), 0),
        (corridor("@k.G", k=key("red"), goal={"type": "survive_steps"}), 0),
    ],
    ids=["a key", "a block, which is not picked up", "a goal that depends on time"],
)
def test_forgettable_entities(task: TaskSpecification, things: int) -> None:
    assert len(forgettable_entities(compiled(task))) == things


@pytest.mark.parametrize("task", [SWAP, corridor("@.k.d..G", k=key("red"), d=door("red"))], ids=["swap", "corridor"])
def test_relaxed_distances_are_admissible(task: TaskSpecification) -> None:
    world = compiled(task)
    table, expansion = tabulate(world), Expansion(StateSpace(world))
    heuristic = distances_in(world, expansion)
    indices = np.array([expansion.index(table.state(number), 0) for number in range(len(table))])
    expected = heuristic(indices)
    assert (expected <= np.where(table.distance == LOST, HOPELESS, table.distance)).all()
    assert (expected >= 1).all()
    assert (expected[table.distance != LOST] == table.distance[table.distance != LOST]).mean() > 0.3


def test_a_key_put_back_where_it_lay() -> None:
    """The key can be taken and dropped on its own place, from where the relaxed space has it nowhere in particular."""
    world = compiled(corridor("@kl.deG", k=key("red"), l=key("blue"), d=door("red"), e=door("blue")))
    assert solve(world).length == exhaustive(world).length
