"""What benchmarks yield, and how rates are taken: by turns in one process, as medians of processor time."""

import os
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

import attrs

__all__ = ["Effort", "Figure", "Measure", "Play", "compare", "measure", "on_one_core", "rates"]

Play = Callable[[], int]
"""Plays once, and says how many steps (or what else is counted) that was."""


@attrs.frozen
class Effort:
    """How long is measured."""

    rounds: int = 5
    """How often each is played."""
    scale: float = 1.0
    """Multiplies the steps of a round."""

    def times(self, count: int) -> int:
        """So many, scaled; at least one."""
        return max(1, int(count * self.scale))


@attrs.frozen
class Figure:
    """One line of a report. What is compared is told as a ratio to the first line of its unit."""

    name: str
    value: float | None
    """The median; None where nothing could be measured, of which the note tells why."""
    unit: str = "steps/s"
    least: float | None = None
    most: float | None = None
    note: str = ""
    """What else there is to know, an aim for instance."""


Measure = Callable[[Effort], Iterator[Figure]]


def rates(plays: Mapping[str, Play], rounds: int, unit: str = "steps/s") -> Iterator[Figure]:
    """How many a second of processor time, of plays that take turns; a first turn warms up and does not count."""
    measured: dict[str, list[float]] = {name: [] for name in plays}
    for round_ in range(rounds + 1):
        for name, play in plays.items():
            started = time.process_time()
            count = play()
            if round_:
                measured[name].append(count / (time.process_time() - started))
    for name, each in measured.items():
        yield Figure(name, statistics.median(each), unit, min(each), max(each))


def compare(makers: Mapping[str, Callable[[], Play]], rounds: int) -> Iterator[Figure]:
    """The rates of those plays that can be made; of the others, which library they lack."""
    plays: dict[str, Play] = {}
    for name, make in makers.items():
        try:
            plays[name] = make()
        except ImportError as error:
            yield Figure(name, None, note=f"not installed: {error}")
    yield from rates(plays, rounds)


def on_one_core() -> None:
    """Keep this process to one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measure(module: str, section: str, effort: Effort, tell: Callable[[Figure], None]) -> None:
    """Measure a section of a module of benchmarks, and tell each figure as soon as it is known."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    measures: Mapping[str, Measure] = import_module(module).MEASURES
    for figure in measures[section](effort):
        tell(figure)
