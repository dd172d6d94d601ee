"""Pages that commands write by the way, where a plugin is installed that does."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from multinet_eval.cli.echo import echo

if TYPE_CHECKING:
    from multinet_eval.analysis.pages import PageProgress, PageWriter, WrittenPage
    from multinet_eval.monitor.watching import RunView

__all__ = ["FollowingPage", "make_page_writer", "reading_progress", "refuse_page", "tell_page"]

FOLLOW = 5.0
"""The seconds after which an open page of a run in progress is read anew."""
SPARING = 10.0
"""How many times as long as it took to write a page the next one is waited for."""


def tell_page(page: WrittenPage, err: bool = False) -> bool:
    """Say where a page is, how large it is, and what is not on it; returns whether nothing is missing."""
    echo(f"{page.path}: {page.shows}, {page.size / 1000:.0f} kB", err=err)
    for line in (*page.problems, *page.notes):
        echo(line, err=True)
    return not page.problems


def reading_progress(quiet: bool = False) -> AbstractContextManager[PageProgress]:
    """Shows how far the reading of episodes for a page has come, as `counting` does, unless it is to be quiet."""
    from multinet_eval.analysis.pages import say_nothing
    from multinet_eval.cli.row_bars import counting

    return nullcontext(say_nothing) if quiet else counting("reading", "episodes")


def make_page_writer() -> PageWriter:
    """What writes the HTML pages that ``--report`` and ``--html`` ask for; raises as `make_object` does."""
    from gridworld.plugins import get_registry
    from multinet_eval.analysis.pages import HTML, PageWriter
    from multinet_eval.settings.plugin_objects import make_object

    writer: PageWriter = make_object(get_registry().pages, HTML, [], PageWriter)
    return writer


def refuse_page(option: str, output: Path) -> None:
    """Make sure that a page could be written to a file.

    Raises:
        ArgumentError: it could not.
        UnknownNameError: nothing is installed that writes pages; the message says what to install.
    """
    from multinet_eval.cli.output_places import refuse_output

    refuse_output(output, option)
    make_page_writer()


class FollowingPage:
    """The page of a run in progress, written anew as episodes end.

    Args:
        writer: what writes it.
        run: the folder of the run.
        output: the file.
    """

    def __init__(self, writer: PageWriter, run: Path, output: Path) -> None:
        self._writer = writer
        self._run = run
        self._output = output
        self._ended: int | None = None
        self._next = 0.0

    def follow(self, view: RunView) -> None:
        """Write it if an episode has ended since it was written, but for a while after that."""
        ended = view.figures.finished
        if ended == self._ended or time.monotonic() < self._next:
            return
        begun = time.monotonic()
        self._writer.write_runs([self._run], self._output, FOLLOW)
        now = time.monotonic()
        self._ended, self._next = ended, now + SPARING * (now - begun)

    def finish(self) -> bool:
        """Write it for good: it is not read anew any more; returns whether nothing is missing from it."""
        return tell_page(self._writer.write_runs([self._run], self._output), err=True)
