"""`WeightedMetric`: a metric with weights that are read from a TOML file; `weighted_metric` makes one of a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import Any, Generic, TypeVar

from gridworld.errors import ArgumentError, PluginFault, describe_value
from multinet_eval.analysis.metrics.aggregation import Value
from multinet_eval.analysis.metrics.metric_type import Metric
from multinet_eval.analysis.metrics.weights_file import WeightsFile, read_weights_file
from multinet_eval.settings.converting import read_value_of

__all__ = ["WeightedMetric", "weighted_metric"]

W = TypeVar("W")


class WeightedMetric(Generic[W]):
    """A function of weights that makes a metric. Its docstring is that of the function, and the metric's documentation.

    Args:
        make: the function; what its metric's values come to may depend on the weights.
        kind: the weights: an attrs class whose fields are numbers, ``bool``, or classes of this form. A table of a file
            has its fields as keys, and what it leaves out is that of the class; what the class refuses by a ValueError
            is told with its place.
        shipped: the file with the weights that are used unless others are given.
    """

    def __init__(self, make: Callable[[W], Metric[Value]], kind: type[W], shipped: Path) -> None:
        self._make = make
        self._kind = kind
        self._shipped = shipped
        self.__name__, self.__module__, self.__doc__ = make.__name__, make.__module__, make.__doc__

    def with_weights(self, name: str, file: WeightsFile | None = None) -> Metric[Value]:
        """The metric with weights.

        Args:
            name: the name of the metric, by which its table is found.
            file: where they are; the shipped file by default.

        Raises:
            ArgumentError: the table is missing, or not of the form; the place is named.
            PluginFault: what is made of it is no metric.
        """
        chosen = file or read_weights_file(self._shipped)
        if name not in chosen.tables:
            raise ArgumentError(f"{chosen.path}: there is no table [{name}]")
        made = self._make(read_value_of(self._kind, chosen.tables[name], f"{chosen.path}: {name}"))
        if not isinstance(made, Metric):
            raise PluginFault(f"metric '{name}' is {describe_value(made)}, expected what the decorator 'metric' makes")
        update_wrapper(made, self._make)
        made.weights = chosen
        return made


def weighted_metric(kind: type[W], shipped: Path) -> Callable[[Callable[[W], Metric[Any]]], WeightedMetric[W]]:
    """A decorator that makes a function a metric with weights; the arguments are those of `WeightedMetric`."""

    def decorate(make: Callable[[W], Metric[Any]]) -> WeightedMetric[W]:
        return WeightedMetric(make, kind, shipped)

    return decorate
