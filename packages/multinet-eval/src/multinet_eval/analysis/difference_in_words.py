"""The sentence that sums up a comparison of two runs, and claims no more than its interval."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from gridworld.support.wording import counted, listed
from multinet_eval.analysis.score import DEFAULT_SCORE
from multinet_eval.analysis.where_runs_differ import GroupDifference, MostOfIt
from multinet_eval.statistics.paired_differences import Difference
from multinet_eval.statistics.paired_tests import LEVEL

PLACES = {"mechanism": "where there are {}", "tier": "in tier {}", "tiling": "on {}"}
"""Names of places, by kind of grouping."""


@attrs.frozen
class Words:
    """Words for differences of a score, the first run's minus the second's, from the second run's point of view."""

    score: str
    """Name of the score."""
    first: str
    """Name of the first run."""
    second: str

    @property
    def _is_rate(self) -> bool:
        return self.score == DEFAULT_SCORE

    def number(self, difference: float) -> str:
        """Return the size of a difference, in percentage points for a rate."""
        if not self._is_rate:
            return f"{abs(difference):.3f}"
        points = 100 * abs(difference)
        return f"{points:.1f}" if 0.05 <= points < 1 else f"{points:.0f}"

    def size(self, difference: float) -> str:
        """Return the size of a difference with its unit."""
        number = self.number(difference)
        if not self._is_rate:
            return number
        return f"{number} percentage point{'' if number == '1' else 's'}"

    def side(self, difference: float) -> str:
        """Return ``fewer`` or ``more``, ``lower`` or ``higher``."""
        less, more = ("fewer", "more") if self._is_rate else ("lower", "higher")
        return less if difference > 0 else more

    def claim(self, difference: float) -> str:
        """Compare the means of the two runs."""
        if self._is_rate:
            size = f"{self.size(difference)} {self.side(difference)} than" if difference else "as many as"
            return f"{self.second} solves {size} {self.first}"
        size = f"{self.size(difference)} {self.side(difference)} than" if difference else "the same as"
        return f"{self.second} has a mean {self.score} {size} {self.first}"


def sum_up(
    found: Difference,
    words: Words,
    rows: Sequence[GroupDifference] = (),
    most: MostOfIt | None = None,
    unfinished: Sequence[str] = (),
) -> str:
    """Sum up a comparison of two runs in a sentence.

    Without a clear difference of the whole, the group with the largest significant difference is named, if any is.

    Args:
        found: the difference of the runs.
        words: words for it.
        rows: its rows by group, the largest of each kind first.
        most: the group with most of it, if there is one.
        unfinished: names of those of the two runs that are unfinished.
    """
    told = _difference(found, words, rows, most)
    if unfinished:
        told += f"; {listed(unfinished, 'and')} {'is' if len(unfinished) == 1 else 'are'} unfinished"
        told += f", so this is over the {counted(found.clusters, 'base maze')} scored in both" if found.clusters else ""
    return f"{told}."


def _difference(found: Difference, words: Words, rows: Sequence[GroupDifference], most: MostOfIt | None) -> str:
    difference, (low, high) = found.difference, found.interval
    if difference is None:
        return f"No base maze is scored in both {words.first} and {words.second}"
    if not any(found.differences):
        mazes = "the one base maze" if found.clusters == 1 else f"all {found.clusters} base mazes"
        return (
            f"{words.first} and {words.second} score the same in {mazes}; "
            f"a true difference of up to {words.size(high)} either way is not excluded"
        )
    if low <= 0 <= high:
        told = (
            f"No clear difference: {words.claim(difference)}, and the 95 % interval reaches from "
            f"{words.number(high)} {words.side(1)} to {words.number(low)} {words.side(-1)}"
        )
        clear = [each for each in rows if each.adjusted_p_value <= LEVEL]
        if not clear:
            return told
        largest = max(clear, key=lambda each: abs(each.difference))
        return f"{told}; but clear {_place(largest, words)})"
    ends = sorted((low, high), key=abs)
    told = f"{words.claim(difference)} (95 % interval {' to '.join(map(words.number, ends))})"
    if most is None:
        return told
    rest = most.elsewhere
    elsewhere = f"{words.number(rest)} {words.side(rest)}" if rest else "no difference"
    return f"{told}; most of it {_place(most.within, words)}, {elsewhere} elsewhere)"


def _place(row: GroupDifference, words: Words) -> str:
    """Describe a group and its difference; the bracket is left open."""
    place, mazes = PLACES[row.group.by].format(row.group.name), counted(row.clusters, "base maze")
    return f"{place} ({words.size(row.difference)} {words.side(row.difference)} in {mazes}"
