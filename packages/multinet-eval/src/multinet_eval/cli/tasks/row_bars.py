"""Bars on standard error that follow rows as they are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["with_progress", "with_progress_between"]

Row = TypeVar("Row")


def with_progress(rows: Iterable[Row], total: int, description: str) -> Iterator[Row]:
    """The same rows, with a bar on standard error that follows them; there is none where that is no terminal."""
    with _bar() as bar:
        yield from bar.track(rows, total, description=description)


def with_progress_between(rows: Iterable[Row], total: int, description: str) -> Iterator[Row]:
    """The same for rows that are printed as they come: the bar is hidden meanwhile."""
    with _bar() as bar:
        for row in bar.track(rows, total, description=description):
            bar.stop()
            yield row
            bar.start()


def _bar() -> Progress:
    from rich.progress import Progress

    from multinet_eval.cli.rich_console import make_console

    console = make_console()
    # What is printed goes where it belongs: Rich would send standard output, too, to the terminal of the bar.
    return Progress(
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_terminal or console.is_dumb_terminal,
    )
