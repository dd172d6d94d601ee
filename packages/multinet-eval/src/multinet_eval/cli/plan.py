"""``multinet plan``: the mazes and epochs needed to show a difference, and their cost, before a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
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
"""Numbers of epochs to plan."""
PROMPTED = ("openai", ("model=planned", "base_url=http://127.0.0.1"))
"""Model whose prompts are measured, if installed, and its arguments; the model is not queried."""
ASSUMED = (
    "Assumed: success rates near one half, mazes that scatter by one logit, and hard ones that are not the same for "
    "both models. 'multinet compare' tells from two finished runs how many mazes such models need."
)


@attrs.frozen
class Plan:
    """Size and cost, for each model, of a comparison with some epochs."""

    epochs: int
    mazes: int
    """Number of base mazes needed to show the difference."""
    episodes: int
    requests: Range
    prompt_tokens: Range | None
    """Estimated number of tokens of the prompts; None if no model with a prompt is installed."""
    reply_tokens: Range | None
    cost: Mapping[str, Range]
    """Cost by model, for models with prices."""
    suite_shows: float | None
    """Smallest difference that the suite's own mazes can show; None if they can show none."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        return attrs.asdict(self)


@command()
def plan(
    suite: str = typer.Option(..., metavar="SUITE", help="Suite to play, or folder of task files."),
    difference: float = typer.Option(..., metavar="D", help="Difference of success rates to detect, between 0 and 1."),
    power: float = typer.Option(0.8, help="Probability of detecting the difference, if it exists."),
    prices: Path | None = typer.Option(
        None, metavar="FILE.toml", help="Prices per million tokens: a table per model, with input and output."
    ),
    as_json: AsJson = False,
) -> None:
    """Plan the mazes and epochs needed to tell two models apart.

    Their cost is estimated; nothing is asked. The test is that of 'multinet compare' for a single pair of runs
    at level 0.05.
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
        facts = {"suite": suite, "mazes": mazes, "tasks": len(found.tasks), "difference": difference, "power": power}
        echo_json({**facts, "plans": [each.to_dict() for each in plans], "assumed": ASSUMED})
        return
    echo(f"{suite}: {counted(mazes, 'maze')}, {counted(len(found.tasks), 'task')}")
    _print(plans, difference, power)


def _mazes(suite: Suite) -> set[str]:
    from multinet_eval.statistics.clusters import base_maze

    return {base_maze(task) for task in suite.tasks}


def _forecast(suite: Suite) -> Forecast:
    """Forecast one epoch of the suite, with the prompts of a chat model if one is installed."""
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
        *map(_range_text, (each.requests, *tokens, *each.cost.values())),
        "-" if each.suite_shows is None else f"{each.suite_shows:.2f}",
    ]


def _range_text(amount: Range) -> str:
    most = number_text(amount.most)
    return f"at most {most}" if amount.least is None else f"{number_text(amount.least)} to {most}"
