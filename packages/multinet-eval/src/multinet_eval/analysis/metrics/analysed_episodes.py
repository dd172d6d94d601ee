"""Analyses of a run's episodes, in parts that worker processes can share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTasks
from multinet_eval.record.derived import Records
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.run_directory import Attempt, RunDirectory
from multinet_eval.support.parallel import TOGETHER

Group = Sequence[tuple[PlannedEpisode, Sequence[Attempt]]]
"""Episodes of a task on a tiling with the same budget, and the attempts at each."""


def grouped(episodes: Iterable[PlannedEpisode], records: Records) -> list[list[Group]]:
    """Group episodes by their world, in parts of at least `TOGETHER` but for the last.

    Args:
        episodes: episodes that have begun.
        records: their attempts.
    """
    parts: list[list[Group]] = []
    for _, same in groupby(sorted(episodes, key=_played), key=_played):
        group = [(each, records.attempts[each.number]) for each in same]
        if not parts or sum(map(len, parts[-1])) >= TOGETHER:
            parts.append([])
        parts[-1].append(group)
    return parts


def _played(planned: PlannedEpisode) -> tuple[str, str, int]:
    """Return a key that identifies the world of an episode."""
    return planned.task, planned.tiling or "", planned.max_steps or 0


class Analyst:
    """Analyses finished episodes of a run: the states of a world are tabulated once for all its episodes.

    Args:
        directory: the run.
        max_table_states: maximum number of states; larger tasks have no distances.
        backend_arguments: ``key=value`` for credentials, which are not recorded.
    """

    def __init__(self, directory: RunDirectory, max_table_states: int, backend_arguments: Iterable[str] = ()) -> None:
        self.directory = directory
        self._known = KnownTasks(directory, max_table_states, backend_arguments)

    def analyses(self, groups: Iterable[Group]) -> Iterator[tuple[PlannedEpisode, EpisodeAnalysis]]:
        """Yield the analyses of the finished ones among some episodes, one at a time.

        Raises:
            RunError: an episode cannot be read.
            ArgumentError: the backend needs credentials that are not given.
            PluginFault: a plugin of the run failed.
        """
        for group in groups:
            first, _ = group[0]
            task = first.bound(self.directory.task(first.task))
            known = self._known.known_task(task, first.tiling)
            suite = self._known.known_suite(first.tiling)
            for planned, attempts in group:
                lines = self.directory.latest(attempts)
                if lines is not None and lines.end is not None:
                    yield planned, EpisodeAnalysis(task, lines.header, tuple(lines.steps), lines.end, known, suite)
