"""Options that say what a run may cost, what tokens cost, and where answers are kept to be used again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import attrs
import typer

from multinet_eval.cli.commands import taking
from multinet_eval.cli.echo import echo

if TYPE_CHECKING:
    from multinet_eval.settings.prices import Prices
    from multinet_eval.settings.run_settings import CacheSettings

__all__ = [
    "CacheOptions",
    "MaxCost",
    "PricesFile",
    "cached",
    "choose_prices",
    "limit",
    "read_price_file",
    "whole_limit",
]

Number = TypeVar("Number", int, float)

COST = "Cost"

NONE = "none"
"""In place of a limit: that there is none."""


def limit(text: str) -> float | None:
    """Parse a limit, a number of at least 0; None for ``none``."""
    return _number(text, float, "a number")


def whole_limit(text: str) -> int | None:
    """Parse a whole-number limit; None for ``none``."""
    return _number(text, int, "a whole number")


def _number(text: str, kind: Callable[[str], Number], name: str) -> Number | None:
    try:
        number = None if text == NONE else kind(text)
        if number is None or number >= 0:
            return None if number == math.inf else number
    except ValueError:
        pass
    raise typer.BadParameter(f"expected {name} of at least 0, or {NONE}, got '{text}'")


MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        parser=limit,
        metavar="MONEY|none",
        help="Maximum cost, in the currency of --prices.",
        rich_help_panel=COST,
    ),
]
PricesFile = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE.toml",
        help="What a million tokens cost: for each model a table with input and output.",
        rich_help_panel=COST,
    ),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        help="Keep answers here, and take them from here instead of asking for the same again.",
        rich_help_panel=COST,
    ),
]
CacheSampled = Annotated[
    bool,
    typer.Option(
        "--cache-sampled",
        help="Let --cache keep the answers of a model that samples, too (temperature above 0).",
        rich_help_panel=COST,
    ),
]


def read_price_file(path: Path | None) -> Mapping[str, Prices]:
    """Name of a model to its prices; nothing where no file is given. Raises as `read_prices` does."""
    from multinet_eval.settings.prices import read_prices

    return {} if path is None else read_prices(path)


def choose_prices(
    tables: Mapping[str, Prices], model_name: str, max_cost: float | None, otherwise: Prices | None = None
) -> Prices | None:
    """The prices of a model.

    Args:
        tables: name of a model to its prices.
        model_name: the name under which results are reported.
        max_cost: the limit that they are needed for, if there is one.
        otherwise: the prices of a model that has no table.

    Raises:
        ArgumentError: there is a limit, and the model has no prices.
    """
    from gridworld.errors import ArgumentError
    from gridworld.support.suggestions import nearest_hint

    prices = tables.get(model_name, otherwise)
    if prices is not None:
        return prices
    lacking = f"--prices has no table ['{model_name}']{nearest_hint(model_name, tables)}"
    if max_cost is not None:
        given = lacking if tables else f"give --prices FILE.toml with a table ['{model_name}']"
        raise ArgumentError(f"--max-cost needs the prices of '{model_name}': {given}")
    if tables:
        echo(f"note: {lacking}; only tokens are counted", err=True)
    return None


@attrs.frozen
class CacheOptions:
    """Where answers are kept to be used again."""

    cache: CacheFolder = None
    cache_sampled: CacheSampled = False

    @property
    def settings(self) -> CacheSettings | None:
        """Where answers are kept, if anywhere.

        Raises:
            ArgumentError: it is not a folder, or none is given although one is needed.
        """
        from gridworld.errors import ArgumentError
        from multinet_eval.settings.run_settings import CacheSettings

        if self.cache is None:
            if self.cache_sampled:
                raise ArgumentError("--cache-sampled needs --cache FOLDER")
            return None
        if self.cache.exists() and not self.cache.is_dir():
            raise ArgumentError(f"--cache: {self.cache} is not a folder")
        return CacheSettings(str(self.cache.resolve()), self.cache_sampled)


cached = taking("kept", CacheOptions)
"""Gives a command the options of `CacheOptions` in place of its parameter ``kept``."""
