"""The figures of a run in words, for the live display, for lines on a pipe and for ``multinet watch``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from gridworld.support.wording import shorten, visible_line
from multinet_eval.monitor.tally import Figures, Wait

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["duration", "figures_display", "figures_line", "wait_text"]

BAR = 30
"""The width of the bar, in columns."""


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, such as ``1:02:03``."""
    return str(timedelta(seconds=round(seconds)))


def figures_line(figures: Figures) -> str:
    """Everything on one line."""
    words = [f"{figures.finished} of {figures.planned} episodes", f"{figures.solved} solved"]
    return ", ".join([*words, *_speed(figures), *_under_way(figures), *_load(figures), *_faults(figures)])


def figures_display(figures: Figures, *notes: str) -> RenderableType:
    """The same for a terminal: a bar, and below it what there is to say.

    Args:
        figures: the figures.
        notes: further lines, such as what is waited for.
    """
    from rich.console import Group  # all of which lines on a pipe do without
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    head = Table.grid(padding=(0, 1))
    head.add_column(width=BAR)
    head.add_column(no_wrap=True, overflow="ellipsis")
    bar = ProgressBar(total=max(1, figures.planned), completed=figures.finished, width=BAR)
    head.add_row(bar, "  ".join([f"{figures.finished}/{figures.planned} solved {figures.solved}", *_speed(figures)]))
    below = ["  ".join([*_under_way(figures), *_load(figures)]), *_faults(figures), *notes]
    lines = [Text(visible_line(line), no_wrap=True, overflow="ellipsis") for line in below if line]
    return Group(head, *lines)


def wait_text(wait: Wait, now: float | None = None) -> str:
    """What is waited for, and how much longer.

    Args:
        wait: the wait.
        now: the time on the clock that the wait's end is on; by default that of `time.monotonic`.
    """
    left = None if wait.until is None else wait.until - (time.monotonic() if now is None else now)
    when = "" if left is None else f" {left:.1f} s" if left > 0 else ", which is being asked again"
    return f"waiting{when}: {visible_line(shorten(wait.reason))}"


def _under_way(figures: Figures) -> Iterator[str]:
    """The task and step of a single episode, the number of several: what changes all the time cannot be read."""
    if len(figures.under_way) == 1:
        (one,) = figures.under_way
        yield f"{one.task} step {one.step}"
    elif figures.under_way:
        yield f"{len(figures.under_way)} under way"


def _speed(figures: Figures) -> Iterator[str]:
    if figures.steps_per_second is not None:
        yield f"{figures.steps_per_second:.3g} steps/s"
    if figures.seconds is not None:
        yield f"{duration(figures.seconds)} passed"
    if figures.seconds_left:
        yield f"{duration(figures.seconds_left)} left"


def _load(figures: Figures) -> Iterator[str]:
    if figures.in_flight is not None:
        yield f"{figures.in_flight} in flight"
    if figures.spent.requests:
        yield f"{figures.spent.requests:,} request{'s' * (figures.spent.requests > 1)}"
    if figures.spent.cached:
        yield f"{figures.spent.cached:,} from the cache"
    if figures.spent.tokens:
        yield f"{figures.spent.tokens:,} tokens"
    if figures.cost is not None:
        yield f"cost {figures.cost:.4g}"


def _faults(figures: Figures) -> Iterator[str]:
    if figures.faults:
        yield "faults: " + ", ".join(f"{count:,} {kind}" for kind, count in figures.faults.items())
