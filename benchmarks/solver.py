"""How long exact answers take: all bundled tasks, large mazes, block puzzles, and growth with size, keys and blocks.

Each figure is processor time of one process, with the states that were met and the most memory used so far. How fast
states are met is told as a ratio to a plain breadth-first search that asks the kernel for each action in each state.
"""

import resource
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import attrs

from block_puzzles import block_puzzles, three_blocks_room
from figures import Effort, Figure, Measure
from gridworld.actions import Action
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.solver import Solution, Verdict, measure_difficulty, solve, tabulate
from gridworld.solver.search import TaskSearches
from gridworld.suites import of_tiers, read_suite
from gridworld.task_spec import TaskSpecification
from gridworld.world import World, compile_world, transition
from mazes import empty_maze, keyed_maze

MEGABYTE = 1024  # ru_maxrss counts kilobytes


def compiled(task: TaskSpecification, tiling: str = "square") -> World:
    """The task, laid out and compiled."""
    return compile_world(task, lay_out(find_tiling(tiling), task))


def timed(world: World) -> tuple[Solution, float]:
    """What the solver finds, and how long it takes in seconds of processor time."""
    started = time.process_time()
    solution = solve(world)
    return solution, time.process_time() - started


def figure(name: str, solution: Solution, seconds: float) -> Figure:
    """One line of the report."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE
    length = solution.verdict.value if solution.length is None else f"{solution.length} actions"
    return Figure(name, seconds, "s", note=f"{length}, {solution.states_seen:,} states, {memory:.0f} MB")


def measure_bundled(_: Effort) -> Iterator[Figure]:
    """All bundled tasks on all tilings."""
    total, slowest, undecided, count = 0.0, (0.0, ""), 0, 0
    for suite in get_registry().benchmarks.names():
        for task in read_suite(suite).tasks:
            for tiling in get_registry().tilings.names():
                solution, seconds = timed(compiled(task, tiling))
                total += seconds
                count += 1
                slowest = max(slowest, (seconds, f"{task.task_id} on {tiling}"))
                undecided += solution.verdict is Verdict.GAVE_UP
    yield Figure(f"{count} tasks and tilings", total, "s", note=f"{undecided} undecided (aim: none, in 60 s)")
    yield Figure(f"the slowest: {slowest[1]}", slowest[0], "s")


def measure_large(_: Effort) -> Iterator[Figure]:
    """Large mazes, and three blocks in a room of 10 x 10 free cells."""
    for task in (empty_maze(256), keyed_maze(64, 4), three_blocks_room(12)):
        started = time.process_time()
        world = compiled(task)
        yield Figure(f"{task.task_id}, compiled", time.process_time() - started, "s")
        yield figure(task.task_id, *timed(world))


def measure_puzzles(_: Effort) -> Iterator[Figure]:
    """Puzzles of four blocks on 10 x 10 cells."""
    spent = []
    for puzzle in block_puzzles():
        solution, seconds = timed(compiled(puzzle.task))
        spent.append(seconds)
        yield figure(puzzle.task.task_id, solution, seconds)
    quick = sum(seconds < 30 for seconds in spent)
    yield Figure("the median", statistics.median(spent), "s")
    yield Figure("the slowest", max(spent), "s", note=f"{quick} of {len(spent)} in 30 s (aim: all)")


def measure_growth(_: Effort) -> Iterator[Figure]:
    """Growth with size, with keys and with blocks."""
    for side in (16, 32, 64, 128):
        yield figure(f"empty, side {side}", *timed(compiled(empty_maze(side))))
    for side in (16, 32, 64):
        yield figure(f"2 keys and doors, side {side}", *timed(compiled(keyed_maze(side, 2))))
    for doors in range(6):
        yield figure(f"side 32, {doors} keys and doors", *timed(compiled(keyed_maze(32, doors))))
    room = three_blocks_room(8)
    for blocks in (1, 2, 3):
        yield figure(f"side 8, {blocks} blocks", *timed(compiled(with_blocks(room, blocks))))


def with_blocks(task: TaskSpecification, count: int) -> TaskSpecification:
    """The task with the first of its blocks alone."""
    data = task.to_dict()
    data["mechanisms"]["blocks"] = data["mechanisms"]["blocks"][:count]
    for field in ("target_ids", "target_positions"):
        data["goal"][field] = data["goal"][field][:count]
    return TaskSpecification.from_dict(data)


def measure_tables(_: Effort) -> Iterator[Figure]:
    """Tables of whole state spaces, against asking the kernel for each action in each state."""
    for task in (keyed_maze(16, 1), with_blocks(three_blocks_room(8), 2)):
        world = compiled(task)
        started = time.process_time()
        states = len(tabulate(world))
        middle = time.process_time()
        plain = explore_plainly(world)
        spent = time.process_time() - middle
        made = middle - started
        assert plain == states
        yield Figure(f"{task.task_id}, asked one by one", states / spent, "states/s", note=f"{states:,} states")
        yield Figure(f"{task.task_id}, table", states / made, "states/s")


def explore_plainly(world: World) -> int:
    """How many states can be reached, by asking the kernel alone."""
    arena = attrs.evolve(world, max_steps=2**62)
    seen, waiting = {arena.start.key}, deque([arena.start])
    while waiting:
        state = waiting.popleft()
        for action in Action:
            following, _ = transition(arena, state, action)
            if not following.status and following.key not in seen:
                seen.add(following.key)
                waiting.append(following)
    return len(seen)


def measure_list(_: Effort) -> Iterator[Figure]:
    """``multinet tasks list tiers``, the whole command, with nothing kept on disk."""
    multinet = str(Path(sys.executable).parent / "multinet")
    for workers in (1, 2):
        started = time.perf_counter()
        command = [multinet, "tasks", "list", "tiers", "--workers", str(workers)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={"GRIDWORLD_CACHE": ""})
        yield Figure(f"tasks list tiers --workers {workers}", time.perf_counter() - started, "s", note="(aim: 3)")


def measure_stages(_: Effort) -> Iterator[Figure]:
    """What each stage takes for each task of the third tier: compiling, solving, necessity, and difficulty with it."""
    spent = []
    for task in of_tiers(read_suite("tiers").tasks, [3]):
        started = time.process_time()
        world = compiled(task)
        after_compiling = time.process_time()
        searches = TaskSearches(world)
        assert searches.solution.plan is not None
        after_solving = time.process_time()
        needed = sum(searches.necessity_of(entity.index).is_necessary for entity in world.entities)
        after_necessity = time.process_time()
        measure_difficulty(world, max_table_states=20_000)
        stages = (started, after_compiling, after_solving, after_necessity, time.process_time())
        milliseconds = [1000 * (stop - start) for start, stop in pairwise(stages)]
        spent.append(milliseconds)
        told = "compile {:.0f}, solve {:.0f}, necessity {:.0f}, difficulty {:.0f}".format(*milliseconds)
        note = f"{told}; {needed} of {len(world.entities)} necessary"
        yield Figure(task.task_id, sum(milliseconds), "ms", note=note)
    means = [statistics.mean(column) for column in zip(*spent, strict=True)]
    yield Figure("mean of compiling, solving and necessity", sum(means[:3]), "ms")
    yield Figure("mean of difficulty by itself", means[3], "ms")


MEASURES: Mapping[str, Measure] = {
    "bundled": measure_bundled,
    "large": measure_large,
    "puzzles": measure_puzzles,
    "growth": measure_growth,
    "tables": measure_tables,
    "stages": measure_stages,
    "list": measure_list,
}
