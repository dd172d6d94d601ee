"""Differences between two runs by kind of mistake."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes
from multinet_eval.analysis.mistakes.needs import MistakeKind
from multinet_eval.analysis.where_runs_differ import Group, GroupDifference, compare_groups
from multinet_eval.record.task_result import TaskResult
from multinet_eval.statistics.clusters import average

MOST_KINDS = 10
"""Maximum number of kinds compared: those that waste most."""
Shares = Mapping[str, Mapping[MistakeKind, float]]
"""Mean share of the steps that each kind of mistake wastes, at most 1, by base maze."""


def wasted_shares(episodes: Iterable[tuple[TaskResult, EpisodeMistakes]]) -> Shares:
    """Compute the mean share of steps that each kind of mistake wastes by base maze, from episodes with known mistakes.

    An action can waste more than one step, so the shares of an episode are scaled down if they add up to more than 1.
    """
    shares: dict[str, list[Counter[MistakeKind]]] = defaultdict(list)
    for result, mistakes in episodes:
        if result.scored and mistakes.is_known:
            wasted = Counter[MistakeKind]()
            for each in mistakes.counts:
                wasted[each.kind] += each.wasted
            steps = max(result.steps_taken, wasted.total(), 1)
            shares[result.maze].append(Counter({kind: number / steps for kind, number in wasted.items()}))
    return {
        maze: {kind: average(each[kind] for each in plays) for kind in {kind for each in plays for kind in each}}
        for maze, plays in shares.items()
    }


def compare_mistakes(first: Shares, second: Shares, seed: int) -> list[GroupDifference]:
    """Compare two runs by the share of steps that each kind of mistake wastes, over the base mazes of both.

    Args:
        first: the shares of the first run.
        second: the shares of the second run.
        seed: seed of sampled tests and intervals.
    """
    mazes = sorted(first.keys() & second.keys())
    total: dict[MistakeKind, float] = defaultdict(float)
    for shares in (first, second):
        for maze in mazes:
            for kind, share in shares[maze].items():
                total[kind] += share
    kinds = sorted(total, key=lambda kind: (-total[kind], kind))[:MOST_KINDS]
    groups = {}
    for kind in kinds:
        groups[_group(kind)] = {maze: (first[maze].get(kind, 0.0), second[maze].get(kind, 0.0)) for maze in mazes}
    return compare_groups(groups, seed)


def _group(kind: MistakeKind) -> Group:
    needed, did = kind.needed_words, str(kind.did)
    name = did if needed is None else f"needed to {needed}, {did}"
    return Group("mistake", name, {"needed": needed or "", "did": did})
