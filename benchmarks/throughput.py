"""What a run costs beside the model: throughput of many workers, overhead of a step, memory.

A server on loopback, in a process of its own, takes the same time for each reply whatever the load. What recording
costs of that is measured by ``recording.py``.

    nox -s benchmarks
"""

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_adapters.testing.model_servers import MODEL, ChatRequest, action_json, serve
from multinet_eval.plugin_objects import make_model
from multinet_eval.runs.manifest import Suite
from multinet_eval.runs.observers import RunObserver
from multinet_eval.runs.running import RunOptions, new_run
from multinet_eval.runs.settings import RunSettings

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
    outcome = run.play(RunOptions(workers=workers), RunObserver())
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


def measure_throughput(scale: float) -> Iterator[str]:
    """Steps a second of many workers, of what would be possible."""
    with server(REPLY_SECONDS) as address, tempfile.TemporaryDirectory() as folder:
        play(make_tasks(1, 3), None, ollama(address))  # what is imported late is no part of it
        steps = max(5, int(50 * scale))
        seconds, played = play(make_tasks(WORKERS * 2, steps), Path(folder, "run"), ollama(address), WORKERS)
    rate, ideal = played / seconds, WORKERS / REPLY_SECONDS
    yield f"{WORKERS} workers, {REPLY_SECONDS * 1000:.0f} ms a reply: {rate:.1f} steps/s"
    yield f"  {rate / ideal:.0%} of the ideal {ideal:.0f} (aim: at least 85%)"


def measure_overhead(scale: float) -> Iterator[str]:
    """What a step takes beside the reply, with pictures."""
    with server(REPLY_SECONDS) as address, tempfile.TemporaryDirectory() as folder:
        settings = ollama(address, presentation=Presentation(history_images=2))
        play(make_tasks(1, 3), None, settings)
        seconds, played = play(make_tasks(1, max(10, int(100 * scale))), Path(folder, "run"), settings)
    overhead = seconds / played - REPLY_SECONDS
    yield f"one worker, frames and two history pictures: {overhead * 1000:.1f} ms a step beside the reply"
    yield "  (aim: at most 10)"


def measure_memory(scale: float) -> Iterator[str]:
    """The memory of a long run, from its start to its results."""
    tasks = make_tasks(100, max(10, int(100 * scale)))
    settings = RunSettings(model="random", epochs=10)
    with tempfile.TemporaryDirectory() as folder:
        play(tasks, Path(folder, "run"), settings, workers=4)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"1,000 episodes, with pictures: {peak:.0f} MB at most (aim: under 400)"


MEASURES = {
    "throughput": measure_throughput,
    "overhead": measure_overhead,
    "memory": measure_memory,
}


def _measure(name: str, scale: float, rounds: int) -> None:
    for _ in range(rounds):
        for line in MEASURES[name](scale):
            print(line, flush=True)


def main() -> None:
    """Measure and print, each in a process of its own, so that memory is that of one run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1, help="how often each is measured")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of steps")
    parser.add_argument("--only", choices=MEASURES, help="measure this alone")
    options = parser.parse_args()
    for name in [options.only] if options.only else MEASURES:
        process = SPAWN.Process(target=_measure, args=(name, options.scale, options.rounds))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(process.exitcode)


if __name__ == "__main__":
    main()
