"""Progress bars on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo
from multinet_eval.settings.defaults import LINE_SECONDS

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

BAR_SECONDS = 0.1
"""Seconds between two updates of a bar."""

Item = TypeVar("Item")


def with_progress(rows: Iterable[Item], total: int, description: str) -> Iterator[Item]:
    """Yield rows while a bar on standard error shows their progress, if standard error is a terminal."""
    with progress_bar() as bar:
        task = bar.add_task(description, total=total)  # `bar.track` would start a thread even without a terminal
        for row in rows:
            yield row
            bar.advance(task)


def with_progress_between(rows: Iterable[Item], total: int, description: str) -> Iterator[Item]:
    """Yield rows as `with_progress` does, for rows that are printed as they come: the bar is hidden meanwhile."""
    with progress_bar() as bar:
        for row in bar.track(rows, total, description=description):
            bar.stop()
            yield row
            bar.start()


@contextmanager
def counting(description: str, things: str, line_seconds: float = LINE_SECONDS) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of the number done and the total; a bar shows them, or a line now and then.

    Args:
        description: the work.
        things: plural noun for what is counted.
        line_seconds: seconds between two lines, where standard error is not a terminal.
    """
    with progress_bar() as bar:
        row, last = bar.add_task(description, total=None), time.monotonic()
        pause = line_seconds if bar.disable else BAR_SECONDS

        def show(done: int, planned: int) -> None:
            nonlocal last
            if time.monotonic() < last + pause:
                return
            last = time.monotonic()
            bar.update(row, completed=done, total=planned)
            if bar.disable:
                echo(f"{description}: {done:,} of {planned:,} {things}", err=True)

        yield show


@contextmanager
def naming_work() -> Iterator[Callable[[str], None]]:
    """Yield a function that names the present work; a terminal on standard error shows it with the time since then."""
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with progress_bar(SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()) as bar:

        def show(name: str) -> None:
            for row in bar.task_ids:
                bar.remove_task(row)
            bar.add_task(visible_line(name), total=None)

        yield show


def progress_bar(*columns: ProgressColumn) -> Progress:
    """Make a progress display on standard error, disabled unless standard error is a terminal."""
    from rich.progress import Progress

    from multinet_eval.support.rich_console import make_console

    console = make_console()
    # Rich would redirect standard output, too, to the terminal of the bar.
    return Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_terminal or console.is_dumb_terminal,
    )
