"""The live display of a run, on standard error so that results can be piped."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import Adjustment
from gridworld.runner.record import EpisodeHeader, Step
from gridworld.support.wording import shorten, visible_line
from multinet_eval.cli.echo import echo
from multinet_eval.cli.rich_console import make_console
from multinet_eval.runs.observers import Pause, Place, RunObserver, RunStart
from multinet_eval.runs.plan import PlannedEpisode
from multinet_eval.scores.task_result import TaskResult

__all__ = ["Reporter"]


class Reporter(RunObserver):
    """Shows which episode and step a run is at; with `verbose`, a line for every step.

    Args:
        progress: whether to show a bar; there is none where standard error is no terminal.
        verbose: whether to show every step.
    """

    def __init__(self, progress: bool, verbose: bool) -> None:
        console = make_console()
        self._notes = progress
        self._verbose = verbose
        self._solved = 0
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("solved {task.fields[solved]}  step {task.fields[step]}"),
            TimeElapsedColumn(),
            _WaitColumn(),
            console=console,
            transient=True,
            disable=not progress or not console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=None, solved=0, step=0, wait=None)

    def __enter__(self) -> Reporter:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def run_started(self, run: RunStart) -> None:
        """Show how far it is."""
        self._solved = sum(result.success for result in run.finished if result.scored)
        self._bar.update(self._task, total=run.episodes, completed=len(run.finished), solved=self._solved)

    def episode_started(self, episode: PlannedEpisode, header: EpisodeHeader) -> None:
        """Show its task."""
        name = visible_line(episode.task_id)
        self._bar.update(self._task, description=name, step=0, wait=None)
        if self._verbose:
            echo(f"{name}: at most {header.max_steps} steps", err=True)

    def step_taken(self, episode: PlannedEpisode, step: Step, place: Place) -> None:
        """Show its number."""
        self._bar.update(self._task, step=step.number, wait=None)
        if self._verbose:
            for line in _lines(step, place):
                echo(line, err=True)

    def paused(self, episode: PlannedEpisode, pause: Pause) -> None:
        """Show for what the run waits."""
        self._bar.update(self._task, wait=(pause, monotonic() + pause.seconds))
        if self._verbose:
            echo(f"  {pause.step:4d} {'-':12s} {_waiting(pause, pause.seconds)}", err=True)

    def worker_lost(self, message: str) -> None:
        """Say so."""
        if self._notes:
            echo(f"note: {message}; its episodes go on on another", err=True)

    def model_adjusted(self, adjustment: Adjustment) -> None:
        """Say what the server refuses, and what is done instead."""
        if self._notes:
            echo(
                f"note: the server refuses {adjustment.refused}; {adjustment.instead}, from here on "
                f"(-M {adjustment.argument} does so from the start). It says: {shorten(adjustment.reason)}",
                err=True,
            )

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """Count it."""
        self._solved += result.success and result.scored
        self._bar.update(self._task, advance=1, solved=self._solved)
        if result.error is not None:
            name = visible_line(result.task_id)
            come_of_it = f"stopped at {name}" if result.permanent else f"{name} is not scored"
            echo(f"{come_of_it}: {result.error}", err=True)


class _WaitColumn(ProgressColumn):
    """For what the run waits, and how much longer; empty while it does not."""

    def render(self, task: Task) -> Text:
        """As of now."""
        if task.fields["wait"] is None:
            return Text()
        pause, until = task.fields["wait"]
        return Text(_waiting(pause, max(0.0, until - monotonic())))


def _waiting(pause: Pause, seconds: float) -> str:
    again = "retry" if pause.retry is None else f"retry {pause.retry} of {pause.retries}"
    when = f"{again} in {seconds:.1f} s" if seconds > 0 else f"{again} is being asked"
    return f"{when}: {visible_line(shorten(pause.reason))}"


LONGEST_REASONING = 80


def _lines(step: Step, place: Place) -> Iterator[str]:
    """One line for each answer that could not be used, then one for the action if there is any."""
    for request in step.requests:
        if request.action is None:
            yield f"  {step.number:4d} {'-':12s} {request.outcome:10s} {shorten(request.message)}"
    last = step.last
    if step.action is not None and last is not None:
        x, y, heading = place
        reasoning = f": {shorten(str(last.reasoning), LONGEST_REASONING)}" if last.reasoning else ""
        facts = f"at ({x}, {y}) facing {heading}{reasoning}"
        yield f"  {step.number:4d} {ACTION_SPACE[step.action]:12s} {last.outcome:10s} {facts}"
