"""Regret, losses and points of no return, held against the tables of states."""

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

import attrs
import numpy as np
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.errors import InvalidTaskError
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver import NotTabulatedError, StateTable, tabulate
from gridworld.solver.exploration import SearchLimits
from gridworld.solver.plans import winning_plan
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from multinet_eval.analysis.metrics.builtin.outcomes import (
    ended,
    loss,
    progress_best,
    regret_total,
    structural_no_return,
)
from multinet_eval.analysis.metrics.known_tasks import KnownTask
from support.scores import analysed
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS
from support.worlds import tasks

BUNDLED = [
    task for suite in ("validation_10", "tiers") for task in load_benchmark(get_registry().benchmarks.get(suite))
]
SMALL = [task for task in BUNDLED if task.task_id.startswith(("v01", "v04", "v05", "t1_"))]
MOST_STATES = 5_000
"""Of random tasks."""


def best_from(table: StateTable, number: int) -> list[Action]:
    """A shortest plan from a winnable state."""
    plan = []
    while number >= 0:
        action = int(table.optimal[number].argmax())
        plan.append(Action(action))
        number = int(table.successor[number, action])
    return plan


def check_that_plans_cost_nothing(task: TaskSpecification, tiling: str) -> None:
    world = compile_on(tiling, task)
    known = KnownTask(world)
    if known.table is None or known.table.lost[0]:
        # Of too many states, or one that cannot be won: nothing is known, which is null and not 0.
        assert analysed(world, ()).regrets is None
        return
    episode = analysed(world, winning_plan(world, 1_000_000) or ())
    assert episode.regrets == (0.0,) * len(episode.steps)
    assert (regret_total(episode), loss(episode), progress_best(episode)) == (0, 0, 1)
    assert structural_no_return(episode) is None


@in_turn("task, tiling", SMALL, TILINGS, ids=lambda each: each if isinstance(each, str) else each.task_id)
def test_a_shortest_plan_has_no_regret_anywhere(task: TaskSpecification, tiling: str) -> None:
    check_that_plans_cost_nothing(task, tiling)


@st.composite
def winnable(choose: st.DrawFn) -> StateTable:
    """The table of a random task on a random tiling that can be won, with a budget that suffices."""
    task = choose(tasks(6, ("reach_position", "collect_all", "push_block_to")))
    try:
        world = compile_on(choose(st.sampled_from(TILINGS)), attrs.evolve(task, max_steps=1000))
        table = tabulate(world, SearchLimits(states=MOST_STATES))
    except (InvalidTaskError, NotTabulatedError):
        reject()
    assume(not table.lost[0])
    return table


def after(table: StateTable, actions: Iterable[Action]) -> int:
    """The state to which some actions lead that do not end the episode."""
    number = 0
    for action in actions:
        number = int(table.successor[number, action])
    return number


def walk_of(table: StateTable, choices: list[int]) -> Iterator[Action]:
    """Actions that neither win nor lose the task, one for each choice where there is one."""
    number = 0
    for choice in choices:
        following = table.successor[number]
        safe = np.flatnonzero((following >= 0) & ~table.lost[np.maximum(following, 0)])
        if not len(safe):
            return
        yield (action := Action(int(safe[choice % len(safe)])))
        number = int(following[action])


@bounded(8)
@given(winnable(), st.data())
def test_a_detour_of_so_many_actions_costs_exactly_so_many(table: StateTable, data: st.DataObject) -> None:
    """Wherever it is planted in a shortest plan: turns there and back lead to where they began."""
    world, plan = table.world, best_from(table, 0)
    place, turns = data.draw(st.integers(0, len(plan) - 1)), data.draw(st.integers(1, 4))
    detour = [Action.TURN_LEFT, Action.TURN_RIGHT] * turns
    assume(after(table, plan[:place]) == after(table, [*plan[:place], *detour]))  # a teleporter may cool down meanwhile
    episode = analysed(world, [*plan[:place], *detour, *plan[place:]])
    assert (regret_total(episode), episode.end.reason) == (2 * turns, "goal")
    assert loss(episode) == 0


@given(winnable(), st.lists(st.integers(0, 6), max_size=40), st.integers(0, 5))
def test_the_regret_of_a_success_is_what_it_is_longer_than_a_shortest_plan(
    table: StateTable, choices: list[int], lost: int
) -> None:
    walk = list(walk_of(table, choices))
    actions = [*walk, *best_from(table, after(table, walk))]
    episode = analysed(table.world, [*actions[:1], *[None] * lost, *actions[1:]])
    assert episode.end.reason == "goal"
    assert regret_total(episode) == len(actions) - table.distance[0]
    assert len(episode.regrets or ()) == len(episode.taken)
    assert all(regret is not None and regret >= 0 for regret in episode.regrets or ())
    assert structural_no_return(episode) is None


@given(winnable(), st.lists(st.sampled_from(Action), max_size=60), st.integers(1, 60))
def test_points_of_no_return_are_those_of_their_definitions(
    table: StateTable, actions: list[Action], budget: int
) -> None:
    """By the table alone: d at each state of the episode, and what is left of the budget."""
    task = attrs.evolve(table.world.task, max_steps=budget)
    world = compile_on(table.world.topology.name, task)
    episode = analysed(world, actions)
    distances = []
    for state in episode.states or ():
        ended_with = {1: 0.0, 2: math.inf}
        number = None if state.status else table.number(state)
        lost = number is not None and bool(table.lost[number])
        if number is None:
            distances.append(ended_with[state.status])
        else:
            distances.append(math.inf if lost else float(table.distance[number]))
    structural = [number for number, distance in enumerate(distances) if distance == math.inf]
    assert structural_no_return(episode) == (structural[0] if structural else None)
    if episode.end.reason == "goal":
        assert not structural
    if episode.end.reason == "budget":
        assert (ended(episode) == "lost") == bool(structural)
    expected = [1 + there - here if there < math.inf else None for here, there in pairwise(distances)]
    assert list(episode.regrets or ()) == expected
