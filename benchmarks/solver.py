"""How long exact answers take: all bundled tasks, large mazes, block puzzles, and growth with size, keys and blocks.

Each figure is processor time of one process, with the states that were met and the most memory used so far. How fast
states are met is told as a ratio to a plain breadth-first search that asks the kernel for each action in each state.

    nox -s benchmarks
"""

import argparse
import multiprocessing
import resource
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import attrs

from block_puzzles import block_puzzles, three_blocks_room
from gridworld.actions import Action
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.solver import Solution, Verdict, measure_difficulty, solve, tabulate
from gridworld.solver.necessity import spare
from gridworld.solver.search import TaskSearches
from gridworld.suites import of_tiers, read_suite
from gridworld.task_spec import TaskSpecification
from gridworld.world import World, compile_world, transition
from mazes import empty_maze, keyed_maze

SPAWN = multiprocessing.get_context("spawn")
MEGABYTE = 1024  # ru_maxrss counts kilobytes


def compiled(task: TaskSpecification, tiling: str = "square") -> World:
    """The task, laid out and compiled."""
    return compile_world(task, lay_out(find_tiling(tiling), task))


def timed(world: World) -> tuple[Solution, float]:
    """What the solver finds, and how long it takes in seconds of processor time."""
    started = time.process_time()
    solution = solve(world)
    return solution, time.process_time() - started


def line(name: str, solution: Solution, seconds: float) -> str:
    """One line of the report."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE
    length = solution.verdict.value if solution.length is None else f"{solution.length} actions"
    return f"{name:<32} {length:>14} {solution.states_seen:>10} states {seconds:>8.2f} s {memory:>6.0f} MB"


def measure_bundled() -> Iterator[str]:
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
    yield f"bundled: {count} tasks and tilings in {total:.1f} s, {undecided} undecided"
    yield f"bundled: the slowest is {slowest[1]}, {slowest[0]:.1f} s"


def measure_large() -> Iterator[str]:
    """Large mazes, and three blocks in a room of 10 x 10 free cells."""
    for task in (empty_maze(256), keyed_maze(64, 4), three_blocks_room(12)):
        started = time.process_time()
        world = compiled(task)
        yield f"{task.task_id}: compiled in {time.process_time() - started:.2f} s"
        yield line(task.task_id, *timed(world))


def measure_puzzles() -> Iterator[str]:
    """Puzzles of four blocks on 10 x 10 cells."""
    spent = []
    for puzzle in block_puzzles():
        solution, seconds = timed(compiled(puzzle.task))
        spent.append(seconds)
        yield line(puzzle.task.task_id, solution, seconds)
    quick = sum(seconds < 30 for seconds in spent)
    median, slowest = statistics.median(spent), max(spent)
    yield f"puzzles: median {median:.1f} s, slowest {slowest:.1f} s, {quick} of {len(spent)} in 30 s"


def measure_growth() -> Iterator[str]:
    """Growth with size, with keys and with blocks."""
    for side in (16, 32, 64, 128):
        yield line(f"empty, side {side}", *timed(compiled(empty_maze(side))))
    for side in (16, 32, 64):
        yield line(f"2 keys and doors, side {side}", *timed(compiled(keyed_maze(side, 2))))
    for doors in range(6):
        yield line(f"side 32, {doors} keys and doors", *timed(compiled(keyed_maze(32, doors))))
    room = three_blocks_room(8)
    for blocks in (1, 2, 3):
        yield line(f"side 8, {blocks} blocks", *timed(compiled(with_blocks(room, blocks))))


def with_blocks(task: TaskSpecification, count: int) -> TaskSpecification:
    """The task with the first of its blocks alone."""
    data = task.to_dict()
    data["mechanisms"]["blocks"] = data["mechanisms"]["blocks"][:count]
    for field in ("target_ids", "target_positions"):
        data["goal"][field] = data["goal"][field][:count]
    return TaskSpecification.from_dict(data)


def measure_tables() -> Iterator[str]:
    """Tables of whole state spaces, against asking the kernel for each action in each state."""
    for task in (keyed_maze(16, 1), with_blocks(three_blocks_room(8), 2)):
        world = compiled(task)
        started = time.process_time()
        states = len(tabulate(world))
        middle = time.process_time()
        plain = explore_plainly(world)
        spent = time.process_time() - middle
        made = middle - started
        yield f"table of {task.task_id}: {states} states in {made:.2f} s, {spent / made:.1f} x as fast as one by one"
        assert plain == states


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


def measure_list() -> Iterator[str]:
    """``multinet tasks list tiers``, the whole command, with nothing kept on disk."""
    multinet = str(Path(sys.executable).parent / "multinet")
    for workers in (1, 2):
        started = time.perf_counter()
        command = [multinet, "tasks", "list", "tiers", "--workers", str(workers)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={"GRIDWORLD_CACHE": ""})
        yield f"tasks list tiers --workers {workers}: {time.perf_counter() - started:.1f} s"


def measure_stages() -> Iterator[str]:
    """What each stage takes for each task of the third tier: compiling, solving, necessity, and difficulty with it."""
    spent = []
    for task in of_tiers(read_suite("tiers").tasks, [3]):
        started = time.process_time()
        world = compiled(task)
        after_compiling = time.process_time()
        searches = TaskSearches(world)
        assert searches.solution.plan is not None
        after_solving = time.process_time()
        needed = sum(spare(searches, entity.index).is_necessary for entity in world.entities)
        after_necessity = time.process_time()
        measure_difficulty(world, max_table_states=20_000)
        stages = (started, after_compiling, after_solving, after_necessity, time.process_time())
        milliseconds = [1000 * (stop - start) for start, stop in pairwise(stages)]
        spent.append(milliseconds)
        told = "compile {:.0f}, solve {:.0f}, necessity {:.0f}, difficulty {:.0f} ms".format(*milliseconds)
        yield f"{task.task_id}: {told}; {needed} of {len(world.entities)} necessary"
    means = [statistics.mean(column) for column in zip(*spent, strict=True)]
    yield f"tier 3: compile, solve and necessity {sum(means[:3]):.0f} ms a task; difficulty by itself {means[3]:.0f} ms"


MEASURES: dict[str, Callable[[], Iterator[str]]] = {
    "bundled": measure_bundled,
    "large": measure_large,
    "puzzles": measure_puzzles,
    "growth": measure_growth,
    "tables": measure_tables,
    "stages": measure_stages,
    "list": measure_list,
}


def _measure(name: str) -> None:
    for each in MEASURES[name]():
        print(each, flush=True)


def main() -> None:
    """Measure and print, each in a process of its own, so that memory is that of one measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=MEASURES, help="measure this alone")
    options = parser.parse_args()
    for name in [options.only] if options.only else MEASURES:
        process = SPAWN.Process(target=_measure, args=(name,))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(process.exitcode)


if __name__ == "__main__":
    main()
