"""Options without effect on results: workers, limits, prices, the answer cache, observers, and early stopping."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.support.wording import nearest_hint
from multinet_eval.cli.commands import from_options
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import PACE, RESULTS
from multinet_eval.settings.defaults import PATIENCE

if TYPE_CHECKING:
    from multinet_eval.play.observers import RunObserver
    from multinet_eval.play.readiness import ServerWait
    from multinet_eval.play.run import UntilDecided
    from multinet_eval.record.manifest import RunOptions
    from multinet_eval.settings.run_settings import CacheSettings
    from multinet_eval.settings.spending import BudgetLimits, Prices

GIVEN = ("COMMANDLINE", "ENVIRONMENT")
"""Parameter sources that count as given."""
MORE_WAIT = "give a server that is still starting more time with --wait-for-server SECONDS"
"""Advice for a server that has not started in time."""
NONE = "none"
"""Text of an option for no limit."""

Number = TypeVar("Number", int, float)
FindPrices = Callable[..., "Prices | None"]
"""Function that takes the name of a model and default prices, and returns the model's prices."""


def _limit(text: str) -> float | None:
    """Parse a limit; None for ``none``."""
    return _number(text, float, "a number")


def _whole_limit(text: str) -> int | None:
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


WAIT_FOR_SERVER = typer.Option(
    0,
    min=0,
    metavar="SECONDS",
    help="Maximum wait in seconds for a server that is still starting.",
    rich_help_panel=PACE,
)


@attrs.frozen(field_transformer=from_options)
class AskingOptions:
    """Workers, limits, patience, the wait for a server, and prices: fields of `RunOptions` and `BudgetLimits`."""

    workers: int = typer.Option(
        1,
        min=1,
        help="Maximum number of requests in flight, by threads unless --executor says otherwise.",
        rich_help_panel=PACE,
    )
    max_requests: int | None = typer.Option(
        None,
        parser=_whole_limit,
        metavar="N|none",
        help="Maximum number of requests, over all sessions.",
        rich_help_panel=PACE,
    )
    max_tokens: int | None = typer.Option(
        None,
        parser=_whole_limit,
        metavar="N|none",
        help="Maximum number of tokens of prompts and replies, over all sessions.",
        rich_help_panel=PACE,
    )
    max_time: float | None = typer.Option(
        None,
        parser=_limit,
        metavar="SECONDS|none",
        help="Maximum duration of this session in seconds.",
        rich_help_panel=PACE,
    )
    max_cost: float | None = typer.Option(
        None,
        parser=_limit,
        metavar="COST|none",
        help="Maximum cost over all sessions, in the currency of --prices.",
        rich_help_panel=PACE,
    )
    patience: float = typer.Option(
        PATIENCE,
        min=0,
        metavar="SECONDS",
        help="Stop if the server gives no answer for this long; 0 to apply only --on-infrastructure.",
        rich_help_panel=PACE,
    )
    wait_for_server: float = WAIT_FOR_SERVER
    prices: Path | None = typer.Option(
        None,
        metavar="FILE.toml",
        help="Prices per million tokens: for each model, a table with input and output.",
        rich_help_panel=PACE,
    )

    @property
    def limits(self) -> BudgetLimits:
        """The limits; raises ArgumentError for a negative one."""
        from multinet_eval.settings.spending import BudgetLimits

        return BudgetLimits(self.max_requests, self.max_tokens, self.max_cost, self.max_time)

    def wait(self, tell: Callable[[str], object]) -> ServerWait:
        """Make the wait for a server, with a function that is called with what is waited for."""
        from multinet_eval.play.readiness import ServerWait

        longer = "give the session more time with --max-time SECONDS, or --max-time none"
        return ServerWait(self.wait_for_server, tell, MORE_WAIT, self.max_time, longer)

    def for_run(self, **others: Any) -> RunOptions:
        """Make options of a run, with values for the other fields."""
        from multinet_eval.record.manifest import RunOptions

        return RunOptions(workers=self.workers, limits=self.limits, patience=self.patience, **others)

    def read_prices(self) -> FindPrices:
        """Read the file with prices, if one is given.

        Returns:
            Function that finds the prices of a model by its reported name, with default prices as second argument. It
            raises ArgumentError if cost is limited and the price is unknown.
        """
        from multinet_eval.settings.spending import read_prices

        tables = {} if self.prices is None else read_prices(self.prices)

        def find(model_name: str, otherwise: Prices | None = None) -> Prices | None:
            prices = tables.get(model_name, otherwise)
            if prices is not None:
                return prices
            missing = f"--prices has no table ['{model_name}']{nearest_hint(model_name, tables)}"
            if self.max_cost is not None:
                advice = missing if tables else f"give --prices FILE.toml with a table ['{model_name}']"
                raise ArgumentError(f"--max-cost needs the prices of '{model_name}': {advice}")
            if tables:
                echo(f"note: {missing}; only tokens are counted", err=True)
            return None

        return find


