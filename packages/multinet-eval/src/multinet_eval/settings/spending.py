"""Token prices, their TOML files, and spending limits.

A price file has one table per model, named as in the results, with the prices of a million tokens:

    ["openai/my-model"]
    input = 0.15         # of prompts
    output = 0.6         # of replies
    cached_input = 0.03  # of the parts of prompts that the provider reads from its cache; by default like input
    cache_write = 0.2    # of the parts of prompts that it writes into its cache; by default like input

All prices and costs are in one currency of your choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import attrs

from gridworld.errors import ArgumentError, describe_value
from gridworld.support.wording import nearest_hint

MILLION = 1_000_000
REQUIRED, OPTIONAL = ("input", "output"), ("cached_input", "cache_write")
FIELDS = (*REQUIRED, *OPTIONAL)


class Used(Protocol):
    """Tokens that were used; unknown numbers are None and cost nothing."""

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of prompts."""

    @property
    def completion_tokens(self) -> int | None:
        """Tokens of replies."""

    @property
    def cache_read_tokens(self) -> int | None:
        """Part of the prompts' tokens that was read from a cache."""

    @property
    def cache_write_tokens(self) -> int | None:
        """Part of the prompts' tokens that was written into a cache."""


@attrs.frozen
class Prices:
    """Prices of a million tokens, in any currency."""

    input: float = attrs.field(validator=attrs.validators.ge(0))
    """Price of a million tokens of prompts."""
    output: float = attrs.field(validator=attrs.validators.ge(0))
    """Price of a million tokens of replies."""
    cached_input: float | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(0)))
    """Price of a million tokens of prompts that the provider reads from its cache; None for that of other tokens."""
    cache_write: float | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(0)))
    """Price of a million tokens of prompts that the provider writes into its cache; None for that of other tokens."""

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Compute the cost of tokens of prompts, none of them from a cache, and of replies."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION

    def cost_of(self, used: Used) -> float:
        """Compute the cost of calls; unknown token counts add nothing."""
        read, written = used.cache_read_tokens or 0, used.cache_write_tokens or 0
        prices = (self.input if price is None else price for price in (self.cached_input, self.cache_write))
        apart = sum(tokens * price for tokens, price in zip((read, written), prices, strict=True)) / MILLION
        return apart + self.cost(max(0, (used.prompt_tokens or 0) - read - written), used.completion_tokens or 0)


PriceFinder = Callable[[str, Prices | None], Prices | None]
"""Returns a model's prices, given its name and the prices known so far."""


def read_prices(path: Path) -> dict[str, Prices]:
    """Read model prices from a file, by model name.

    Raises:
        ArgumentError: the file cannot be read or has another form; the message names the place.
    """
    from gridworld.support.toml_files import read_toml  # rarely needed

    return {name: _prices(table, f"{path}: ['{name}']") for name, table in read_toml(path).tables.items()}


def _prices(table: Any, place: str) -> Prices:
    if not isinstance(table, dict):
        raise ArgumentError(f"{place}: expected a table with input and output, got {describe_value(table)}")
    if any(isinstance(value, dict) for value in table.values()):
        raise ArgumentError(f"{place}: expected input and output, got tables: put names with dots in quotation marks")
    for name in table:
        if name not in FIELDS:
            raise ArgumentError(f"{place}: expected {', '.join(FIELDS)}, got '{name}'{nearest_hint(name, FIELDS)}")
    needed = {name: _price(table, name, place) for name in REQUIRED}
    return Prices(**needed, **{name: _price(table, name, place) for name in OPTIONAL if name in table})


def _price(table: Mapping[str, Any], name: str, place: str) -> float:
    if name not in table:
        raise ArgumentError(f"{place}: {name} is missing, the price of a million tokens")
    value = table[name]
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise ArgumentError(f"{place}: {name}: expected a number of at least 0, got {describe_value(value)}")
    return float(value)


def _check_limit(limits: Any, attribute: Any, value: float | None) -> None:
    if value is not None and not value >= 0:
        raise ArgumentError(f"the limit of {attribute.name} must be at least 0, got {value}")


@attrs.frozen
class BudgetLimits:
    """Limits on a run's spending; None for no limit.

    Raises:
        ArgumentError: a limit is negative, or not a number.
    """

    requests: int | None = attrs.field(default=None, validator=_check_limit)
    tokens: int | None = attrs.field(default=None, validator=_check_limit)
    cost: float | None = attrs.field(default=None, validator=_check_limit)
    seconds: float | None = attrs.field(default=None, validator=_check_limit)
    """Maximum duration of this session in seconds."""

    @property
    def needs_tokens(self) -> bool:
        """Whether the limits require known token counts."""
        return self.tokens is not None or self.cost is not None


def limit_message(name: str, limit: float) -> str:
    """Say that a limit, which is a field of `BudgetLimits`, is reached."""
    shown = f"{limit:g}" if isinstance(limit, float) else str(limit)
    return f"the limit of {f'a cost of {shown}' if name == 'cost' else f'{shown} {name}'} is reached"
