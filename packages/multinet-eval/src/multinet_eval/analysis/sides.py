"""`Side`: what is compared, a recorded run or what it played of one variant of matched tasks."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from gridworld.errors import ArgumentError
from multinet_eval.analysis.recorded_run import PlayedEpisode, PlayedTogether, RecordedRun, run_names
from multinet_eval.record.played_suite import PlayedSuite

__all__ = ["VARIANT", "Side", "sides_by_variant", "sides_of"]

VARIANT = "variant"
"""The field of ``metadata`` that tells the tasks of a matched set from each other, and the condition it makes."""


@attrs.frozen
class Side(PlayedTogether):
    """Episodes of one run."""

    name: str
    """No other side of a comparison has it."""
    model: str
    suite: PlayedSuite
    run: str
    """That it is of: its folder, or its path where folders have the same name."""
    played: tuple[PlayedEpisode, ...]
    """In the order of the plan."""
    variant: str | None = None
    """The variant of matched tasks that it is; None for a whole run."""


def sides_of(runs: Sequence[RecordedRun]) -> list[Side]:
    """A side for each run, called by its folder, or its path where folders have the same name."""
    names = run_names(run.path for run in runs)
    return [
        Side(name, run.manifest.model_name, run.manifest.played_suite, name, run.played)
        for name, run in zip(names, runs, strict=True)
    ]


def sides_by_variant(runs: Sequence[RecordedRun]) -> list[Side]:
    """A side for each variant of matched tasks in each run, in the order in which they are first played.

    It is called by the variant, after its run where there are several. Tasks that are no variant are left out.

    Raises:
        ArgumentError: there are fewer than two sides.
    """
    found = []
    for run, whole in zip(runs, sides_of(runs), strict=True):
        for variant, played in _by_variant(run).items():
            name = f"{whole.name}: {variant}" if len(runs) > 1 else variant
            found.append(Side(name, whole.model, whole.suite, whole.name, tuple(played), variant))
    if len(found) < 2:
        places = ", ".join(str(run.path) for run in runs)
        there_is = f"all are {found[0].name!r}" if found else "no task is one"
        raise ArgumentError(f"{places}: expected at least two variants of tasks (metadata.{VARIANT}), but {there_is}")
    return found


def _by_variant(run: RecordedRun) -> dict[str, list[PlayedEpisode]]:
    """Variant to the episodes of its tasks."""
    episodes: dict[str, list[PlayedEpisode]] = {}
    for each in run.played:
        variant = run.tasks[each.planned.task].metadata.get(VARIANT)
        if variant is not None:
            episodes.setdefault(str(variant), []).append(each)
    return episodes
