"""Ablation of the solver: the same answers with one shortcut at a time switched off.

A shortcut is switched off from outside, by replacing the function that decides on it; a row says so if that was never
called. Each figure is the processor time of all answers of a section. Its note names the answer on which the shortcut
brings most. An answer that takes too long without a shortcut is broken off, and its time is a lower bound. The bundled
tasks take about twenty minutes.
"""

import signal
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import attrs

from block_puzzles import block_puzzles, three_blocks_room
from figures import Effort, Figure, Measure
from gridworld.actions import Action
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.solver import (
    NotTabulatedError,
    SearchLimits,
    expansion,
    exploration,
    last_step,
    local_transitions,
    search,
    solve,
    tabulate,
)
from gridworld.solver.search import TaskSearches
from gridworld.suites import find_tasks, read_suite
from gridworld.task_spec import TaskSpecification
from gridworld.world import State, World, compile_world
from mazes import empty_maze, keyed_maze

TABULATED = 20_000
"""Larger tables are not made here."""
SLOWDOWN, PATIENCE = 5, 1.0
"""An answer is broken off after so many times its time with all shortcuts, and so many seconds more."""
SURVIVED = 20_000
"""The budget of a task that only has to be survived."""
WORTH_COMPARING = 0.05
"""Answers that take fewer seconds are not named in notes: their times say little."""

Answer = Callable[[], object]


@attrs.frozen
class Shortcut:
    """A shortcut, and how it is switched off."""

    name: str
    owner: Any
    """The module or class that looks it up."""
    attribute: str
    instead: Any
    """Put in its place."""

    @contextmanager
    def off(self) -> Iterator[list[str]]:
        """Switch it off; the list that is given grows whenever it would have been used."""
        used: list[str] = []

        def replacement(*arguments: Any) -> Any:
            used.append(self.name)
            return self.instead(*arguments)

        with patch.object(self.owner, self.attribute, replacement):
            yield used


def refuse_graph(searched: exploration.Exploration, length: int) -> None:
    """Report too many states, as a task with too many shortest plans does."""
    raise exploration.TooManyStates("switched off", "max_states")


def without_round_trips(
    path: last_step._Path, _: object, state: State, kept: Hashable, action: Action
) -> Iterator[last_step._Node]:
    """The next node of a path to the last step, whether or not its state has been on the path before."""
    yield last_step._Node(state, kept, len(path._nodes), (action,))


SHORTCUTS = (
    Shortcut("relaxation", search, "forgettable_entities", lambda world: ()),
    Shortcut("relaxed distances", search._Search, "_relaxed_distances", lambda *arguments: exploration.no_heuristic),
    Shortcut("pattern databases", search, "is_push_puzzle", lambda world: False),
    Shortcut("pair distances", search, "pairs_help", lambda world, limits: False),
    Shortcut("local transitions", expansion, "can_cache", lambda space: False),
    Shortcut(
        "equivalent configurations",
        local_transitions.LocalTransitionCache,
        "_copy_from_equivalent",
        lambda cache, number: False,
    ),
    Shortcut("connected components", expansion.Expansion, "walkable", lambda expanded, indices: indices[:0]),
    Shortcut("outcomes kept for other searches", search, "CachingExpansion", expansion.Expansion),
    Shortcut("graph of shortest plans", search, "ShortestPlans", refuse_graph),
    Shortcut("round trips", last_step._Path, "onward", without_round_trips),
)


class TooSlow(Exception):
    """An answer has been broken off."""


def _too_slow(*_: object) -> None:
    raise TooSlow


def seconds(answer: Answer, most: float | None = None) -> float:
    """Processor time of an answer; where it is broken off, `most`."""
    signal.signal(signal.SIGVTALRM, _too_slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, most or 0)
    started = time.process_time()
    try:
        answer()
    except TooSlow:
        assert most is not None
        return most
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - started


