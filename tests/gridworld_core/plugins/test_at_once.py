"""Threads and processes that load the plugins and play at the same time, each as if it were alone."""

import json
import random
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytestmark = pytest.mark.more

PROCESSES = 2

EPISODES = 16
PLAYED = [
    ("minigrid", {}),
    *(("multigrid", {"tiling": tiling}) for tiling in ("square", "hex", "triangle", "488", "3464")),
]
TASK = {
    "task_id": "corridor",
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [5, 3], "start": [1, 1], "goal": [3, 1]},
    "goal": {"type": "reach_position"},
    "max_steps": 10,
}


def ask_for_the_registry() -> None:
    from gridworld.plugins import get_registry

    get_registry()


def read_a_task() -> None:
    from gridworld.task_spec import TaskSpecification

    assert TaskSpecification.from_dict(TASK).validate() == (True, [])


def compile_a_task() -> None:
    from gridworld.goals import REACH_POSITION
    from gridworld.task.catalogs import GivenTypes
    from gridworld.task.reading import task_from_dict
    from gridworld.world import compile_world, square_topology

    task = task_from_dict(TASK, GivenTypes({}, {"reach_position": REACH_POSITION}))
    compile_world(task, square_topology(5, 3))


def import_the_seam() -> None:
    from gridworld.hookspecs import hookimpl

    assert callable(hookimpl)


FIRST: list[Callable[[], None]] = [ask_for_the_registry, read_a_task, compile_a_task, import_the_seam]


def play(number: int, together: Callable[[], object]) -> tuple[int, Any]:
    """The id of the registry, and the end of an episode, or the traceback of what went wrong."""
    together()
    try:
        FIRST[number % len(FIRST)]()
        return _play(number)
    except Exception:
        return 0, traceback.format_exc()


def _play(number: int) -> tuple[int, Any]:
    from gridworld.plugins import get_registry
    from gridworld.runner.grid_runner import GridRunner
    from gridworld.suites import benchmark_place
    from gridworld.support.import_strings import load_object
    from gridworld.task_spec import TaskSpecification

    registry = get_registry()
    files = sorted(benchmark_place(registry.benchmarks.get("validation_10")).glob("*.json"))
    task = TaskSpecification.from_json(files[number % len(files)])
    name, options = PLAYED[number % len(PLAYED)]
    backend = load_object(registry.backends.get(name).target)(**options)
    rng = random.Random(number)
    runner = GridRunner(backend, keep_observations=False)
    result = runner.run_episode(task, lambda *given: rng.randrange(7))
    return id(registry), [result.task_id, result.steps_taken, result.total_reward, result.final_state.to_dict()]


def main(threads: int) -> None:
    """Play all episodes, and print how many registries there were and how each episode ended.

    It runs in a process of its own, in which nothing of the toolkit has been imported.
    """
    sys.setswitchinterval(1e-5)  # seconds, so that threads meet in the middle of everything
    together = threading.Barrier(threads).wait if threads > 1 else lambda: None
    with ThreadPoolExecutor(threads) as pool:
        played = list(pool.map(lambda number: play(number, together), range(EPISODES)))
    ends = [end for _, end in played]
    json.dump({"registries": len({registry for registry, _ in played}), "ends": ends}, sys.stdout, sort_keys=True)


def start(threads: int) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, str(threads)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> Any:
    printed, complaints = process.communicate(timeout=300)
    assert (process.returncode, complaints) == (0, "")
    return json.loads(printed)


def test_threads_of_several_processes_load_plugins_once_and_play_alike() -> None:
    alone = finish(start(threads=1))
    assert all(isinstance(end, list) for end in alone["ends"]), alone
    assert len({json.dumps(end) for end in alone["ends"]}) == 16

    processes = [start(threads=16) for _ in range(PROCESSES)]
    assert [finish(process) for process in processes] == [alone] * PROCESSES
    assert alone["registries"] == 1


if __name__ == "__main__":
    main(int(sys.argv[1]))
