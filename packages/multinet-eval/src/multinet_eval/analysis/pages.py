"""`PageWriter`: what plugins implement that show runs, suites and leaderboards as pages for people."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from multinet_eval.analysis.leaderboard import Leaderboard
    from multinet_eval.record.manifest import Suite


HTML = "html"
"""The name of the writer of HTML files."""

PageProgress = Callable[[int, int], object]
"""Is told how many episodes have been read, and how many there are on the page."""


def say_nothing(read: int, planned: int) -> None:
    """The progress of pages that nobody waits for."""


@attrs.frozen
class WrittenPage:
    """A page that was written."""

    path: Path
    shows: str
    """How much is on it, in words, such as ``10 episodes``."""
    size: int
    """Of the file, in bytes."""
    problems: tuple[str, ...] = ()
    """Parts that could not be read, or failed, and are missing."""
    notes: tuple[str, ...] = ()
    """Parts left out for another reason, such as distances for a task that cannot be won."""


class PageWriter(ABC):
    """Writes pages, each whole or not at all.

    All methods raise GridworldError where what is to be shown cannot be read, or a page cannot be written.
    """

    @abstractmethod
    def write_runs(
        self, runs: Sequence[Path], output: Path, follow: float | None = None, progress: PageProgress = say_nothing
    ) -> WrittenPage:
        """Write a page of recorded runs.

        Args:
            runs: their folders, finished or not.
            output: the file.
            follow: the seconds after which an open page is read anew, for runs in progress; None for pages that stay.
            progress: is told after each episode.
        """

    @abstractmethod
    def write_leaderboard(self, found: Leaderboard, folder: Path, progress: PageProgress = say_nothing) -> WrittenPage:
        """Write ``index.html``, which shows a leaderboard and leads into the episodes of its runs.

        Args:
            found: the leaderboard.
            folder: where it is written, with the pages that it leads to.
            progress: is told after each episode of any run.
        """

    @abstractmethod
    def write_suite(
        self, suite: Suite, tilings: Sequence[str], output: Path, max_states: int, progress: PageProgress = say_nothing
    ) -> WrittenPage:
        """Write a page of a suite: each task with its difficulty, its certificate and its optimal run.

        Args:
            suite: the suite.
            tilings: on which its tasks are shown.
            output: the file.
            max_states: the most states of a task for which a shortest plan is looked for.
            progress: is told after each optimal run.
        """
