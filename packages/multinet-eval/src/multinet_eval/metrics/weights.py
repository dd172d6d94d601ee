"""`WeightedMetric`: a metric with weights that are read from a TOML file; `weighted_metric` makes one of a function."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from functools import update_wrapper
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs

from gridworld.errors import ArgumentError, PluginFault, describe_value
from multinet_eval.metrics.aggregation import Value
from multinet_eval.metrics.metric_type import Metric
from multinet_eval.toml_values import read_value_of

__all__ = ["WeightedMetric", "WeightsFile", "read_weights_file", "weighted_metric"]

W = TypeVar("W")


@attrs.frozen
class WeightsFile:
    """A TOML file with a table of weights for each of some metrics."""

    path: Path
    sha256: str
    """Of its bytes: 64 hexadecimal digits."""
    tables: Mapping[str, Any] = attrs.field(repr=False)
    """The name of each metric to its table."""

    def to_dict(self) -> dict[str, str]:
        """What results say of it, JSON-ready: its name, without the folder that it happens to be in, and its hash."""
        return {"file": self.path.name, "sha256": self.sha256}


def read_weights_file(path: Path) -> WeightsFile:
    """Read the weights of metrics.

    Raises:
        ArgumentError: the file cannot be read, or is not TOML.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ArgumentError(f"{path}: the weights cannot be read: {error.strerror}") from error
    try:
        tables = tomllib.loads(content.decode())
    except ValueError as error:  # of TOML, or of UTF-8
        raise ArgumentError(f"{path}: not a TOML file: {error}") from error
    return WeightsFile(path, hashlib.sha256(content).hexdigest(), tables)


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
