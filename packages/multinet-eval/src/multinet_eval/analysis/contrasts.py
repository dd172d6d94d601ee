"""Contrasts: pairs of runs that change one condition, and the effect of each condition with the others held fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import attrs

from multinet_eval.analysis.shared_conditions import DIGESTS, called, is_within, top_name, varied_parts
from multinet_eval.record.fingerprint import FREE
from multinet_eval.record.manifest import Manifest
from multinet_eval.statistics.clusters import Observation, average, paired_differences
from multinet_eval.statistics.intervals import Range
from multinet_eval.statistics.paired_tests import SignFlip, holm_adjusted, sign_flip_interval, sign_flip_test

MODEL, RUN = "model", "run"
FOLLOWING = (*DIGESTS, "versions", "model.answer_schema", "model.seeding")
"""Parts of a fingerprint that follow from others, and are a condition only where nothing else differs."""


@attrs.frozen
class Conditions:
    """The conditions of one run, or of one variant of tasks within it."""

    manifest: Manifest
    run: str
    """Name of the run."""
    variant: str | None = None


@attrs.frozen
class Contrast:
    """A pair of runs, and the conditions in which they differ."""

    first: int
    """Index of the first, from 0."""
    second: int
    changed: Mapping[str, tuple[str, str]]
    """Names of the differing conditions, each with its description in both runs."""

    @property
    def is_of_one(self) -> bool:
        """Whether a single condition differs."""
        return len(self.changed) == 1


def find_contrasts(arms: Sequence[Conditions], declared: Iterable[str]) -> list[Contrast]:
    """Find the conditions in which the runs of each pair differ.

    The parts of a declared condition count as one, as do those of the model, and a backend that another tiling needs.
    Runs under equal conditions differ in ``run``.

    Args:
        arms: the conditions of each run.
        declared: declared parts of fingerprints.
    """
    names = tuple(declared)
    return [
        Contrast(first, second, _changed(arms[first], arms[second], names))
        for first, second in combinations(range(len(arms)), 2)
    ]


def _changed(first: Conditions, second: Conditions, declared: Sequence[str]) -> dict[str, tuple[str, str]]:
    paths: dict[str, list[str]] = {}
    for path in varied_parts([first.manifest.fingerprint, second.manifest.fingerprint]):
        name = next((each for each in declared if is_within(path, [each])), None)
        if name is not None or is_within(path, [MODEL]) or not is_within(path, FREE):
            paths.setdefault(name or top_name(path), []).append(path)
    leading = {name: each for name, each in paths.items() if not all(is_within(path, FOLLOWING) for path in each)}
    paths = leading or paths
    if "tilings" in paths:
        paths.pop("backend", None)
    changed = {name: (_told(first, name, each), _told(second, name, each)) for name, each in paths.items()}
    if first.variant != second.variant:
        changed["variant"] = (str(first.variant), str(second.variant))
    if first.run != second.run and not paths:
        changed[RUN] = (first.run, second.run)
    return changed


def _told(arm: Conditions, name: str, paths: Sequence[str]) -> str:
    if name == MODEL and "model.name" in paths:
        return arm.manifest.model_name
    return called(arm.manifest, [path for path in paths if not is_within(path, FOLLOWING)] or paths)


@attrs.frozen
class MainEffect:
    """The difference between two settings of a condition, with the others held fixed."""

    condition: str
    levels: tuple[str, str]
    """Descriptions of the two settings."""
    pairs: int
    """Number of pairs of runs that differ in nothing else; each maze's differences are averaged over them."""
    differences: tuple[float, ...]
    """Differences of the base mazes, the first setting's score minus the second's, in [-1, 1]."""
    test: SignFlip
    interval: Range
    """95 % confidence interval of the mean difference, by `sign_flip_interval`."""
    adjusted_p_value: float
    """p-value of the test after Holm's adjustment for the number of effects."""

    def to_row(self) -> dict[str, Any]:
        """Return the columns of a table."""
        return {
            "condition": self.condition,
            "first": self.levels[0],
            "second": self.levels[1],
            "pairs": self.pairs,
            "mazes": len(self.differences),
            "difference": average(self.differences),
            "interval_low": self.interval[0],
            "interval_high": self.interval[1],
            "test": self.test.kind.value,
            "p_value": self.test.p_value,
            "adjusted_p_value": self.adjusted_p_value,
        }


def main_effects(
    contrasts: Iterable[Contrast], observations: Sequence[Sequence[Observation]], seed: int
) -> list[MainEffect]:
    """Estimate the effect of each pair of settings of each condition over all pairs of runs that differ in it alone.

    Args:
        contrasts: the contrasts; those of several conditions are ignored.
        observations: the observations of each run, scores in [0, 1].
        seed: seed of sampled tests and intervals.
    """
    pairs: dict[tuple[str, tuple[str, str]], list[tuple[int, int]]] = {}
    for each in contrasts:
        if each.is_of_one:
            ((condition, levels),) = each.changed.items()
            turned = (condition, (levels[1], levels[0])) in pairs
            key = (condition, (levels[1], levels[0]) if turned else levels)
            pairs.setdefault(key, []).append((each.second, each.first) if turned else (each.first, each.second))
    found = []
    for (condition, levels), runs in pairs.items():
        differences = _averaged(paired_differences(observations[one], observations[two]) for one, two in runs)
        if differences:
            test = sign_flip_test(differences, seed)
            interval = sign_flip_interval(differences, test.p_value, seed)
            found.append(MainEffect(condition, levels, len(runs), differences, test, interval, test.p_value))
    adjusted = holm_adjusted([each.test.p_value for each in found])
    return [attrs.evolve(each, adjusted_p_value=p) for each, p in zip(found, adjusted, strict=True)]


def _averaged(pairs: Iterable[Mapping[str, float]]) -> tuple[float, ...]:
    """Average the differences of each maze over the pairs of runs that have it."""
    by_maze: dict[str, list[float]] = {}
    for pair in pairs:
        for maze, difference in pair.items():
            by_maze.setdefault(maze, []).append(difference)
    return tuple(average(by_maze[maze]) for maze in sorted(by_maze))
