"""Interface of plugins that present runs, suites and leaderboards as pages."""

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
"""Name of the HTML page writer."""

PageProgress = Callable[[int, int], object]
"""Called with the number of episodes read, and the total."""


def say_nothing(read: int, planned: int) -> None:
    """Ignore progress; the default of `PageProgress` parameters."""


@attrs.frozen
class WrittenPage:
    """Description of a written page."""

    path: Path
    shows: str
    """Summary of the contents, such as ``10 episodes``."""
    size: int
    """Size of the file, in bytes."""
    problems: tuple[str, ...] = ()
    """Parts missing because they could not be read or failed."""
    notes: tuple[str, ...] = ()
    """Parts omitted for other reasons, such as distances for an unsolvable task."""


class PageWriter(ABC):
    """Writes pages, each atomically.

    All methods raise GridworldError if the contents cannot be read or the page cannot be written.
    """

    @abstractmethod
    def write_runs(self, runs: Sequence[Path], output: Path, progress: PageProgress = say_nothing) -> WrittenPage:
        """Write a page of recorded runs.

        Args:
            runs: folders of runs, finished or not.
            output: the file.
            progress: called after each episode.
        """

    @abstractmethod
    def write_leaderboard(self, found: Leaderboard, folder: Path, progress: PageProgress = say_nothing) -> WrittenPage:
        """Write ``index.html`` with a leaderboard, and pages with the episodes of its runs.

        Args:
            found: the leaderboard.
            folder: folder for the pages.
            progress: called after each episode of any run.
        """

    @abstractmethod
    def write_suite(
        self, suite: Suite, tilings: Sequence[str], output: Path, max_states: int, progress: PageProgress = say_nothing
    ) -> WrittenPage:
        """Write a page of a suite: each task with its difficulty, its certificate and its optimal run.

        Args:
            suite: the suite.
            tilings: the tilings on which its tasks are shown.
            output: the file.
            max_states: maximum number of states of a task for which a shortest plan is searched.
            progress: called after each optimal run.
        """
