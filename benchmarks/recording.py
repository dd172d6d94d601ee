"""What recording adds to a step, as a share of a step that is not recorded.

Runs that are recorded and runs that are not take turns in one process. The model answers at once and nothing is drawn,
so that little else is measured; time is that of the processor. An episode also has a scene and a file of its own, which
short episodes spread over few steps. Of each stretch of a run, an episode at most, the fastest time counts, since
whatever else the machine does only adds to it; the median of the shares of whole runs stands beside it.
"""

import gc
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from figures import Effort, Figure, Measure
from gridworld.plugins import get_registry
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import Step
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.observers import RecordedPose, RunObserver
from multinet_eval.play.run import RunOptions, new_run
from multinet_eval.record.manifest import Suite
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings

Seconds = NDArray[np.float64]
"""Of each stretch of a run."""
STRETCH = 100
"""How many steps it has at most."""

MAX_STATES = 1
"""The solver gives up at once: it is no part of what is measured."""


class Stopwatch(RunObserver):
    """Notes the time of the processor after each stretch of a run."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def step_taken(self, episode: PlannedEpisode, step: Step, place: RecordedPose) -> None:
        """Note it now and then."""
        if step.number % STRETCH == 0:
            self.times.append(time.process_time())

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """Note it."""
        self.times.append(time.process_time())


@attrs.frozen
class Measured:
    """What one pair of runs took."""

    plain: Seconds
    """Of the run that is not recorded."""
    recorded: Seconds
    """Of the one that is."""
    size: float
    """Bytes a step of the lines."""

    @property
    def share(self) -> float:
        """What recording adds, as a share of the run that is not recorded."""
        return float(self.recorded.sum() / self.plain.sum()) - 1


def play(tasks: tuple[TaskSpecification, ...], settings: RunSettings, directory: Path | None) -> tuple[Seconds, int]:
    """The processor seconds of each stretch of a run, and how many steps it has in all."""
    model = make_model(settings.model, list(settings.model_arguments))
    run = new_run(settings, Suite("recording", tasks), model, directory)
    watch = Stopwatch()
    gc.collect()
    begun = time.process_time()
    outcome = run.play(RunOptions(), watch)
    times = [begun, *watch.times, time.process_time()]
    if outcome.stopped is not None:
        raise SystemExit(f"the run stopped: {outcome.stopped.message}")
    return np.diff(times), sum(result.steps_taken for result in outcome.results.in_order)


def measure(tasks: tuple[TaskSpecification, ...], settings: RunSettings) -> Measured:
    """Play a run without recording it, and record it."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder, "run")
        plain, steps = play(tasks, settings, None)
        recorded, _ = play(tasks, settings, directory)
        size = sum(path.stat().st_size for path in (directory / "episodes").iterdir())
    return Measured(plain, recorded, size / steps)


def fastest(runs: Sequence[Seconds]) -> float:
    """Seconds of a run, of the fastest time of each stretch in several ones."""
    return float(np.minimum.reduce(runs).sum())


def long_task(max_steps: int) -> TaskSpecification:
    """A task with a key and a door, which random actions do not win."""
    return TaskSpecification.from_dict(
        {
            "task_id": "long",
            "seed": 0,
            "difficulty_tier": 2,
            "max_steps": max_steps,
            "maze": {
                "dimensions": [12, 12],
                "walls": [[6, y] for y in range(1, 11) if y != 5],
                "start": [1, 1],
                "goal": [10, 10],
            },
            "mechanisms": {
                "keys": [{"id": "key", "position": [2, 8], "color": "red"}],
                "doors": [{"id": "door", "position": [6, 5], "requires_key": "red"}],
            },
            "goal": {"type": "reach_position"},
        }
    )


def _settings(model: str, **more: Any) -> RunSettings:
    return RunSettings(model=model, backend_arguments=("render_mode=none",), max_states=MAX_STATES, **more)


def measure_cost(effort: Effort) -> Iterator[Figure]:
    """What recording adds to a step, as a share of it, by episodes of different kinds."""
    long, shorter = ((long_task(max(20, effort.times(steps))),) for steps in (2000, 300))
    suite = tuple(load_benchmark(get_registry().benchmarks.get("tiers")))
    often = effort.times(24)
    words: dict[str, Any] = {"presentation": Presentation("text", history_text_window=10)}
    plan: list[tuple[str, tuple[TaskSpecification, ...], RunSettings]] = [
        ("one long episode", long, _settings("random")),
        ("one episode, text and history", shorter, _settings("random", **words)),
        ("suite 'tiers'", suite, _settings("random")),
        (f"suite 'tiers', {often} times", suite, _settings("random", epochs=often)),
    ]
    for name, tasks, settings in plan:
        measure(tasks, settings)  # what is imported late is no part of it
        pairs = effort.rounds if settings.epochs > 1 else 2 * effort.rounds + 1
        rounds = [measure(tasks, settings) for _ in range(pairs)]
        share = fastest([each.recorded for each in rounds]) / fastest([each.plain for each in rounds]) - 1
        median = statistics.median(each.share for each in rounds)
        note = f"median {100 * median:.0f} %; {rounds[-1].size:.0f} bytes a step"
        yield Figure(name, 100 * share, "% of a step", note=note)


MEASURES: Mapping[str, Measure] = {"cost": measure_cost}
