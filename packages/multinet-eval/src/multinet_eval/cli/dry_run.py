"""``--dry-run``: what a run would take, printed instead of played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from multinet_eval.cli.echo import echo, echo_json

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInterface
    from multinet_eval.runs.forecast import Forecast, Range
    from multinet_eval.runs.manifest import Suite
    from multinet_eval.runs.settings import RunSettings

__all__ = ["DryRun", "number_text", "tell_forecast"]

DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print how many requests, pictures and tokens the run would take; ask and record nothing.",
        rich_help_panel="Cost",
    ),
]


def tell_forecast(settings: RunSettings, suite: Suite, model: ModelInterface, as_json: bool) -> None:
    """Print what a run would take, and close the model; raises as `make_forecast` does."""
    from multinet_eval.cli.options import in_use
    from multinet_eval.runs.forecast import make_forecast

    with in_use(model):
        forecast = make_forecast(settings, suite, model)
    if as_json:
        echo_json(forecast.to_dict())
        return
    for line in _lines(forecast):
        echo(line)


def _lines(forecast: Forecast) -> list[str]:
    of_them = f"{forecast.unsolved} of {forecast.episodes} episodes"
    unknown = f"; no shortest plan is known for {of_them}" if forecast.unsolved else ""
    lines = [
        f"{forecast.suite}: {forecast.model_name} would play {forecast.episodes} episodes; nothing was asked",
        f"requests: {_shown(forecast.requests)}{unknown}",
        f"pictures: {_shown(forecast.pictures)}",
    ]
    if forecast.prompt_tokens is None or forecast.reply_tokens is None:
        return [*lines, "tokens: not known, since the model has no prompt to measure"]
    lines.append(f"prompt tokens, estimated: {_shown(forecast.prompt_tokens)}")
    lines.append(f"reply tokens, estimated: {_shown(forecast.reply_tokens)}")
    if forecast.cost is not None:
        lines.append(f"cost, estimated: {_shown(forecast.cost)}")
    return [*lines, forecast.method]


def _shown(amount: Range) -> str:
    if amount.least is None:
        return f"at most {number_text(amount.most)}"
    return f"{number_text(amount.least)} if every task is solved by a shortest plan, at most {number_text(amount.most)}"


def number_text(amount: float) -> str:
    """A number of things, or a sum of money."""
    return f"{amount:,}" if isinstance(amount, int) else f"{amount:.4g}"
