"""Live display of a run, and its figures in words, on standard error so that results can be piped."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING

import attrs

from gridworld.model_interface import Adjustment, AnswerOutcome, Trouble
from gridworld.runner.record import EpisodeHeader, Request, Step
from gridworld.support.wording import counted, shorten, visible_line
from multinet_eval.cli.echo import echo
from multinet_eval.play.observers import Pause, RunObserver, RunStart
from multinet_eval.record.events import RecordedPose, Spent
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.defaults import LINE_SECONDS
from multinet_eval.settings.spending import Prices
from multinet_eval.support.worker_processes import starting

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

BAR = 30
"""Width of the bar in columns."""


def duration(seconds: float) -> str:
    """Format seconds as hours, minutes and seconds, such as ``1:02:03``."""
    return str(timedelta(seconds=round(seconds)))


FAILED_REQUESTS = (AnswerOutcome.INFRASTRUCTURE, *Trouble)
"""Kinds of failed requests; other requests without an action had an unusable answer."""


LONGEST_REASON = 80


def kinds_text(counts: Mapping[str, int], reasons: Mapping[str, str]) -> str:
    """Format counts by kind, the commonest first, with the reason of the latest of each.

    For instance ``12 slow (no whole reply ...), 1 overloaded``.
    """
    told = {kind: f" ({shorten(text, LONGEST_REASON)})" for kind, text in reasons.items() if text}
    commonest_first = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{count:,} {kind}{told.get(kind, '')}" for kind, count in commonest_first)


LONG_WAIT = 3.0
"""Length in seconds from which a wait is worth a line."""
REFRESHES = 4
"""Number of refreshes of the display per second."""


@attrs.define
class _UnderWay:
    """An episode in progress."""

    task: str
    step: int = 0
    """Number of the last step; 0 before the first."""
    wait: tuple[float, str] | None = None
    """When the wait before a repeated request ends, and its reason, if the episode waits."""


class Reporter(RunObserver):
    """Counts the events of a run, and shows them as a live display on a terminal, otherwise as occasional lines.

    Args:
        prices: prices of tokens, if known.
        progress: whether to show progress.
        in_flight: returns the number of requests in flight.
        console: terminal of the display; by default standard error, if that is a terminal.
        line_seconds: seconds between two lines.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        prices: Prices | None = None,
        *,
        progress: bool,
        in_flight: Callable[[], int] = lambda: 0,
        console: Console | None = None,
        line_seconds: float = LINE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._prices = prices
        self._progress = progress
        self._in_flight = in_flight
        self._clock = clock
        self._counting = threading.RLock()
        """Held while counts are changed or read, since the display has a thread of its own."""
        self._planned = self._steps = 0
        self._before = (0, 0)
        """Number of episodes finished and solved in earlier sessions."""
        self._under_way: dict[int, _UnderWay] = {}
        self._solved: dict[int, bool] = {}
        """Whether each episode that ended in this session reached the goal."""
        self._spent = Spent()
        self._faults = Counter[str]()
        """Number of failed requests and unusable answers by kind: the outcome, or the kind of server problem."""
        self._reasons: dict[str, str] = {}
        """Message of the latest of each kind."""
        self._since = clock()
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
        """Count what earlier sessions did, and begin the session."""
        solved = sum(result.success for result in run.finished if result.scored)
        with self._counting:
            self._planned, self._before, self._spent = run.episodes, (len(run.finished), solved), run.spent
            self._since = self._clock()

    def episode_started(self, episode: PlannedEpisode, header: EpisodeHeader) -> None:
        """Show the task of a new episode."""
        with self._counting:
            self._solved.pop(episode.number, None)
            self._under_way[episode.number] = _UnderWay(episode.task_id)

    def request_made(self, episode: PlannedEpisode, request: Request) -> None:
        """Count a request."""
        with self._counting:
            self._spent = self._spent.plus(request)
            if episode.number in self._under_way:
                self._under_way[episode.number].wait = None
            if request.outcome not in (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT):
                kind = str(request.trouble or request.outcome)
                self._faults[kind] += 1
                self._reasons[kind] = request.message

    def step_taken(self, episode: PlannedEpisode, step: Step, place: RecordedPose) -> None:
        """Count a step, taken or lost."""
        with self._counting:
            self._steps += 1
            self._under_way[episode.number] = _UnderWay(episode.task_id, step.number)

    def paused(self, episode: PlannedEpisode, pause: Pause) -> None:
        """Show a wait."""
        with self._counting:
            account = self._under_way.setdefault(episode.number, _UnderWay(episode.task_id))
            account.wait = (self._clock() + pause.seconds, f"{_retry(pause)}: {pause.reason}")
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
        with self._counting:
            self._under_way.pop(episode.number, None)
            if not result.permanent:  # such an error leaves the episode to be played again
                self._solved[episode.number] = result.success and result.scored
        if result.error is not None:
            name = visible_line(result.task_id)
            outcome = f"stopped at {name}" if result.permanent else f"{name} is not scored"
            echo(f"{outcome}: {result.error}", err=True)

    def _make_live(self, console: Console | None) -> Live:
        from rich.live import Live  # not imported on a pipe

        from multinet_eval.support.rich_console import make_console

        console = console or make_console()
        return Live(console=console, transient=True, refresh_per_second=REFRESHES, get_renderable=self._display)

    def failures(self) -> list[str]:
        """Describe the failed requests, then the unusable answers, unless there are none."""
        with self._counting:
            told = {"failed requests": self._failed(), "unusable answers": self._unusable()}
            return [f"{name}: {kinds_text(counts, self._reasons)}" for name, counts in told.items() if counts]

    def _failed(self) -> dict[str, int]:
        return {kind: count for kind, count in self._faults.items() if kind in FAILED_REQUESTS}

    def _unusable(self) -> dict[str, int]:
        return {kind: count for kind, count in self._faults.items() if kind not in FAILED_REQUESTS}

    def line(self) -> str:
        """Describe the progress in one line."""
        with self._counting:
            words = [f"{self._finished} of {self._planned} episodes", f"{self._won} solved"]
            return ", ".join([*words, *self._commonest_fault(), *self._speed(), *self._now(), *self._load()])

    def _commonest_fault(self) -> Iterator[str]:
        """Describe the commonest kind of failed requests and unusable answers with its reason; count the others."""
        if not self._faults:
            return
        kind = min(self._faults, key=lambda each: (-self._faults[each], each))
        own, other = ("failed request", self._failed()), ("unusable answer", self._unusable())
        if kind not in FAILED_REQUESTS:
            own, other = other, own
        told = f"{own[0]}s: {kinds_text({kind: self._faults[kind]}, self._reasons)}"
        alike, others = sum(own[1].values()) - self._faults[kind], sum(other[1].values())
        told += f" and {alike:,} of other kinds" if alike else ""
        yield f"{told}, {counted(others, other[0])}" if others else told

    @property
    def _finished(self) -> int:
        return self._before[0] + len(self._solved)

    @property
    def _won(self) -> int:
        return self._before[1] + sum(self._solved.values())

    def _speed(self) -> Iterator[str]:
        if not self._planned:
            return
        passed = max(0.0, self._clock() - self._since)
        if passed and self._steps:
            speed = self._steps / passed
            yield f"{speed:,.0f} steps/s" if speed >= 100 else f"{speed:.3g} steps/s"
        yield f"{duration(passed)} passed"
        left = (self._planned - self._finished) * passed / len(self._solved) if self._solved else 0.0
        if left:
            yield f"{duration(left)} left"

    def _now(self) -> Iterator[str]:
        """Yield the task and step of a single episode, or the number of several, since changing text cannot be read."""
        if len(self._under_way) == 1:
            (one,) = self._under_way.values()
            yield f"{one.task} step {one.step}"
        elif self._under_way:
            yield f"{len(self._under_way)} under way"

    def _load(self) -> Iterator[str]:
        spent = self._spent
        yield f"{self._in_flight()} in flight"
        if spent.requests:
            yield f"{spent.requests:,} request{'s' * (spent.requests > 1)}"
        if spent.cached:
            yield f"{spent.cached:,} from the cache"
        if spent.tokens:
            yield f"{spent.tokens:,} tokens"
        if self._prices is not None:
            yield f"cost {self._prices.cost_of(spent):.4g}"

    def _wait(self) -> Iterator[str]:
        """Describe the wait that ends first, if any."""
        waits = [each.wait for each in self._under_way.values() if each.wait is not None]
        if waits:
            until, reason = min(waits)
            left = until - self._clock()
            yield f"waiting{f' {left:.1f} s' if left > 0 else ', asking again'}: {visible_line(shorten(reason))}"

    def _display(self) -> RenderableType:
        """Return a bar with lines below it."""
        from rich.console import Group  # not imported on a pipe
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        with self._counting:
            if not self._planned:
                return Group()
            head = Table.grid(padding=(0, 1))
            head.add_column(width=BAR)
            head.add_column(no_wrap=True, overflow="ellipsis")
            bar = ProgressBar(total=self._planned, completed=self._finished, width=BAR)
            head.add_row(bar, "  ".join([f"{self._finished}/{self._planned} solved {self._won}", *self._speed()]))
            faults = [Text(visible_line(line)) for line in self._commonest_fault()]  # whole, and first
            below = ["  ".join([*self._now(), *self._load()]), *self._wait()]
        lines = [Text(visible_line(line), no_wrap=True, overflow="ellipsis") for line in below if line]
        return Group(head, *faults, *lines)

    def _print_lines(self, seconds: float) -> None:
        while not self._over.wait(seconds):
            echo(self.line(), err=True)

    def _print_wait(self, episode: PlannedEpisode, pause: Pause) -> None:
        """Print a wait, once for all episodes with the same reason, and again if the wait lasts."""
        now, reason = self._clock(), visible_line(shorten(pause.reason))
        if self._told is not None and self._told[0] == reason and now < self._told[1] + LINE_SECONDS:
            return
        self._told = (reason, now)
        name = visible_line(episode.task_id)
        echo(f"waiting {pause.seconds:.0f} s: {name}, step {pause.step}, {_retry(pause)}: {reason}", err=True)


def _retry(pause: Pause) -> str:
    return "retry" if pause.retry is None else f"retry {pause.retry} of {pause.retries}"
