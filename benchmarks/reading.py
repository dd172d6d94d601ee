"""What reading a recorded run costs, as a share of the time that playing it took.

Commands are called as functions in one process, so that no start of a program is measured; time is that of the
processor. Each is called for a run that nobody has read yet, and again once what it derives is kept beside the run.
Mistakes are found in processes of their own: with an empty cache of tables, and with the tables that this has kept.
"""

import gc
import multiprocessing
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from figures import Effort, Figure, Measure
from gridworld.plugins import get_registry
from gridworld.suites import load_benchmark
from gridworld.support.caches import CACHE_VARIABLE
from multinet_eval.analysis.export import export_run
from multinet_eval.analysis.metrics.measuring import measure_run
from multinet_eval.analysis.mistakes.run_mistakes import mistakes_of_run
from multinet_eval.cli.runs.check import HEADLINE
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import RunOptions, new_run
from multinet_eval.record.manifest import Suite
from multinet_eval.record.results import rescore_run
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.summary import inspect_run
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.verify.verification import verify_run

EPOCHS = 7
EPOCHS_WITH_MISTAKES = {"validation_10": 300, "tiers": 72}
"""Epochs of each suite, which make about 3,000 episodes."""
AIM_OF_MISTAKES = 0.25
AIMS = {"show": 0.02, "export": 0.05, "rescore": 0.12, "report": 0.15, "verify": 0.8}
"""Shares that are aimed at."""


def rescore(run: Path) -> None:
    """Recompute results and the metrics that are computed by default."""
    rescore_run(run)
    measure_run(RunDirectory(run), HEADLINE)


def report(run: Path) -> None:
    """Write the page."""
    from multinet_report import write_report

    write_report([run], run.with_name("page.html"))


COMMANDS: Mapping[str, Callable[[Path], object]] = {
    "show": inspect_run,
    "export": lambda run: export_run(RunDirectory(run), run.with_name("episodes.csv"), "csv"),
    "rescore": rescore,
    "report": report,
    "verify": verify_run,
}


def timed(work: Callable[[], object]) -> float:
    """Processor seconds that some work takes."""
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def forget(run: Path) -> None:
    """Remove what is derived from a run."""
    for file in run.glob("derived.*"):
        file.unlink()


def measure_reading(effort: Effort) -> Iterator[Figure]:
    """Shares of the time that playing took, the fastest of several rounds."""
    tasks = tuple(load_benchmark(get_registry().benchmarks.get("tiers")))
    settings = RunSettings(model="random", epochs=effort.times(EPOCHS))
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, str(number), "run") for number in range(2)]
        runs = [new_run(settings, Suite("reading", tasks), make_model("random", []), place) for place in places]
        seconds = [timed(lambda run=run: run.play(RunOptions(), RunObserver())) for run in runs]
        place, playing = places[1], seconds[1]  # what is imported late is no part of it
        yield Figure("playing", playing, "s", note=f"{len(runs[1].manifest.plan)} episodes")
        for name, read in COMMANDS.items():
            read(places[0])
            first, again = [], []
            for _ in range(max(1, effort.rounds // 2)):
                forget(place)
                first.append(timed(lambda read=read: read(place)))
                again.append(timed(lambda read=read: read(place)))
            aim = f"aim {AIMS[name]}"
            if name != "verify":
                yield Figure(f"{name}, first", min(first) / playing, "of playing")
            yield Figure(name, min(again) / playing, "of playing", note=aim)


def measure_mistakes(effort: Effort) -> Iterator[Figure]:
    """Share of the time that playing took in which the mistakes of `random` are found, and the most memory."""
    for suite, epochs in EPOCHS_WITH_MISTAKES.items():
        tasks = tuple(load_benchmark(get_registry().benchmarks.get(suite)))
        settings = RunSettings(model="random", epochs=effort.times(epochs))
        with tempfile.TemporaryDirectory() as folder:
            place, cache = Path(folder, "run"), str(Path(folder, "cache"))
            run = new_run(settings, Suite(suite, tasks), make_model("random", []), place)
            playing = timed(lambda run=run: run.play(RunOptions(), RunObserver()))
            yield Figure(f"playing {suite}", playing, "s", note=f"{len(run.manifest.plan)} episodes")
            for name in ("without tables", "with kept tables"):
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                    seconds, memory = process.submit(find_mistakes_elsewhere, place, cache).result()
                share = seconds / playing
                yield Figure(f"mistakes of {suite}, {name}", share, "of playing", note=f"aim {AIM_OF_MISTAKES}")
                yield Figure(f"memory, {name}", memory, "MB")


def find_mistakes_elsewhere(run: Path, cache: str) -> tuple[float, float]:
    """Processor seconds that finding the mistakes of a run takes in this process, and its most memory in MB."""
    os.environ[CACHE_VARIABLE] = cache
    forget(run)
    seconds = timed(lambda: mistakes_of_run(RunDirectory(run)))
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())  # ru_maxrss knows the parent's
    return seconds, int(peak) / 1024


MEASURES: Mapping[str, Measure] = {"commands": measure_reading, "mistakes": measure_mistakes}