@attrs.frozen(field_transformer=from_options)
class PlayingOptions(AskingOptions):
    """All fields of `RunOptions`."""

    batch_size: int = typer.Option(
        1, min=1, help="Number of episodes that a worker plays in lockstep, for local models.", rich_help_panel=PACE
    )
    executor: str = typer.Option(
        "local", metavar="NAME", help="Where workers run: local (threads), processes or ray.", rich_help_panel=PACE
    )

    def for_run(self, **others: Any) -> RunOptions:
        """Make options of a run, with values for the other fields.

        Raises:
            UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the executor.
            ArgumentError: the executor's requirements are not installed, or a limit is negative.
        """
        from multinet_eval.play.pools.pool import find_pool

        find_pool(self.executor)
        return super().for_run(batch_size=self.batch_size, executor=self.executor, **others)

    def with_recorded(self, recorded: RunOptions, call: typer.Context) -> Self:
        """Replace options that the call does not give by options of a recorded run."""
        limits = recorded.limits
        instead: dict[str, Any] = {
            "workers": recorded.workers,
            "max_requests": limits.requests,
            "max_tokens": limits.tokens,
            "max_time": limits.seconds,
            "max_cost": limits.cost,
            "patience": recorded.patience,
            "batch_size": recorded.batch_size,
            "executor": recorded.executor,
        }
        sources = {name: call.get_parameter_source(name) for name in instead}
        given = {name for name, source in sources.items() if source is not None and source.name in GIVEN}
        return attrs.evolve(self, **{name: value for name, value in instead.items() if name not in given})


@attrs.frozen(field_transformer=from_options)
class CacheOptions:
    """The answer cache: fields of `CacheSettings`."""

    cache: Path | None = typer.Option(
        None, metavar="DIR", help="Folder of the answer cache, which saves repeated requests.", rich_help_panel=PACE
    )
    cache_sampled: bool = typer.Option(
        False,
        "--cache-sampled",
        help="Cache answers of a sampling model, too (temperature above 0).",
        rich_help_panel=PACE,
    )

    def make(self) -> CacheSettings | None:
        """Make the settings, if any; raises ArgumentError without a usable folder."""
        from multinet_eval.settings.run_settings import CacheSettings

        if self.cache is None:
            if self.cache_sampled:
                raise ArgumentError("--cache-sampled needs --cache DIR")
            return None
        if self.cache.exists() and not self.cache.is_dir():
            raise ArgumentError(f"--cache: {self.cache} is not a folder")
        return CacheSettings(str(self.cache.resolve()), self.cache_sampled)


@attrs.frozen(field_transformer=from_options)
class ObserverOptions:
    """Observers of a run."""

    observer: list[str] | None = typer.Option(
        None, metavar="NAME", help="Observer that is told what happens in the run. Repeatable.", rich_help_panel=RESULTS
    )
    observer_arg: list[str] | None = typer.Option(
        None, metavar="NAME.KEY=VALUE", help="Argument of an observer. Repeatable.", rich_help_panel=RESULTS
    )

    def make(self) -> list[RunObserver]:
        """Make the named observers in order.

        Raises:
            ArgumentError: a name is given twice, or an argument belongs to none of them or is invalid.
            UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
            PluginFault: an observer cannot be made.
        """
        from multinet_eval.play.observers import make_observer

        given: dict[str, list[str]] = {}
        for name in self.observer or ():
            if name in given:
                raise ArgumentError(f"--observer {name} is given twice")
            given[name] = []
        for text in self.observer_arg or ():
            name = _owner(text, tuple(given))
            given[name].append(text[len(name) + 1 :])
        return [make_observer(name, texts) for name, texts in given.items()]


def _owner(text: str, names: Sequence[str]) -> str:
    """Find the observer of an argument: the longest matching name."""
    owners = [name for name in names if text.startswith(f"{name}.")]
    if owners:
        return max(owners, key=len)
    name, dot, _ = text.partition("=")[0].rpartition(".")
    if not dot:
        raise ArgumentError(f"--observer-arg: expected NAME.KEY=VALUE, got '{text}'")
    listed = ", ".join(names) or "none"
    raise ArgumentError(f"--observer-arg {text}: no --observer '{name}'{nearest_hint(name, names)}; chosen: {listed}")


DEFAULT_ALPHA = 0.05


@attrs.frozen(field_transformer=from_options)
class SequentialOptions:
    """Options for stopping a run as soon as a comparison is decided."""

    until_decided: Path | None = typer.Option(
        None,
        metavar="RUN",
        help="Stop as soon as the comparison with this finished run is decided.",
        rich_help_panel=PACE,
    )
    alpha: float | None = typer.Option(
        None, help="Maximum probability of deciding between equal models; 0.05 by default.", rich_help_panel=PACE
    )

    def make(self, recorded: bool) -> UntilDecided | None:
        """Make the comparison, if one is requested.

        Args:
            recorded: whether the run is recorded.

        Raises:
            ArgumentError: an option is missing, without effect or out of range, the run is not recorded, or the
                reference is unfinished.
            RunError: the reference cannot be read.
        """
        from multinet_eval.play.run import UntilDecided
        from multinet_eval.record.run_directory import RunDirectory
        from multinet_eval.record.sequential_design import Reference

        if self.until_decided is None:
            if self.alpha is not None:
                raise ArgumentError("--alpha has no effect without --until-decided")
            return None
        alpha = DEFAULT_ALPHA if self.alpha is None else self.alpha
        if not 0 < alpha < 1:
            raise ArgumentError(f"--alpha: expected a number between 0 and 1, got {alpha:g}")
        if not recorded:
            raise ArgumentError("--until-decided needs a record: leave out --no-record, or name a --run-dir")
        directory = RunDirectory(self.until_decided)
        return UntilDecided(Reference.of(self.until_decided, directory.manifest, directory.ends()), alpha)
