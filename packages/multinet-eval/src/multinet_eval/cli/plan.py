"""``multinet plan``: the mazes and epochs needed to show a difference, and their cost, before a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.explaining.explanation import ExplainLevel
from gridworld.plugins import get_registry
from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.dry_run import number_text
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import AsJson, ProtocolText, in_use, refuse_experiments
from multinet_eval.cli.table import Cell, numeric, print_prose, print_table
from multinet_eval.cli.tasks.generate import prepare_suite

if TYPE_CHECKING:
    from gridworld.runner.presentation import Presentation
    from multinet_eval.play.forecast import Forecast, Range
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.spending import Prices
    from multinet_eval.statistics.planning import Truth

EPOCHS = (1, 2, 3, 5, 10)
"""Numbers of epochs to plan."""
PROMPTED = ("openai", ("model=planned", "base_url=http://127.0.0.1"))
"""Model whose prompts are measured, if installed, and its arguments; the model is not queried."""


@attrs.frozen
class Plan:
    """Size and cost, for each model, of a comparison with some epochs."""

    epochs: int
    mazes: int | None
    """Number of base mazes needed to show the difference; None if more than `MOST_MAZES`."""
    power: float | None
    """Simulated power with these mazes."""
    suite_power: float
    """Simulated power with the suite's own mazes."""
    episodes: int | None
    requests: Range | None
    prompt_tokens: Range | None
    """Estimated number of tokens of the prompts; None if no model with a prompt is installed."""
    reply_tokens: Range | None
    cost: Mapping[str, Range]
    """Cost by model, for models with prices."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        return attrs.asdict(self)


@attrs.frozen
class StatedTruth:
    """The truth for which power is simulated, and its description."""

    truth: Truth
    told: str


@command()
def plan(
    suite: str = typer.Option(..., metavar="SUITE", help="Suite to play, or folder of task files."),
    difference: float = typer.Option(..., metavar="D", help="Difference of success rates to detect, between 0 and 1."),
    power: float = typer.Option(0.8, help="Probability of detecting the difference, if it exists."),
    like: list[Path] = typer.Option(
        [], metavar="RUN", help="Recorded run whose mazes are taken as typical. Repeatable, for two models."
    ),
    observation: str = typer.Option(
        "image", metavar="NAME+...", help="Formats of the observation, joined by +, such as image+text."
    ),
    protocol: ProtocolText = "step",
    explain: ExplainLevel = typer.Option(
        "full", help="Briefing: nothing, how the suite's objects look, the rules, or both."
    ),
    prices: Path | None = typer.Option(
        None, metavar="FILE.toml", help="Prices per million tokens: a table per model, with input and output."
    ),
    as_json: AsJson = False,
) -> None:
    """Plan the mazes and epochs needed to tell two models apart.

    The power of the test of 'multinet compare', for a single pair of runs at level 0.05, is simulated for a truth that
    is printed. The cost is estimated; nothing is asked.
    """
    from gridworld.runner.presentation import Presentation
    from gridworld.suites import read_suite
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.spending import read_prices

    if not 0 < difference <= 1:
        raise ArgumentError(f"--difference: expected a number above 0 and at most 1, got {difference:g}")
    if not 0.5 <= power < 1:
        raise ArgumentError(f"--power: expected a number from 0.5 to below 1, got {power:g}")
    tables = {} if prices is None else read_prices(prices)
    stated = _state_truth(like, difference)
    prepare_suite(suite)
    found = Suite(suite, tuple(read_suite(suite).tasks))
    forecast = _forecast(found, Presentation(observation=observation, explain=explain), protocol)
    plans = _plans(found, forecast, stated.truth, power, tables)
    mazes = len(_mazes(found))
    if as_json:
        facts = {"suite": suite, "mazes": mazes, "tasks": len(found.tasks), "difference": difference, "power": power}
        asked = {"observation": observation, "protocol": protocol, "explain": explain}
        echo_json({**facts, **asked, "truth": stated.told, "plans": [each.to_dict() for each in plans]})
        return
    echo(f"{suite}: {counted(mazes, 'maze')}, {counted(len(found.tasks), 'task')}")
    _print(plans, difference, power, stated.told)


def _state_truth(like: Sequence[Path], difference: float) -> StatedTruth:
    """Return the truth of recorded runs, or an assumed one."""
    from multinet_eval.statistics.planning import SCATTER, assumed_truth, recorded_truth

    if not like:
        truth = assumed_truth(difference)
        return StatedTruth(
            truth,
            f"assumed truth: {_means(truth)}; mazes scatter by {SCATTER:g} logit, and those that are hard for one "
            "model are no harder for the other. --like RUN takes both from recorded runs",
        )
    if len(like) > 2:
        raise ArgumentError(f"--like: expected one or two runs, got {len(like)}")
    refuse_experiments(like, "runs show")
    plays = [_plays(path) for path in like]
    common = sorted(set(plays[0]).intersection(*plays))
    if not common:
        raise ArgumentError(f"--like: no base maze is scored in {' and in '.join(map(str, like))}")
    first, second = ([each[maze] for maze in common] for each in (plays[0], plays[-1]))
    truth = recorded_truth(first, second, difference)
    shared = "; both models find the same mazes hard" if len(like) == 1 else ""
    return StatedTruth(
        truth,
        f"truth: {_means(truth)}; mazes are as hard as the {counted(len(common), 'base maze')} of "
        f"{' and '.join(map(str, like))}{shared}",
    )


def _means(truth: Truth) -> str:
    return "success rates of {:.3f} and {:.3f}".format(*truth.means)


def _plays(path: Path) -> dict[str, tuple[int, int]]:
    """Return the numbers of solved and of scored plays of each base maze of a run."""
    from multinet_eval.analysis.recorded_run import read

    found: dict[str, tuple[int, int]] = {}
    for each in read(path).played:
        if each.result is not None and each.result.scored:
            solved, plays = found.get(each.base, (0, 0))
            found[each.base] = (solved + each.result.success, plays + 1)
    return found


def _mazes(suite: Suite) -> set[str]:
    from multinet_eval.statistics.clusters import base_maze

    return {base_maze(task) for task in suite.tasks}


def _forecast(suite: Suite, presentation: Presentation, protocol: str) -> Forecast:
    """Forecast one epoch of the suite, with the prompts of a chat model if one is installed."""
    from multinet_eval.play.forecast import make_forecast
    from multinet_eval.settings.plugin_objects import make_model
    from multinet_eval.settings.run_settings import RunSettings

    name, arguments = PROMPTED if PROMPTED[0] in get_registry().models else ("random", ())
    model = make_model(name, list(arguments))
    settings = RunSettings(name, arguments, presentation=presentation, protocol=protocol)
    with in_use(model):
        return make_forecast(settings, suite, model)


def _plans(suite: Suite, forecast: Forecast, truth: Truth, power: float, prices: Mapping[str, Prices]) -> list[Plan]:
    from multinet_eval.play.forecast import Range, cost_of
    from multinet_eval.statistics.planning import mazes_for, simulated_power

    there, plans = len(_mazes(suite)), list[Plan]()
    for epochs in EPOCHS:
        plays = max(1, round(epochs * len(suite.tasks) / there))
        mazes = mazes_for(truth, plays, power)
        own = simulated_power(truth, there, plays)
        if mazes is None:
            plans.append(Plan(epochs, None, None, own, None, None, None, None, {}))
            continue
        times = epochs * mazes / there

        def scaled(amount: Range, times: float = times) -> Range:
            return Range(None if amount.least is None else round(amount.least * times), round(amount.most * times))

        tokens = [scaled(each) for each in (forecast.prompt_tokens, forecast.reply_tokens) if each is not None]
        plans.append(
            Plan(
                epochs=epochs,
                mazes=mazes,
                power=simulated_power(truth, mazes, plays),
                suite_power=own,
                episodes=round(len(suite.tasks) * times),
                requests=scaled(forecast.requests),
                prompt_tokens=tokens[0] if tokens else None,
                reply_tokens=tokens[1] if tokens else None,
                cost={name: cost_of(each, *tokens) for name, each in prices.items() if tokens},
            )
        )
    return plans


def _print(plans: list[Plan], difference: float, power: float, told: str) -> None:
    from multinet_eval.play.forecast import METHOD
    from multinet_eval.statistics.planning import SUITES

    priced = list(dict.fromkeys(name for each in plans for name in each.cost))
    has_tokens = any(each.prompt_tokens for each in plans)
    columns = [
        numeric("Epochs"),
        numeric("Base mazes"),
        numeric("Power", 4),
        numeric("Episodes", 1),
        numeric("Requests"),
        *([numeric("Prompt tokens", 2), numeric("Reply tokens", 3)] if has_tokens else []),
        *(numeric(f"Cost of {name}") for name in priced),
        numeric("Power of this suite", 5),
    ]
    title = f"To show a difference of {difference:g} with a probability of {power:g}, for each model"
    print_table(columns, [_cells(each, priced, has_tokens) for each in plans], title)
    print_prose(f"Power is simulated with {SUITES:,} suites. {told[0].upper()}{told[1:]}.")
    if has_tokens:
        print_prose(f"Tokens are {METHOD}.")
    else:
        print_prose("Requests are without repeated ones.")


def _cells(each: Plan, priced: Sequence[str], has_tokens: bool) -> list[Cell]:
    from multinet_eval.statistics.planning import MOST_MAZES

    tokens = [each.prompt_tokens, each.reply_tokens] if has_tokens else []
    amounts = [each.requests, *tokens, *(each.cost.get(name) for name in priced)]
    return [
        str(each.epochs),
        f"over {MOST_MAZES:,}" if each.mazes is None else f"{each.mazes:,}",
        "-" if each.power is None else f"{each.power:.2f}",
        "-" if each.episodes is None else f"{each.episodes:,}",
        *("-" if amount is None else _range_text(amount) for amount in amounts),
        f"{each.suite_power:.2f}",
    ]


def _range_text(amount: Range) -> str:
    most = number_text(amount.most)
    return f"at most {most}" if amount.least is None else f"{number_text(amount.least)} to {most}"
