"""Tests of every two of several runs, by what has a score in both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import attrs

from multinet_eval.statistics.clusters import Observation, average, paired_differences
from multinet_eval.statistics.holm import holm_adjusted
from multinet_eval.statistics.sign_flip import SignFlip, sign_flip_test

__all__ = ["PairedTest", "paired_tests"]


@attrs.frozen
class PairedTest:
    """Whether one of two runs scores higher."""

    first: int
    """The number of the run, from 0."""
    second: int
    differences: tuple[float, ...]
    """Of each base maze that has a score in both, the first's minus the second's, in [-1, 1]."""
    test: SignFlip | None
    """None where there is no such maze."""
    adjusted_p_value: float | None
    """That of the test, adjusted for the number of pairs by Holm's method."""

    @property
    def difference(self) -> float | None:
        """The mean over mazes; None where there is none."""
        return average(self.differences) if self.differences else None

    def winner(self, level: float) -> int | None:
        """The number of the run that scores significantly higher; None where neither does.

        Args:
            level: above which no adjusted p-value is significant, in (0, 1).
        """
        difference = self.difference
        if difference is None or self.adjusted_p_value is None or self.adjusted_p_value > level:
            return None
        return self.first if difference > 0 else self.second


def paired_tests(runs: Sequence[Sequence[Observation]], seed: int) -> list[PairedTest]:
    """Test every two runs.

    Args:
        runs: the observations of each run, scores in [0, 1].
        seed: of what is drawn at random.
    """
    found = [_test(runs, first, second, seed) for first, second in combinations(range(len(runs)), 2)]
    adjusted = iter(holm_adjusted([each.test.p_value for each in found if each.test is not None]))
    return [each if each.test is None else attrs.evolve(each, adjusted_p_value=next(adjusted)) for each in found]


def _test(runs: Sequence[Sequence[Observation]], first: int, second: int, seed: int) -> PairedTest:
    differences = tuple(paired_differences(runs[first], runs[second]).values())
    return PairedTest(first, second, differences, sign_flip_test(differences, seed) if differences else None, None)
