"""Results of an experiment side by side: one row per run and tiling."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from multinet_eval.experiments.playing import PlayedRun
from multinet_eval.record.episode_facts import RequestTotals
from multinet_eval.record.suite_metrics import SuiteMetrics


@attrs.frozen
class ConditionRow:
    """The result of one condition with one model on one suite and tiling."""

    played: PlayedRun
    metrics: SuiteMetrics | None
    """Metrics of the condition; None for a run in which nothing has been played."""

    @property
    def made(self) -> RequestTotals:
        """Figures of the requests on its tiling over all attempts, those at unfinished episodes too."""
        found = None if self.metrics is None else self.played.requests.get(self.metrics.tiling)
        return RequestTotals.of(()) if found is None else found

    @property
    def actions(self) -> int:
        """Number of actions."""
        return 0 if self.metrics is None else sum(each.actions_taken for each in self.metrics.task_results)

    @property
    def tokens(self) -> int | None:
        """Number of tokens in all prompts and replies; None if unknown."""
        usage = self.made.usage
        known = [each for each in (usage.prompt_tokens, usage.completion_tokens) if each is not None]
        return sum(known) if known else None

    @property
    def cost(self) -> float | None:
        """Cost of the requests; None without prices."""
        return self.made.cost(self.played.prepared.settings.prices)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a JSON-ready dictionary."""
        prepared, made = self.played.prepared, self.made
        return {
            "condition": prepared.run.condition,
            "folder": prepared.run.folder,
            "model_name": prepared.model_name,
            "suite": prepared.suite.name,
            "seed": prepared.settings.seed,
            "complete": self.played.complete,
            "problem": self.played.problem,
            "backend": None if self.metrics is None else self.metrics.backend,
            "tiling": None if self.metrics is None else self.metrics.tiling,
            "requests": made.spent.requests,
            "failed_requests": made.spent.failed,
            "answered": sum(made.answers.values()),
            "actions": self.actions,
            "tokens": self.tokens,
            "cost": self.cost,
            "results": None if self.metrics is None else self.metrics.summary(),
        }


def compare_conditions(runs: Iterable[PlayedRun]) -> list[ConditionRow]:
    """Return the rows of all runs, in order."""
    return [
        ConditionRow(played, metrics)
        for played in runs
        for metrics in ([None] if played.results is None else played.results.metrics)
    ]
