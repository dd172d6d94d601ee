"""HTML pages for the options ``--report`` and ``--html``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from multinet_eval.analysis.leaderboard import Leaderboard
from multinet_eval.analysis.pages import PageProgress, PageWriter, WrittenPage, say_nothing
from multinet_eval.record.manifest import Suite
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_report.gallery import write_gallery
from multinet_report.leaderboard import write_leaderboard
from multinet_report.report import write_report


class HtmlPages(PageWriter):
    """Writes self-contained HTML files.

    Args:
        max_states: maximum number of states of a task for which pages of runs have distances to success.
        workers: number of processes that read episodes of runs.
    """

    def __init__(self, max_states: int = MAX_STATES_OF_METRICS, workers: int = 1) -> None:
        self._max_states = max_states
        self._workers = workers

    def write_runs(self, runs: Sequence[Path], output: Path, progress: PageProgress = say_nothing) -> WrittenPage:
        """Write a page of recorded runs; raises like `write_report`."""
        return write_report(runs, output, self._max_states, progress, self._workers)

    def write_leaderboard(self, found: Leaderboard, folder: Path, progress: PageProgress = say_nothing) -> WrittenPage:
        """Write ``index.html`` and a page for each entry; raises like `write_leaderboard`."""
        return write_leaderboard(found, folder, progress)

    def write_suite(
        self, suite: Suite, tilings: Sequence[str], output: Path, max_states: int, progress: PageProgress = say_nothing
    ) -> WrittenPage:
        """Write a page of a suite; raises like `write_gallery`."""
        return write_gallery(suite, tilings, output, max_states, progress)
