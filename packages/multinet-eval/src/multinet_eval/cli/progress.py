"""The live display of a run, on standard error so that results can be piped."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from gridworld.actions import ACTION_SPACE
from gridworld.backends.grid_state import GridState
from gridworld.model_interface import Adjustment
from gridworld.runner.record import Step
from gridworld.support.wording import shorten, visible_line
from gridworld.task_spec import TaskSpecification
from multinet_eval.asking.backoff import Wait
from multinet_eval.cli.echo import echo
from multinet_eval.cli.rich_console import make_console
from multinet_eval.scores.task_result import TaskResult

__all__ = ["Reporter"]


class Reporter:
    """Shows which task and step a run is at; with `verbose`, a line for every step.

    Args:
        num_tasks: how many tasks the run has.
        progress: whether to show a bar; there is none where standard error is no terminal.
        verbose: whether to tell every step.
    """

    def __init__(self, num_tasks: int, progress: bool, verbose: bool) -> None:
        console = make_console()
        self._notes = progress
        self._verbose = verbose
        self._told: set[Adjustment] = set()
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
        self._task = self._bar.add_task("starting", total=num_tasks, solved=0, step=0, wait=None)

    def __enter__(self) -> Reporter:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, task: TaskSpecification) -> None:
        """A task begins."""
        name = visible_line(task.task_id)
        self._bar.update(self._task, description=name, step=0, wait=None)
        if self._verbose:
            echo(f"{name}: at most {task.max_steps} steps", err=True)

    def on_step(self, task: TaskSpecification, step: Step, state: GridState) -> None:
        """A step has been taken or lost."""
        self._bar.update(self._task, step=step.number, wait=None)
        if self._verbose:
            for line in _lines(step, state):
                echo(line, err=True)

    def on_wait(self, wait: Wait) -> None:
        """The model is going to be asked again after a while."""
        self._bar.update(self._task, wait=(wait, monotonic() + wait.seconds))
        if self._verbose:
            echo(f"  {wait.step:4d} {'-':12s} {_waiting(wait, wait.seconds)}", err=True)

    def on_adjustment(self, adjustment: Adjustment) -> None:
        """The model's server refuses a part of its requests; told once a run, on however many tilings it is."""
        if self._notes and adjustment not in self._told:
            echo(
                f"note: the server refuses {adjustment.refused}; {adjustment.instead}, from here on "
                f"(-M {adjustment.argument} does so from the start). It says: {shorten(adjustment.reason)}",
                err=True,
            )
        self._told.add(adjustment)

    def finish(self, result: TaskResult) -> None:
        """A task has ended."""
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
        wait, until = task.fields["wait"]
        return Text(_waiting(wait, max(0.0, until - monotonic())))


def _waiting(wait: Wait, seconds: float) -> str:
    again = f"retry {wait.retry} of {wait.retries}"
    when = f"{again} in {seconds:.1f} s" if seconds > 0 else f"{again} is being asked"
    return f"{when}: {visible_line(shorten(wait.reason))}"


LONGEST_REASONING = 80


def _lines(step: Step, state: GridState) -> Iterator[str]:
    """One line for each answer that could not be used, then one for the action if there is any."""
    for request in step.requests:
        if request.action is None:
            yield f"  {step.number:4d} {'-':12s} {request.outcome:10s} {shorten(request.message)}"
    last = step.last
    if step.action is not None and last is not None:
        x, y = state.agent_position
        reasoning = f": {shorten(str(last.reasoning), LONGEST_REASONING)}" if last.reasoning else ""
        facts = f"at ({x}, {y}) facing {state.agent_direction}{reasoning}"
        yield f"  {step.number:4d} {ACTION_SPACE[step.action]:12s} {last.outcome:10s} {facts}"
