"""Live display of a run, and its figures in words, on standard error so that results can be piped."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING

from gridworld.model_interface import Adjustment, AnswerOutcome, Trouble
from gridworld.runner.record import EpisodeHeader, Request, Step
from gridworld.support.wording import shorten, visible_line
from multinet_eval.cli.echo import echo
from multinet_eval.monitor.tally import Figures, Tally, Wait
from multinet_eval.play.observers import Pause, RunObserver, RunStart
from multinet_eval.record.events import Place
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.defaults import LINE_SECONDS
from multinet_eval.support.worker_processes import starting

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

BAR = 30
"""Width of the bar in columns."""


def duration(seconds: float) -> str:
    """Format seconds as hours, minutes and seconds, such as ``1:02:03``."""
    return str(timedelta(seconds=round(seconds)))


def figures_line(figures: Figures) -> str:
    """Format figures as one line."""
    words = [f"{figures.finished} of {figures.planned} episodes", f"{figures.solved} solved"]
    return ", ".join([*words, *_speed(figures), *_under_way(figures), *_load(figures), *failures(figures)])


def figures_display(figures: Figures, *notes: str) -> RenderableType:
    """Format figures for a terminal: a bar with lines below it.

    Args:
        figures: the figures.
        notes: further lines, such as a wait.
    """
    from rich.console import Group  # not imported on a pipe
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    head = Table.grid(padding=(0, 1))
    head.add_column(width=BAR)
    head.add_column(no_wrap=True, overflow="ellipsis")
    bar = ProgressBar(total=max(1, figures.planned), completed=figures.finished, width=BAR)
    head.add_row(bar, "  ".join([f"{figures.finished}/{figures.planned} solved {figures.solved}", *_speed(figures)]))
    below = ["  ".join([*_under_way(figures), *_load(figures)]), *failures(figures), *notes]
    lines = [Text(visible_line(line), no_wrap=True, overflow="ellipsis") for line in below if line]
    return Group(head, *lines)


def wait_text(wait: Wait, now: float | None = None) -> str:
    """Describe a wait and its remaining time.

    Args:
        wait: the wait.
        now: current time on the clock of the wait's end; by default `time.monotonic`.
    """
    left = None if wait.until is None else wait.until - (time.monotonic() if now is None else now)
    when = "" if left is None else f" {left:.1f} s" if left > 0 else ", asking again"
    return f"waiting{when}: {visible_line(shorten(wait.reason))}"


def _under_way(figures: Figures) -> Iterator[str]:
    """Yield the task and step of a single episode, or the number of several, since changing text cannot be read."""
    if len(figures.under_way) == 1:
        (one,) = figures.under_way
        yield f"{one.task} step {one.step}"
    elif figures.under_way:
        yield f"{len(figures.under_way)} under way"


def _speed(figures: Figures) -> Iterator[str]:
    if figures.steps_per_second is not None:
        speed = figures.steps_per_second
        yield f"{speed:,.0f} steps/s" if speed >= 100 else f"{speed:.3g} steps/s"
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


FAILED_REQUESTS = (AnswerOutcome.INFRASTRUCTURE, *Trouble)
"""Kinds of failed requests; other requests without an action had an unusable answer."""


def failures(figures: Figures) -> Iterator[str]:
    """Describe the failed requests, then the unusable answers, unless there are none."""
    failed = {kind: count for kind, count in figures.faults.items() if kind in FAILED_REQUESTS}
    unusable = {kind: count for kind, count in figures.faults.items() if kind not in FAILED_REQUESTS}
    for name, counts in (("failed requests", failed), ("unusable answers", unusable)):
        if counts:
            yield f"{name}: {kinds_text(counts, figures.fault_reasons)}"


LONGEST_REASON = 80


def kinds_text(counts: Mapping[str, int], reasons: Mapping[str, str]) -> str:
    """Format counts by kind with the reason of the latest, such as ``1 slow (no whole reply ...)``."""
    told = {kind: shorten(text, LONGEST_REASON) for kind, text in reasons.items() if text}
    return ", ".join(f"{count:,} {kind}" + f" ({told[kind]})" * (kind in told) for kind, count in counts.items())


LONG_WAIT = 3.0
"""Length in seconds from which a wait is worth a line."""
REFRESHES = 4
"""Number of refreshes of the display per second."""


class Reporter(RunObserver):
    """Shows the progress of a run, as a live display on a terminal, otherwise as occasional lines.

    Args:
        tally: the counters.
        progress: whether to show progress.
        in_flight: returns the number of requests in flight.
        console: terminal of the display; by default standard error, if that is a terminal.
        line_seconds: seconds between two lines.
    """

    def __init__(
        self,
        tally: Tally,
        *,
        progress: bool,
        in_flight: Callable[[], int] = lambda: 0,
        console: Console | None = None,
        line_seconds: float = LINE_SECONDS,
    ) -> None:
        self._tally = tally
        self._progress = progress
        self._in_flight = in_flight
        self._live = self._make_live(console) if progress and (console or sys.stderr.isatty()) else None
        self._in_lines = progress and self._live is None
        self._over = threading.Event()
        self._lines = threading.Thread(target=self._print_lines, args=(line_seconds,), name="status", daemon=True)
        self._told: tuple[str, float] | None = None
        """Reason and time of the last line about a wait."""

    def __enter__(self) -> Reporter:
        with starting("the thread that shows progress"):
            if self._live is not None:
                self._live.start()
            if self._in_lines:
                self._lines.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._live is not None:
            self._live.stop()
        if self._in_lines:
            self._lines.join()

    def run_started(self, run: RunStart) -> None:
        """Count finished episodes and begin the session."""
        self._tally.plan(run.episodes)
        solved = sum(result.success for result in run.finished if result.scored)
        self._tally.know(len(run.finished), solved, run.spent)
        self._tally.begin_session()

    def episode_started(self, episode: PlannedEpisode, header: EpisodeHeader) -> None:
        """Show the task of a new episode."""
        self._tally.begin(episode.number, episode.task_id)

    def request_made(self, episode: PlannedEpisode, request: Request) -> None:
        """Count a request."""
        self._tally.ask(episode.number, request)

    def step_taken(self, episode: PlannedEpisode, step: Step, place: Place) -> None:
        """Count a step."""
        self._tally.take(episode.number, step.number)

    def paused(self, episode: PlannedEpisode, pause: Pause) -> None:
        """Show a wait."""
        until = self._tally.clock() + pause.seconds
        self._tally.wait(episode.number, f"{_retry(pause)}: {pause.reason}", until)
        if self._in_lines and pause.seconds >= LONG_WAIT:
            self._print_wait(episode, pause)

    def worker_lost(self, message: str) -> None:
        """Report a lost worker."""
        if self._progress:
            echo(f"note: {message}; its episodes moved to another worker", err=True)

    def stop_delayed(self, message: str) -> None:
        """Report why the run does not stop yet."""
        echo(message, err=True)

    def model_adjusted(self, adjustment: Adjustment) -> None:
        """Report a request field that the server refuses, and the workaround."""
        if self._progress:
            echo(
                f"note: the server refuses {adjustment.refused}; from now on {adjustment.instead} "
                f"(from the start with -M {adjustment.argument}). Its message: {shorten(adjustment.reason)}",
                err=True,
            )

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """Count an episode, and report its error."""
        if result.permanent:
            self._tally.leave(episode.number)
        else:
            self._tally.end(episode.number, solved=result.success and result.scored)
        if result.error is not None:
            name = visible_line(result.task_id)
            outcome = f"stopped at {name}" if result.permanent else f"{name} is not scored"
            echo(f"{outcome}: {result.error}", err=True)

    def _make_live(self, console: Console | None) -> Live:
        from rich.live import Live  # not imported on a pipe

        from multinet_eval.support.rich_console import make_console

        console = console or make_console()
        return Live(console=console, transient=True, refresh_per_second=REFRESHES, get_renderable=self._display)

    def _display(self) -> RenderableType:
        from rich.console import Group

        figures = self._tally.figures(self._in_flight())
        if not figures.planned:
            return Group()
        notes = [] if figures.wait is None else [wait_text(figures.wait, self._tally.clock())]
        return figures_display(figures, *notes)

    def _print_lines(self, seconds: float) -> None:
        while not self._over.wait(seconds):
            echo(figures_line(self._tally.figures(self._in_flight())), err=True)

    def _print_wait(self, episode: PlannedEpisode, pause: Pause) -> None:
        """Print a wait, once for all episodes with the same reason, and again if the wait lasts."""
        now, reason = self._tally.clock(), _reason(pause)
        if self._told is not None and self._told[0] == reason and now < self._told[1] + LINE_SECONDS:
            return
        self._told = (reason, now)
        name = visible_line(episode.task_id)
        echo(f"waiting {pause.seconds:.0f} s: {name}, step {pause.step}, {_retry(pause)}: {reason}", err=True)


def _retry(pause: Pause) -> str:
    return "retry" if pause.retry is None else f"retry {pause.retry} of {pause.retries}"


def _reason(pause: Pause) -> str:
    return visible_line(shorten(pause.reason))