def measure_answers(answers: Mapping[str, Answer]) -> Iterator[Figure]:
    """The time of all answers: with all shortcuts, and without each of those that they use.

    Raises:
        AssertionError: none of the shortcuts is used.
    """
    whole = {name: min(seconds(answer), seconds(answer)) for name, answer in answers.items()}
    yield Figure("with all shortcuts", sum(whole.values()), "s")
    effective = 0
    for shortcut in SHORTCUTS:
        without = {}
        with shortcut.off() as used:
            for name, answer in answers.items():
                without[name] = seconds(answer, SLOWDOWN * whole[name] + PATIENCE)
        effective += bool(used)
        note = _most_slowed(whole, without) if used else "never asked for here"
        yield Figure(f"without {shortcut.name}", sum(without.values()) if used else None, "s", note=note)
    assert effective, "no shortcut was switched off"


def _most_slowed(whole: Mapping[str, float], without: Mapping[str, float]) -> str:
    ratios = {name: without[name] / whole[name] for name in whole if without[name] >= WORTH_COMPARING}
    if not ratios:
        return ""
    name = max(ratios, key=ratios.__getitem__)
    bound = "at least" if without[name] == SLOWDOWN * whole[name] + PATIENCE else "up to"
    return f"{bound} {ratios[name]:.2f} x: {name}"


def compiled(task: TaskSpecification, tiling: str = "square") -> World:
    """The task, laid out and compiled."""
    return compile_world(task, lay_out(find_tiling(tiling), task))


def _bundled() -> Iterator[tuple[str, World]]:
    for suite in get_registry().benchmarks.names():
        for task in read_suite(suite).tasks:
            for tiling in get_registry().tilings.names():
                yield f"{task.task_id} on {tiling}", compiled(task, tiling)


def _plans(worlds: Mapping[str, World]) -> dict[str, Answer]:
    return {name: partial(solve, world) for name, world in worlds.items()}


def _of(*tasks: TaskSpecification) -> dict[str, World]:
    return {task.task_id: compiled(task) for task in tasks}


def measure_bundled(_: Effort) -> Iterator[Figure]:
    """Plans of all bundled tasks on all tilings."""
    return measure_answers(_plans(dict(_bundled())))


def measure_tables(_: Effort) -> Iterator[Figure]:
    """Tables of the bundled tasks on all tilings, as far as they are small."""

    def table(world: World) -> None:
        try:
            tabulate(world, SearchLimits(TABULATED))
        except NotTabulatedError:
            return

    return measure_answers({name: partial(table, world) for name, world in _bundled()})


def measure_necessity(_: Effort) -> Iterator[Figure]:
    """Plans of the tiers, and what is necessary for them."""

    def necessity(world: World) -> None:
        searches = TaskSearches(world)
        if searches.solution.plan is not None:
            for entity in world.entities:
                searches.necessity_of(entity.index)

    worlds = _of(*read_suite("tiers").tasks)
    return measure_answers({name: partial(necessity, world) for name, world in worlds.items()})


def measure_growth(_: Effort) -> Iterator[Figure]:
    """Plans of rooms and mazes of more and more cells, keys and doors, and of surviving for long."""
    (ground,) = find_tasks("tiers/t4_05_hold_your_ground")
    rooms = [empty_maze(side) for side in (16, 32, 64, 128)]
    mazes = [keyed_maze(side, 2) for side in (16, 32, 64)] + [keyed_maze(32, doors) for doors in range(6)]
    return measure_answers(_plans(_of(*rooms, *mazes, attrs.evolve(ground, max_steps=SURVIVED))))


def measure_keys(_: Effort) -> Iterator[Figure]:
    """A large maze of four keys and doors."""
    return measure_answers(_plans(_of(keyed_maze(64, 4))))


def measure_puzzles(_: Effort) -> Iterator[Figure]:
    """Block puzzles: three blocks in a room, and four in each of ten others."""
    return measure_answers(_plans(_of(three_blocks_room(8), *(puzzle.task for puzzle in list(block_puzzles())[:10]))))


MEASURES: Mapping[str, Measure] = {
    "bundled": measure_bundled,
    "tables": measure_tables,
    "necessity": measure_necessity,
    "growth": measure_growth,
    "keys": measure_keys,
    "puzzles": measure_puzzles,
}
