"""Success as a function of what it may cost: actions, requests or tokens, since one budget alone favours a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from multinet_eval.record.task_result import TaskResult

__all__ = ["Curve", "success_curve", "success_curves"]

Curve = list[tuple[int, float]]
"""Points (cost, share): the share, in [0, 1], of the scored tasks that are won at no more than the cost. It is a step
function, 0 before the first point, and the points are where it rises."""

COSTS: dict[str, Callable[[TaskResult], int | None]] = {
    "actions": lambda result: result.actions_taken,
    "requests": lambda result: result.requests_answered,
    "completion_tokens": lambda result: result.usage.completion_tokens,
}


def success_curves(results: Iterable[TaskResult]) -> dict[str, Curve | None]:
    """The curves of some scored results, by what is counted; None where that is not known of a success."""
    scored = list(results)
    return {name: success_curve(scored, cost) for name, cost in COSTS.items()}


def success_curve(results: Sequence[TaskResult], cost: Callable[[TaskResult], int | None]) -> Curve | None:
    """One curve; None where the cost of a success is not known."""
    costs = [cost(result) for result in results if result.success]
    known = sorted(each for each in costs if each is not None)
    if len(known) < len(costs):
        return None
    won = {each: number for number, each in enumerate(known, start=1)}
    return [(each, number / len(results)) for each, number in won.items()]
