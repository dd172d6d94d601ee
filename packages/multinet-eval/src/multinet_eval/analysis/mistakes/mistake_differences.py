"""Differences between two runs by kind of mistake."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes
from multinet_eval.analysis.mistakes.needs import MistakeKind
from multinet_eval.analysis.where_runs_differ import Group, GroupDifference, compare_groups
from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.clusters import Cell, average, paired_scores

MOST_KINDS = 10
"""Maximum number of kinds compared: those that waste most."""
Shares = Mapping[Cell, Mapping[MistakeKind, float]]
"""Mean share of the steps that each kind of mistake wastes, at most 1, in each cell."""


def wasted_shares(episodes: Iterable[tuple[Cell, TaskResult, EpisodeMistakes]]) -> Shares:
    """Compute the mean share of steps that each kind of mistake wastes by cell, from episodes with known mistakes.

    An action can waste more than one step, so the shares of an episode are scaled down if they add up to more than 1.
    """
    shares: dict[Cell, list[Counter[MistakeKind]]] = defaultdict(list)
    for cell, result, mistakes in episodes:
        if result.scored and mistakes.is_known:
            wasted = Counter[MistakeKind]()
            for each in mistakes.counts:
                wasted[each.kind] += each.wasted
            steps = max(result.steps_taken, wasted.total(), 1)
            shares[cell].append(Counter({kind: number / steps for kind, number in wasted.items()}))
    return {
        cell: {kind: average(each[kind] for each in plays) for kind in {kind for each in plays for kind in each}}
        for cell, plays in shares.items()
    }


def compare_mistakes(first: Shares, second: Shares, seed: int) -> list[GroupDifference]:
    """Compare two runs by the share of steps that each kind of mistake wastes, over the cells of both.

    Args:
        first: the shares of the first run.
        second: the shares of the second run.
        seed: seed of sampled tests and intervals.
    """
    cells = sorted(first.keys() & second.keys())
    groups = {}
    for kind in {kind for shares in (first, second) for cell in cells for kind in shares[cell]}:
        pairs = {cell: (first[cell].get(kind, 0.0), second[cell].get(kind, 0.0)) for cell in cells}
        groups[kind] = paired_scores(pairs)
    total = {kind: math.fsum(one + two for one, two in mazes.values()) for kind, mazes in groups.items()}
    most = sorted(groups, key=lambda kind: (-total[kind], kind))[:MOST_KINDS]
    return compare_groups({_group(kind): groups[kind] for kind in most}, seed)


def _group(kind: MistakeKind) -> Group:
    needed, did = kind.needed_words, str(kind.did)
    name = did if needed is None else f"needed to {needed}, {did}"
    return Group("mistake", name, {"needed": needed or "", "did": did})
