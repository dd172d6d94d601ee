"""``--dry-run``: forecast a run instead of playing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import PACE, in_use
from multinet_eval.cli.table import Column, numeric, print_prose, print_table

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInterface
    from multinet_eval.play.forecast import Forecast, Range, RequestPart
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.run_settings import RunSettings

DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the expected requests, tokens and cost, and ask nothing.",
        rich_help_panel=PACE,
    ),
]


def print_forecast(settings: RunSettings, suite: Suite, model: ModelInterface, as_json: bool) -> None:
    """Print the forecast of a run, and close the model."""
    from multinet_eval.play.forecast import make_forecast

    with in_use(model):
        forecast = make_forecast(settings, suite, model)
    if as_json:
        echo_json(forecast.to_dict())
        return
    for line in _lines(forecast):
        echo(line)
    if forecast.parts:
        _print_parts(forecast)
        print_prose(forecast.method)


def print_forecasts(forecasts: Sequence[tuple[str, Forecast]]) -> None:
    """Print the maxima of several named runs, and their sums."""
    from multinet_eval.play.forecast import METHOD

    amounts: list[tuple[Column, list[Range | None]]] = [
        (numeric("Requests"), [each.requests for _, each in forecasts]),
        (numeric("Pictures", 3), [each.pictures for _, each in forecasts]),
        (numeric("Prompt tokens", 1), [each.prompt_tokens for _, each in forecasts]),
        (numeric("Reply tokens", 2), [each.reply_tokens for _, each in forecasts]),
        (numeric("Cost"), [each.cost for _, each in forecasts]),
    ]
    known = [(column, ranges) for column, ranges in amounts if any(each is not None for each in ranges)]
    columns = [Column("Run"), numeric("Episodes", 4), *(column for column, _ in known)]
    rows = [
        [name, f"{forecast.episodes:,}", *(_most([ranges[number]]) for _, ranges in known)]
        for number, (name, forecast) in enumerate(forecasts)
    ]
    total = ["all", f"{sum(forecast.episodes for _, forecast in forecasts):,}"]
    rows.append([*total, *(_most(ranges) for _, ranges in known)])
    print_table(
        columns, rows, "Maximum, if every episode uses its whole budget and no request is repeated; nothing was asked"
    )
    if any(forecast.prompt_tokens is not None for _, forecast in forecasts):
        echo(METHOD)


def _most(ranges: Sequence[Range | None]) -> str:
    known = [each.most for each in ranges if each is not None]
    return number_text(sum(known)) if len(known) == len(ranges) else "-"


def _lines(forecast: Forecast) -> list[str]:
    episodes, of_them = counted(forecast.episodes, "episode"), f"{forecast.unsolved} of {forecast.episodes} episodes"
    unknown = f"; no shortest plan is known for {of_them}" if forecast.unsolved else ""
    lines = [
        f"{forecast.suite}: {forecast.model_name} would play {episodes}; nothing was asked",
        f"requests: {_range_text(forecast.requests)}{unknown}",
        f"pictures: {_range_text(forecast.pictures)}",
    ]
    if forecast.prompt_tokens is None or forecast.reply_tokens is None:
        return [*lines, "tokens: unknown, since the model has no prompt to measure"]
    lines.append(f"prompt tokens, estimated: {_range_text(forecast.prompt_tokens)}")
    lines.append(f"reply tokens, estimated: {_range_text(forecast.reply_tokens)}")
    if forecast.cost is not None:
        lines.append(f"cost, estimated: {_range_text(forecast.cost)}")
    return lines


def _print_parts(forecast: Forecast) -> None:
    """Print the parts of a request, and what each costs."""
    columns = [
        Column("Part of a request"),
        Column("Holds", prose=True),
        numeric("Tokens"),
        numeric("In the run", 1),
        numeric("Cost"),
    ]
    rows = [
        [part.name, _contents(part), f"{part.tokens:,}", number_text(part.run_tokens), number_text(part.cost or 0)]
        for part in forecast.parts
    ]
    shown = columns if forecast.cost is not None else columns[:-1]
    echo()
    print_table(shown, [row[: len(shown)] for row in rows], "at most, in estimated tokens", 100)


def _contents(part: RequestPart) -> str:
    """Describe the pictures of a part and their sizes, or else the length of its text."""
    if not part.pictures:
        return f"{part.characters:,} characters" if part.characters else "assumed"
    sizes = [f"{width} x {height}" for width, height in part.sizes]
    between = "" if not sizes else f" of {sizes[0]}" if len(sizes) == 1 else f", {sizes[0]} to {sizes[-1]}"
    return f"{counted(part.pictures, 'picture')}{between}"


def _range_text(amount: Range) -> str:
    if not amount.most:
        return "none"
    if amount.least is None:
        return f"at most {number_text(amount.most)}"
    return f"{number_text(amount.least)} if every task is solved by a shortest plan, at most {number_text(amount.most)}"


def number_text(amount: float) -> str:
    """Format a count, or a sum of money."""
    return f"{amount:,}" if isinstance(amount, int) else f"{amount:.4g}"
