"""The same suite on several tilings, side by side."""

from __future__ import annotations

from typing import Any

import attrs

from multinet_eval.record.suite_metrics import SuiteMetrics

__all__ = ["TilingComparison"]


@attrs.frozen
class TilingComparison:
    """How one model fared on one suite, tiling by tiling."""

    runs: tuple[SuiteMetrics, ...]
    """One for each tiling that was played, at least one."""
    tilings: tuple[str, ...]
    """All that were asked for."""

    @property
    def complete(self) -> bool:
        """Whether all tasks were played on all tilings; not so after an interruption or a failure."""
        return len(self.runs) == len(self.tilings) and all(run.complete for run in self.runs)

    @property
    def lost_steps(self) -> int:
        """The steps on all tilings to which there was no usable answer."""
        return sum(run.lost_steps for run in self.runs)

    @property
    def num_unscored(self) -> int:
        """The number of episodes on all tilings that ended by an error."""
        return sum(run.num_unscored for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """The contents of a results file: under ``tilings``, the metrics of each by its name."""
        first = self.runs[0]
        return {
            "benchmark_name": first.benchmark_name,
            "model_name": first.model_name,
            "complete": self.complete,
            "tilings": {run.tiling: run.to_dict() for run in self.runs},
        }
