"""`Metric`: a number, or a word, that says something of one episode; `metric` makes one of a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Generic, TypeVar

from multinet_eval.analysis.metrics.aggregation import Aggregation, Value
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis

if TYPE_CHECKING:
    from multinet_eval.analysis.metrics.weights_file import WeightsFile

__all__ = ["Metric", "metric"]

V = TypeVar("V", bound=Value, covariant=True)


Says = Callable[[EpisodeAnalysis], V]


class Metric(Generic[V]):
    """A function of an episode, with what its values come to. Its docstring is that of the function.

    Args:
        says: the function; it follows from the record of the episode alone, and keeps nothing.
        aggregation: what the values of many episodes come to.
        scored_only: whether it is asked about scored episodes alone: others, such as those that ended by an
            infrastructure fault, say nothing about the model, and are counted as missing.
    """

    def __init__(
        self, says: Callable[[EpisodeAnalysis], V], aggregation: Aggregation, scored_only: bool = True
    ) -> None:
        self.__name__ = type(says).__name__
        """That of the function, if it has one."""
        self._says = says
        self.aggregation = aggregation
        self.scored_only = scored_only
        self.weights: WeightsFile | None = None
        """Where its weights are from; None for a metric without any."""
        update_wrapper(self, says)

    def __call__(self, episode: EpisodeAnalysis) -> V:
        """What it says of an episode that has ended: a finite number or, for the aggregation `SHARES`, a word.

        None where it is not defined, which is counted, and never taken for 0.
        """
        return self._says(episode)


def metric(aggregation: Aggregation, *, scored_only: bool = True) -> Callable[[Says[V]], Metric[V]]:
    """A decorator that makes a function a metric; the arguments are those of `Metric`.

    The function's docstring is the metric's documentation: the formula, the range, where it is not defined, and the
    source.
    """

    def decorate(says: Says[V]) -> Metric[V]:
        return Metric(says, aggregation, scored_only)

    return decorate
