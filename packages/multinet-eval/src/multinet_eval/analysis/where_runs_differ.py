"""Differences between two runs by mechanism, tier and tiling, and base mazes in which only one of them succeeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs

from multinet_eval.record.suite_metrics import mechanism_groups
from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.clusters import Cell, Pair, average, paired_scores
from multinet_eval.statistics.intervals import Range
from multinet_eval.statistics.paired_tests import holm_adjusted, sign_flip_interval, sign_flip_test

SOLVED = 0.5
"""Success rate of a run in a base maze from which on the maze counts as solved."""
MOST = 0.5
"""Share of the whole difference above which a group has most of it."""
TIMES = 2
"""Factor by which the difference in a group with most of the whole exceeds that elsewhere."""


@attrs.frozen
class Group:
    """A part of what two runs played, such as the tasks with a mechanism."""

    by: str
    """Kind of grouping, such as ``mechanism``."""
    name: str
    columns: Mapping[str, str] = attrs.field(factory=dict, eq=False)
    """Further columns that describe the group in a table."""


@attrs.frozen
class GroupDifference:
    """Difference between two runs within a group."""

    group: Group
    clusters: int
    """Number of base mazes with a value of both runs."""
    scores: Pair
    """Mean values of the two runs over these mazes."""
    better: int
    """Number of mazes in which the value of the first run is higher."""
    worse: int
    difference: float
    """Mean difference over the mazes, the first run's value minus the second's."""
    interval: Range
    """95 % confidence interval of the difference, by `sign_flip_interval`."""
    p_value: float
    """p-value of the sign-flip test of the differences."""
    adjusted_p_value: float
    """p-value of the test after Holm's adjustment for the number of groups."""

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval excludes 0."""
        return not self.interval[0] <= 0 <= self.interval[1]

    def to_row(self) -> dict[str, Any]:
        """Return the columns of a table."""
        return {
            "by": self.group.by,
            "group": self.group.name,
            **self.group.columns,
            "mazes": self.clusters,
            "first_score": self.scores[0],
            "second_score": self.scores[1],
            "better": self.better,
            "worse": self.worse,
            "difference": self.difference,
            "interval_low": self.interval[0],
            "interval_high": self.interval[1],
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
        }


def compare_groups(groups: Mapping[Group, Mapping[str, Pair]], seed: int) -> list[GroupDifference]:
    """Compare two runs within each group; kinds of groupings keep their order, with the largest difference first.

    Args:
        groups: for each group, a value in [0, 1] of each run by base maze. Groups without a maze are left out.
        seed: seed of sampled tests and intervals.
    """
    kinds = list(dict.fromkeys(group.by for group in groups))
    tested = [_difference(group, pairs, seed) for group, pairs in groups.items() if pairs]
    adjusted = holm_adjusted([each.p_value for each in tested])
    found = [attrs.evolve(each, adjusted_p_value=p) for each, p in zip(tested, adjusted, strict=True)]
    return sorted(found, key=lambda each: (kinds.index(each.group.by), -abs(each.difference), -each.clusters))


def _difference(group: Group, pairs: Mapping[str, Pair], seed: int) -> GroupDifference:
    differences = [pairs[maze][0] - pairs[maze][1] for maze in sorted(pairs)]
    test = sign_flip_test(differences, seed)
    return GroupDifference(
        group=group,
        clusters=len(differences),
        scores=(average(one for one, _ in pairs.values()), average(two for _, two in pairs.values())),
        better=sum(each > 0 for each in differences),
        worse=sum(each < 0 for each in differences),
        difference=average(differences),
        interval=sign_flip_interval(differences, test.p_value, seed),
        p_value=test.p_value,
        adjusted_p_value=test.p_value,
    )


@attrs.frozen
class SolvedMazes:
    """Numbers of base mazes that two runs solve, in which both have a scored episode.

    A run solves a maze if its success rate there is at least one half: it solves it in half of its plays or more.
    """

    both: int
    first_only: int
    second_only: int
    neither: int

    @classmethod
    def of(cls, successes: Mapping[Cell, Pair]) -> SolvedMazes:
        """Count the mazes.

        Args:
            successes: success rates of the two runs.
        """
        solved = [(one >= SOLVED, two >= SOLVED) for one, two in paired_scores(successes).values()]
        return cls(*(solved.count(each) for each in ((True, True), (True, False), (False, True), (False, False))))

    def columns(self) -> dict[str, int]:
        """Return the columns of a table."""
        return {f"solved_by_{name}": number for name, number in attrs.asdict(self).items()}


def cells_by_group(results: Mapping[Cell, Sequence[TaskResult]]) -> dict[Group, set[Cell]]:
    """Group cells by mechanism, tier and tiling; groups of all cells are left out, since they show nothing new.

    Mechanisms that always occur together are one group.

    Args:
        results: results of both runs in each cell.
    """
    mechanisms = {cell: {name for each in found for name in each.mechanisms} for cell, found in results.items()}
    groups: dict[Group, set[Cell]] = {}
    for names in mechanism_groups(sorted(each) for each in mechanisms.values()):
        members = {cell for cell, there in mechanisms.items() if names[0] in there}
        groups[Group("mechanism", " + ".join(names))] = members
    for tier in sorted({each.difficulty_tier for found in results.values() for each in found}):
        members = {cell for cell, found in results.items() if any(each.difficulty_tier == tier for each in found)}
        groups[Group("tier", str(tier))] = members
    for tiling in sorted({each.tiling or "" for found in results.values() for each in found} - {""}):
        members = {cell for cell, found in results.items() if any(each.tiling == tiling for each in found)}
        groups[Group("tiling", tiling)] = members
    return {group: members for group, members in groups.items() if len(members) < len(results)}


@attrs.frozen
class MostOfIt:
    """A group with most of the difference between two runs."""

    within: GroupDifference
    elsewhere: float
    """Mean difference over everything outside of the group."""


def find_most(
    rows: Sequence[GroupDifference], scores: Mapping[Cell, Pair], groups: Mapping[Group, Collection[Cell]]
) -> MostOfIt | None:
    """Find the group with most of a difference: over half of it, in an interval without 0, and little elsewhere.

    Of several, it is the one whose difference exceeds that elsewhere by most.

    Args:
        rows: the groups' differences.
        scores: scores of the two runs, whose mean difference is not 0.
        groups: the cells of each group.
    """
    whole = [one - two for one, two in paired_scores(scores).values()]
    plays = Counter(cluster for cluster, _ in scores)
    found, best = None, 0.0
    for row in rows:
        cells = groups[row.group]
        rest = paired_scores({cell: pair for cell, pair in scores.items() if cell not in cells})
        elsewhere = average(one - two for one, two in rest.values())
        part = math.fsum((scores[cell][0] - scores[cell][1]) / plays[cell[0]] for cell in cells) / math.fsum(whole)
        within, without = (math.copysign(1, math.fsum(whole)) * each for each in (row.difference, elsewhere))
        if row.excludes_zero and part > MOST and within > TIMES * without and within - without > best:
            found, best = MostOfIt(row, elsewhere), within - without
    return found
