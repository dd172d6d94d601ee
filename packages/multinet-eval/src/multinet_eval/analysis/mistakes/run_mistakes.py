"""Mistakes of a run's episodes, computed once and kept beside the run (`multinet_eval.record.derived`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path

from gridworld.errors import GridworldError
from multinet_eval.analysis.metrics.analysed_episodes import Analyst, Group, grouped
from multinet_eval.analysis.metrics.kept_values import analysis_maker
from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes
from multinet_eval.record.derived import Derived, Records
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.support.parallel import ALONE, Work

NAME = "mistakes"


def mistakes_of_run(
    directory: RunDirectory,
    max_table_states: int = MAX_STATES_OF_METRICS,
    backend_arguments: Iterable[str] = (),
    work: Work = ALONE,
) -> Mapping[int, EpisodeMistakes]:
    """Find the mistakes of the finished episodes of a run, by number, from the latest attempt at each.

    Args:
        directory: the run.
        max_table_states: maximum number of states; larger tasks have no distances.
        backend_arguments: ``key=value`` for credentials, which are not recorded.
        work: how episodes are read and analysed.

    Raises:
        RunError: an episode cannot be read.
        ArgumentError: the backend needs credentials that are not given.
        DivergedError: replaying gives another episode than recorded.
        PluginFault: a plugin of the run failed.
    """
    arguments = tuple(backend_arguments)
    records = Records(directory)
    maker = analysis_maker(directory, max_table_states, arguments)
    kept: Derived[EpisodeMistakes] = Derived(directory.root, records, NAME, EpisodeMistakes, maker)
    begun = [each for each in directory.manifest.plan if each.number in records.attempts]
    found = {each.number: kept.get(each.number) for each in begun}
    missing = grouped((each for each in begun if found[each.number] is None), records)
    analyst = Analyst(directory, max_table_states, arguments)
    find_in_worker = partial(_find_in_worker, directory.root, max_table_states, arguments)
    parts = work.map(find_in_worker, missing, "finding mistakes", partial(_find, analyst))
    try:
        for number, mistakes in chain.from_iterable(parts):
            found[number] = mistakes
            kept.put(number, mistakes)
    finally:
        kept.save()
    return {number: mistakes for number, mistakes in found.items() if mistakes is not None}


def mistakes_if_known(directory: RunDirectory, work: Work = ALONE) -> tuple[Mapping[int, EpisodeMistakes], str | None]:
    """Find the mistakes as `mistakes_of_run` does, or say why they are unknown, as without a plugin of the run.

    Raises:
        RunError: an episode cannot be read.
    """
    try:
        return mistakes_of_run(directory, work=work), None
    except RunError:
        raise
    except GridworldError as error:
        return {}, f"mistakes are unknown: {error}"


def _find(analyst: Analyst, groups: Sequence[Group]) -> list[tuple[int, EpisodeMistakes]]:
    return [(planned.number, EpisodeMistakes.of(episode)) for planned, episode in analyst.analyses(groups)]


def _find_in_worker(
    path: Path, max_table_states: int, backend_arguments: tuple[str, ...], groups: Sequence[Group]
) -> list[tuple[int, EpisodeMistakes]]:
    return _find(_analyst(path, max_table_states, backend_arguments), groups)


@lru_cache(maxsize=1)
def _analyst(path: Path, max_table_states: int, backend_arguments: tuple[str, ...]) -> Analyst:
    return Analyst(RunDirectory(path), max_table_states, backend_arguments)
