"""What a run costs beside the model: throughput of many workers, overhead of a step, memory.

A server on loopback, in a process of its own, takes the same time for each reply whatever the load. What recording
costs of that is measured by ``recording.py``.
"""

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import attrs

from figures import Effort, Figure, Measure
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_adapters.testing.model_servers import MODEL, ChatRequest, action_json, serve
from multinet_eval.play.run import RunOptions, new_run
from multinet_eval.record.manifest import Suite
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings

REPLY_SECONDS = 0.2
WORKERS = 16
SIDE = 12
SPAWN = multiprocessing.get_context("spawn")


def make_tasks(count: int, max_steps: int) -> tuple[TaskSpecification, ...]:
    """Tasks that nobody wins by turning around, with a key and a door each."""
    inner = range(1, SIDE - 1)
    return tuple(
        TaskSpecification.from_dict(
            {
                "task_id": f"task_{number:04}",
                "seed": number,
                "difficulty_tier": 2,
                "max_steps": max_steps,
                "maze": {
                    "dimensions": [SIDE, SIDE],
                    "walls": [[SIDE // 2, y] for y in inner if y != 5],
                    "start": [1, 1],
                    "goal": [SIDE - 2, 1 + number % (SIDE - 2)],
                },
                "mechanisms": {
                    "keys": [{"id": "key", "position": [2, 8], "color": "red"}],
                    "doors": [{"id": "door", "position": [SIDE // 2, 5], "requires_key": "red"}],
                },
                "goal": {"type": "reach_position"},
            }
        )
        for number in range(count)
    )


def play(
    tasks: tuple[TaskSpecification, ...], directory: Path | None, settings: RunSettings, workers: int = 1
) -> tuple[float, int]:
    """The seconds that a run takes, and how many steps it has."""
    model = make_model(settings.model, list(settings.model_arguments))
    run = new_run(settings, Suite("throughput", tasks), model, directory)
    begun = time.perf_counter()
    outcome = run.play(RunOptions(workers=workers))
    seconds = time.perf_counter() - begun
    if outcome.stopped is not None:
        raise SystemExit(f"the run stopped: {outcome.stopped.message}")
    return seconds, sum(result.steps_taken for result in outcome.results.in_order)


def _live(pipe: Connection, seconds: float) -> None:
    def answer(request: ChatRequest) -> str:
        time.sleep(seconds)
        return action_json("turn_left")

    with serve(answer) as server:
        pipe.send(server.ollama_url)
        pipe.recv()


@contextmanager
def server(seconds: float) -> Iterator[str]:
    """The address of a server that takes so long for each reply."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=_live, args=(there, seconds), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.send(None)
        process.join()


def ollama(address: str, **more: Any) -> RunSettings:
    """A run of a model behind a server; the solver, which gives up at once, is no part of what is measured."""
    arguments = (f"base_url={address}", f"model={MODEL}")
    return RunSettings(model="ollama", model_arguments=arguments, max_states=1, **more)


def measure_throughput(effort: Effort) -> Iterator[Figure]:
    """Steps a second of many workers, beside what would be possible (aim: 85 %)."""
    with server(REPLY_SECONDS) as address, tempfile.TemporaryDirectory() as folder:
        play(make_tasks(1, 3), None, ollama(address))  # what is imported late is no part of it
        steps = max(5, effort.times(50))
        seconds, played = play(make_tasks(WORKERS * 2, steps), Path(folder, "run"), ollama(address), WORKERS)
    yield Figure(f"{WORKERS} workers without any overhead", WORKERS / REPLY_SECONDS)
    yield Figure(f"{WORKERS} workers, {REPLY_SECONDS * 1000:.0f} ms a reply", played / seconds)


def measure_schedule(effort: Effort) -> Iterator[Figure]:
    """Best possible time as a share of the time taken, with the shortest episodes first in the plan (aim: 90 %).

    At best all workers are busy to the end; in the order of the plan, the last episode would begin too late for that.
    """
    long = 2 * max(2, effort.times(12))
    lengths = [long // 2] * 2 + [long] * (2 * WORKERS - 1)
    tasks = make_tasks(len(lengths), 1)
    tasks = tuple(attrs.evolve(task, max_steps=steps) for task, steps in zip(tasks, lengths, strict=True))
    best = sum(lengths) / WORKERS * REPLY_SECONDS
    with server(REPLY_SECONDS) as address, tempfile.TemporaryDirectory() as folder:
        play(make_tasks(1, 3), None, ollama(address))  # what is imported late is no part of it
        seconds, _ = play(tasks, Path(folder, "run"), ollama(address), WORKERS)
    note = f"{seconds:.1f} s, at best {best:.1f} s"
    yield Figure(f"{len(lengths)} episodes on {WORKERS} workers", 100 * best / seconds, "% of the best", note=note)


def measure_overhead(effort: Effort) -> Iterator[Figure]:
    """What a step takes beside the reply, with pictures (aim: at most 10 ms)."""
    with server(REPLY_SECONDS) as address, tempfile.TemporaryDirectory() as folder:
        settings = ollama(address, presentation=Presentation(history_images=2))
        play(make_tasks(1, 3), None, settings)
        seconds, played = play(make_tasks(1, max(10, effort.times(100))), Path(folder, "run"), settings)
    overhead = seconds / played - REPLY_SECONDS
    yield Figure("one worker, frames and two history pictures", overhead * 1000, "ms a step")


def measure_memory(effort: Effort) -> Iterator[Figure]:
    """The memory of a long run with pictures, from its start to its results (aim: under 400 MB)."""
    tasks = make_tasks(100, max(10, effort.times(100)))
    settings = RunSettings(model="random", epochs=10)
    with tempfile.TemporaryDirectory() as folder:
        play(tasks, Path(folder, "run"), settings, workers=4)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Figure("1,000 episodes", peak, "MB")


MEASURES: Mapping[str, Measure] = {
    "throughput": measure_throughput,
    "schedule": measure_schedule,
    "overhead": measure_overhead,
    "memory": measure_memory,
}
