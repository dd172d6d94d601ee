"""The times that the requests of an episode took, by which a copy of it is known."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.runner.record import Step

__all__ = ["measured_times"]

MEASURED = 6
"""Seconds with no more decimal places are not taken for measured ones, which may be the same by chance."""


def measured_times(steps: Iterable[Step]) -> tuple[float, ...]:
    """The seconds that the requests of some steps took, as far as they were measured; no two episodes have the same."""
    usages = (request.usage for step in steps for request in step.requests)
    seconds = [usage.seconds for usage in usages if usage is not None and usage.seconds is not None]
    return tuple(each for each in seconds if round(each, MEASURED) != each)
