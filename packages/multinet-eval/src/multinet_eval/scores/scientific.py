"""The parts of SciPy that statistics need, imported when they are first used: it is an optional dependency."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gridworld.errors import GridworldError

__all__ = ["StatisticsUnavailable", "scipy_module"]


class StatisticsUnavailable(GridworldError):
    """SciPy is not installed."""


def scipy_module(name: str) -> Any:
    """A module of SciPy, such as ``stats``; raises StatisticsUnavailable where SciPy is not installed."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError as error:
        raise StatisticsUnavailable(
            f"comparisons need an optional dependency: pip install 'multinet-eval[stats]' ({error})"
        ) from error
