"""Where the solver and a plain search that shares no code with it disagree about a world."""

import random
from collections.abc import Iterator, Mapping

from gridworld.actions import Action
from gridworld.solver import solve, state_table
from gridworld.solver.search import TaskSearches
from gridworld.solver.state_table import NotTabulatedError, StateTable, tabulate
from gridworld.world import World
from plain_claims import can_do_without
from plain_search import DEAD, WON, Explored, Name, explore_plainly, name_of

__all__ = ["find_differences"]

FURTHER_STARTS = 3
"""From how many states of each task, besides its start, a plan is looked for."""


def find_differences(world: World, max_states: int) -> list[str] | None:
    """Where the solver and the plain search disagree; None where the world has too many states."""
    plain = explore_plainly(world, max_states)
    if plain is None:
        return None
    starts = random.Random(len(plain.states)).choices(sorted(plain.states, key=repr), k=FURTHER_STARTS)
    plans = (difference for name in [plain.start, *starts] for difference in _differences_in_plan(world, plain, name))
    return [*plans, *_differences_in_necessity(world, plain), *_differences_in_table(world, plain)]


def _differences_in_plan(world: World, plain: Explored, name: Name) -> Iterator[str]:
    """Of a shortest plan from a state: its length, and each of its actions."""
    state, expected = plain.states[name], plain.distance[name]
    solution = solve(world, start=state)
    if (solution.length, solution.verdict.value) != (expected, "unsolvable" if expected is None else "solved"):
        yield f"from {state}: {solution} instead of a plan of length {expected}"
    for action in solution.plan or ():
        if action not in plain.optimal.get(name, ()):
            yield f"from {state}: {solution.plan} goes wrong with {action!r} in {name}"
            break
        name = plain.outcomes[name][action]


def _differences_in_necessity(world: World, plain: Explored) -> Iterator[str]:
    """Of what every shortest plan has to touch."""
    if plain.length is None:
        return
    searches = TaskSearches(world)
    for entity in world.entities:
        expected = plain.length if can_do_without(world, plain, entity.index) else None
        found = searches.necessity_of(entity.index)
        if (found.length, found.decided) != (expected, True):
            yield f"without {entity.id}: {found} instead of {expected}"


def _differences_in_table(world: World, plain: Explored) -> Iterator[str]:
    """Of all states that can be reached: what each action leads to, distances, and optimal actions."""
    try:
        table = tabulate(world)
    except NotTabulatedError as error:
        if not world.goal_type.timed or world.goal_type.only_at_last_step:
            yield f"there is no table: {error}"
        return
    names = [
        name_of(world, table.state(number)._replace(steps=int(table.depth[number]))) for number in range(len(table))
    ]
    numbers = {name: number for number, name in enumerate(names)}
    if not world.goal_type.timed:
        if set(names) != set(plain.states) or len(names) != len(plain.states):
            yield f"the table has other states: {set(names) ^ set(plain.states)}"
            return
        yield from _differences_in_outcomes(table, plain, numbers)
    for name in plain.states.keys() & numbers:  # of a goal at the last step, when each is reached as soon as possible
        number = numbers[name]
        distance = None if table.lost[number] else int(table.distance[number])
        optimal = {action for action in Action if table.optimal[number, action]}
        if (distance, optimal) != (plain.distance[name], plain.optimal[name]):
            expected = plain.distance[name], sorted(plain.optimal[name])
            yield f"in {name}: distance {distance}, optimal {sorted(optimal)} instead of {expected}"


def _differences_in_outcomes(table: StateTable, plain: Explored, numbers: Mapping[Name, int]) -> Iterator[str]:
    numbers = {**numbers, WON: state_table.WON, DEAD: state_table.DEAD}
    for name, outcomes in plain.outcomes.items():
        expected = [numbers[outcomes[action]] for action in Action]
        found = table.successor[numbers[name]].tolist()
        if found != expected:
            yield f"in {name} the actions lead to {found} instead of {expected}"
