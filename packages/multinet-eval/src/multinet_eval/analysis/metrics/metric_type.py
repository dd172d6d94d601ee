"""Types of metrics (functions from an episode to a number or a word), and the decorators that make them.

The weights of a `WeightedMetric` are read from a TOML file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import update_wrapper
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs

from gridworld.errors import ArgumentError, PluginFault, describe_value
from gridworld.plugins.registry import owner_of
from gridworld.support.toml_files import read_toml
from multinet_eval.analysis.metrics.aggregation import Aggregation, Value
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.settings.converting import read_value_of


@attrs.frozen
class WeightsFile:
    """A TOML file with one table of weights per metric."""

    path: Path
    sha256: str
    """SHA-256 of the file's bytes: 64 hexadecimal digits."""
    tables: Mapping[str, Any] = attrs.field(repr=False)
    """Tables by metric."""

    def to_dict(self) -> dict[str, str]:
        """Return a JSON-ready description for results: the file's name without the folder, and its hash."""
        return {"file": self.path.name, "sha256": self.sha256}


def read_weights_file(path: Path) -> WeightsFile:
    """Read the weights of metrics.

    Raises:
        ArgumentError: the file cannot be read, or is not TOML.
    """
    file = read_toml(path)
    return WeightsFile(path, hashlib.sha256(file.content).hexdigest(), file.tables)


V = TypeVar("V", bound=Value, covariant=True)


Says = Callable[[EpisodeAnalysis], V]


class Metric(Generic[V]):
    """A function of an episode with an aggregation; it has the docstring of the function.

    Args:
        says: the function; it must be stateless and depend only on the episode's record.
        aggregation: summarizes many episodes.
        scored_only: whether to call it for scored episodes only: others, such as those that ended with an
            infrastructure fault, say nothing about the model and count as missing.
    """

    def __init__(
        self, says: Callable[[EpisodeAnalysis], V], aggregation: Aggregation, scored_only: bool = True
    ) -> None:
        self.__name__ = type(says).__name__
        """The function's name, if it has one."""
        self._says = says
        self.aggregation = aggregation
        self.scored_only = scored_only
        self.weights: WeightsFile | None = None
        """File with the metric's weights; None for a metric without any."""
        self.source: object = self
        """The target of a plugin from which the metric comes: the metric itself, or the `WeightedMetric` of it."""
        update_wrapper(self, says)

    def __call__(self, episode: EpisodeAnalysis) -> V:
        """Return the value for a finished episode: a finite number or, for the aggregation `SHARES`, a word.

        None means that the value is undefined, which is counted and never treated as 0.
        """
        return self._says(episode)


def metric(aggregation: Aggregation, *, scored_only: bool = True) -> Callable[[Says[V]], Metric[V]]:
    """Return a decorator that makes a function a metric; arguments as for `Metric`.

    The function's docstring documents the metric: the formula, the range, when it is undefined, and the source.
    """

    def decorate(says: Says[V]) -> Metric[V]:
        return Metric(says, aggregation, scored_only)

    return decorate


W = TypeVar("W")


class WeightedMetric(Generic[W]):
    """A function from weights to a metric; its docstring documents the metric.

    Args:
        make: the function; the aggregation of its metric may depend on the weights.
        kind: the weights: an attrs class whose fields are numbers, ``bool``, or such classes. Tables in a file have its
            fields as keys, and missing keys have its defaults; a ValueError of the class is reported with its place.
        shipped: file with the default weights.
    """

    def __init__(self, make: Callable[[W], Metric[Value]], kind: type[W], shipped: Path) -> None:
        self._make = make
        self._kind = kind
        self._shipped = shipped
        self.__name__, self.__module__, self.__doc__ = make.__name__, make.__module__, make.__doc__

    def with_weights(self, name: str, file: WeightsFile | None = None) -> Metric[Value]:
        """Return the metric with weights.

        Args:
            name: name of the metric and of its table.
            file: file with the weights; the bundled one by default.

        Raises:
            ArgumentError: the table is missing or malformed; the message names the place.
            PluginFault: the function does not return a metric.
        """
        chosen = file or read_weights_file(self._shipped)
        if name not in chosen.tables:
            raise ArgumentError(f"{chosen.path}: there is no table [{name}]")
        made = self._make(read_value_of(self._kind, chosen.tables[name], f"{chosen.path}: {name}"))
        if not isinstance(made, Metric):
            raise PluginFault(
                f"returned {describe_value(made)}, expected the result of the decorator 'metric'",
                owner_of("metric", self, name),
                self.__name__,
            )
        update_wrapper(made, self._make)
        made.weights, made.source = chosen, self
        return made


def weighted_metric(kind: type[W], shipped: Path) -> Callable[[Callable[[W], Metric[Any]]], WeightedMetric[W]]:
    """Return a decorator that makes a function a weighted metric; arguments as for `WeightedMetric`."""

    def decorate(make: Callable[[W], Metric[Any]]) -> WeightedMetric[W]:
        return WeightedMetric(make, kind, shipped)

    return decorate
