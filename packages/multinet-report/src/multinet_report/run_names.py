"""What runs are called on a page, so that no two are called alike."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from multinet_eval.analysis.comparability import distinctions
from multinet_eval.analysis.recorded_run import run_names
from multinet_eval.record.run_directory import RunDirectory
from multinet_report.sources import RunSource

__all__ = ["RunName", "name_runs"]

SHOWN_BESIDE = ("model.name",)
"""The parts of fingerprints that stand beside each name."""


@attrs.frozen
class RunName:
    """What tells a run from others."""

    directory: RunDirectory
    folder: str
    """That of its folder, or its path where folders have the same name."""
    differs: str
    """What is not the same in all runs of its condition, such as ``hex, seed=3``; empty where nothing is."""
    condition: str | None
    """What it is called in its experiment or diagnosis, if it belongs to one."""


def name_runs(sources: Sequence[RunSource]) -> list[RunName]:
    """The name of each run, in order; raises RunError if one cannot be read."""
    directories = [RunDirectory(each.path) for each in sources]
    told = [""] * len(sources)
    for condition in {each.condition for each in sources}:
        places = [place for place, each in enumerate(sources) if each.condition == condition]
        found = distinctions([directories[place].manifest for place in places], SHOWN_BESIDE)
        for place, words in zip(places, found, strict=True):
            told[place] = words
    folders = run_names(each.path for each in sources)
    named = zip(directories, folders, told, sources, strict=True)
    return [RunName(directory, folder, words, source.condition) for directory, folder, words, source in named]
