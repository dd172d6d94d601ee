"""The live display of a run, on standard error so that results can be piped."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gridworld.actions import ACTION_SPACE
from gridworld.backends.grid_state import GridState
from gridworld.runner.record import Step
from gridworld.support.wording import shorten
from gridworld.task_spec import TaskSpecification
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
        console = Console(stderr=True)
        self._verbose = verbose
        self._solved = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("solved {task.fields[solved]}  step {task.fields[step]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not progress or not console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=num_tasks, solved=0, step=0)

    def __enter__(self) -> Reporter:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, task: TaskSpecification) -> None:
        """A task begins."""
        self._bar.update(self._task, description=task.task_id, step=0)
        if self._verbose:
            typer.echo(f"{task.task_id}: at most {task.max_steps} steps", err=True)

    def on_step(self, task: TaskSpecification, step: Step, state: GridState) -> None:
        """A step has been taken or lost."""
        self._bar.update(self._task, step=step.number)
        if self._verbose:
            for line in _lines(step, state):
                typer.echo(line, err=True)

    def finish(self, result: TaskResult) -> None:
        """A task has ended."""
        self._solved += result.success and result.scored
        self._bar.update(self._task, advance=1, solved=self._solved)
        if result.error is not None:
            come_of_it = f"stopped at {result.task_id}" if result.permanent else f"{result.task_id} is not scored"
            typer.echo(f"{come_of_it}: {result.error}", err=True)


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
