"""``multinet plan``: how many mazes and epochs it takes to show a difference, and what they cost, before a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.wording import counted
from multinet_eval.cli.commands import REQUIRED, command, option
from multinet_eval.cli.dry_run import number_text
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import AsJson, in_use
from multinet_eval.cli.table import Cell, numeric, print_prose, print_table
from multinet_eval.cli.tasks.generate import prepare_suite

if TYPE_CHECKING:
    from multinet_eval.play.forecast import Forecast, Range
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.spending import Prices

EPOCHS = (1, 2, 3, 5, 10)
"""Epochs that are planned with."""
PROMPTED = ("openai", ("model=planned", "base_url=http://127.0.0.1"))
"""Model whose prompts are counted, where it is installed, and arguments to make it; nothing is asked."""
ASSUMED = (
    "Assumed: success rates near one half, mazes that scatter by one logit, and hard ones that are not the same for "
    "both models. 'multinet compare' tells from two finished runs how many mazes models like these take."
)


@attrs.frozen
class Plan:
    """A comparison with some epochs, and what it takes of each model."""

    epochs: int
    mazes: int
    """Number of base mazes that show the difference."""
    episodes: int
    requests: Range
    prompt_tokens: Range | None
    """Estimated; None where no model with a prompt is installed."""
    reply_tokens: Range | None
    cost: Mapping[str, Range]
    """Model to the cost, of those with prices."""
    suite_shows: float | None
    """Smallest difference that the suite's own mazes show; None where they show none."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return attrs.asdict(self)


@command(plugins="loaded or fail")
def plan(
    suite: str = option(REQUIRED, "The suite to play, or a folder of task files.", metavar="SUITE"),
    difference: float = option(REQUIRED, "Difference of success rates to show, between 0 and 1.", metavar="D"),
    power: float = option(0.8, "Probability of showing it."),
    prices: Path | None = option(
        None, "What a million tokens cost: for each model a table with input and output.", metavar="FILE.toml"
    ),
    as_json: AsJson = False,
) -> None:
    """Tell how many mazes and epochs it takes to show a difference of two models, and what they cost.

    Nothing is asked. The test is that of 'multinet compare' for a single pair of runs at the level of 0.05.
    """
    from gridworld.suites import read_suite
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.spending import read_prices

    if not 0 < difference <= 1:
        raise ArgumentError(f"--difference: expected a number above 0 and at most 1, got {difference:g}")
    if not 0.5 <= power < 1:
        raise ArgumentError(f"--power: expected a number from 0.5 to below 1, got {power:g}")
    tables = {} if prices is None else read_prices(prices)
    prepare_suite(suite)
    found = Suite(suite, tuple(read_suite(suite).tasks))
    plans = _plans(found, _forecast(found), difference, power, tables)
    mazes = len(_mazes(found))
    if as_json:
        told = {"suite": suite, "mazes": mazes, "tasks": len(found.tasks), "difference": difference, "power": power}
        echo_json({**told, "plans": [each.to_dict() for each in plans], "assumed": ASSUMED})
        return
    echo(f"{suite}: {counted(mazes, 'maze')}, {counted(len(found.tasks), 'task')}")
    _print(plans, difference, power)


def _mazes(suite: Suite) -> set[str]:
    from multinet_eval.statistics.clusters import base_maze

    return {base_maze(task) for task in suite.tasks}


def _forecast(suite: Suite) -> Forecast:
    """What one epoch of the suite takes, with the prompts of a chat model where one is installed."""
    from gridworld.plugins import get_registry
    from multinet_eval.play.forecast import make_forecast
    from multinet_eval.settings.plugin_objects import make_model
    from multinet_eval.settings.run_settings import RunSettings

    name, arguments = PROMPTED if PROMPTED[0] in get_registry().models else ("random", ())
    model = make_model(name, list(arguments))
    with in_use(model):
        return make_forecast(RunSettings(name, arguments), suite, model)


def _plans(
    suite: Suite, forecast: Forecast, difference: float, power: float, prices: Mapping[str, Prices]
) -> list[Plan]:
    from multinet_eval.play.forecast import Range, cost_of
    from multinet_eval.statistics.paired_tests import LEVEL
    from multinet_eval.statistics.planning import expected_scatter, mazes_needed, smallest_difference

    def scaled(amount: Range) -> Range:
        return Range(None if amount.least is None else round(amount.least * times), round(amount.most * times))

    there, plans = len(_mazes(suite)), list[Plan]()
    for epochs in EPOCHS:
        scatter = expected_scatter(epochs * len(suite.tasks) / there)
        mazes = mazes_needed(difference, scatter, LEVEL, power)
        times = epochs * mazes / there
        tokens = [scaled(each) for each in (forecast.prompt_tokens, forecast.reply_tokens) if each is not None]
        plans.append(
            Plan(
                epochs=epochs,
                mazes=mazes,
                episodes=round(len(suite.tasks) * times),
                requests=scaled(forecast.requests),
                prompt_tokens=tokens[0] if tokens else None,
                reply_tokens=tokens[1] if tokens else None,
                cost={name: cost_of(each, *tokens) for name, each in prices.items() if tokens},
                suite_shows=smallest_difference(there, scatter, LEVEL, power),
            )
        )
    return plans


def _print(plans: list[Plan], difference: float, power: float) -> None:
    from multinet_eval.play.forecast import METHOD

    columns = [
        numeric("Epochs"),
        numeric("Mazes"),
        numeric("Episodes", 1),
        numeric("Requests"),
        *([numeric("Prompt tokens", 2), numeric("Reply tokens", 3)] if plans[0].prompt_tokens else []),
        *(numeric(f"Cost of {name}") for name in plans[0].cost),
        numeric("This suite shows", 4),
    ]
    title = f"To show a difference of {difference:g} with a probability of {power:g}, for each model"
    print_table(columns, [_cells(each) for each in plans], title)
    print_prose(ASSUMED)
    if plans[0].prompt_tokens:
        print_prose(f"Tokens are {METHOD}.")


def _cells(each: Plan) -> list[Cell]:
    tokens = [amount for amount in (each.prompt_tokens, each.reply_tokens) if amount is not None]
    return [
        str(each.epochs),
        f"{each.mazes:,}",
        f"{each.episodes:,}",
        *map(_told, (each.requests, *tokens, *each.cost.values())),
        "-" if each.suite_shows is None else f"{each.suite_shows:.2f}",
    ]


def _told(amount: Range) -> str:
    most = number_text(amount.most)
    return f"at most {most}" if amount.least is None else f"{number_text(amount.least)} to {most}"
