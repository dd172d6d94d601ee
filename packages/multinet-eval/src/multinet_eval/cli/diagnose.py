"""``multinet diagnose``: separate a model's errors of seeing, planning and acting."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import typer

from gridworld.errors import ArgumentError
from multinet_eval.cli import interrupted_code
from multinet_eval.cli.commands import command
from multinet_eval.cli.compare import majority_text
from multinet_eval.cli.dry_run import DryRun, print_forecasts
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import MODEL, RESULTS, TASKS, GivenAgain, ModelOptions, in_use
from multinet_eval.cli.output_options import RecordOptions, ResultOutput, refuse_beside_resume
from multinet_eval.cli.playing import NOTHING_ANSWERED, play_watched, print_nothing_read
from multinet_eval.cli.run_options import AskingOptions
from multinet_eval.cli.settings_options import BackendOptions, PresentationOptions
from multinet_eval.cli.table import Column, numeric, print_facts, print_prose, print_table
from multinet_eval.cli.tasks.finding import find_suite_or_task, suite_name

if TYPE_CHECKING:
    from multinet_eval.play.limits import Stopped
    from multinet_eval.play.run import Run
    from multinet_eval.probing.diagnosis_report import Contrast, Share
    from multinet_eval.probing.diagnosis_runs import DiagnosisResults
    from multinet_eval.record.manifest import RunOptions, Suite
    from multinet_eval.settings.run_settings import RunSettings
    from multinet_eval.statistics.paired_differences import Estimate


@command()
def diagnose(
    call: typer.Context,
    suite: str | None = typer.Argument(None, metavar="SUITE", help="Suite, folder, task file, or SUITE/TASK_ID."),
    model: str | None = typer.Option(
        None,
        "--model",
        "-m",
        metavar="NAME[:MODEL]",
        help="Model that can answer open questions, such as ollama.",
        rich_help_panel=MODEL,
    ),
    contrasts: bool = typer.Option(
        False,
        "--contrasts",
        help="Also play from text, from the model's own transcription, and from a plan in text.",
        rich_help_panel=TASKS,
    ),
    *,
    arguments: ModelOptions,
    place: BackendOptions,
    epochs: int = typer.Option(1, min=1, help="Number of times each task is played each way.", rich_help_panel=TASKS),
    presented: PresentationOptions,
    asking: AskingOptions,
    dry_run: DryRun = False,
    resume: Path | None = typer.Option(
        None, metavar="DIR", help="Recorded diagnosis to continue.", rich_help_panel=RESULTS
    ),
    record: RecordOptions,
    show: ResultOutput,
) -> None:
    """Separate a model's errors of seeing, planning and acting.

    At each step the model gives a transcription of the board, its intended actions and its action. It also plays as
    usual, since these questions change its behaviour. Limits apply to each way of playing. Exit code 1 if anything is
    left to play, or no answer could be read.
    """
    with ExitStack() as stack:
        from multinet_eval.probing.diagnosis_runs import create_runs, open_runs
        from multinet_eval.record.manifest import Suite
        from multinet_eval.settings.plugin_objects import make_player

        find_prices, options = asking.read_prices(), asking.for_run()
        if resume is not None:
            refuse_beside_resume(call)
            given = GivenAgain(place.backend_arg, presented.examples_from).of(arguments.of()[1], None)
            runs = open_runs(resume, given, find_prices, asking.wait(show.tell))
            _play(runs, resume, options, show)
            _print_location(resume, show)
            return
        if suite is None or model is None:
            raise ArgumentError("expected SUITE and --model, or --resume and the folder of a recorded diagnosis")
        plugin, model_arguments = arguments.of(model)
        settings = place.settings(
            model=plugin,
            model_arguments=model_arguments,
            epochs=epochs,
            presentation=presented.make(),
        )
        player = make_player(settings)
        with in_use(player):
            found = find_prices(player.model_name)
        settings = attrs.evolve(settings, prices=found)
        tasks = Suite(suite_name(suite), tuple(find_suite_or_task(suite)))
        if dry_run:
            _print_forecasts(settings, tasks, contrasts, show.as_json)
            return
        folder = record.choose(call, f"diagnose-{tasks.name}", plugin)
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory())) if folder is None else folder
        _play(create_runs(settings, tasks, contrasts, kept, asking.wait(show.tell)), kept, options, show)
        if folder is not None:
            _print_location(folder, show)


def _print_forecasts(settings: RunSettings, suite: Suite, contrasts: bool, as_json: bool) -> None:
    """Print the forecast of each way of playing."""
    from multinet_eval.play.forecast import make_forecast
    from multinet_eval.probing.diagnosis_runs import refuse_partial, settings_of
    from multinet_eval.settings.plugin_objects import make_player

    refuse_partial(suite)
    found = {}
    for name, each in settings_of(settings, contrasts).items():
        player = make_player(each)
        with in_use(player):
            found[name] = make_forecast(each, suite, player)
    if as_json:
        echo_json({name: forecast.to_dict() for name, forecast in found.items()})
        return
    print_forecasts(list(found.items()))
    if contrasts:
        echo("playing from its own transcription takes two requests a step")


def _play(runs: dict[str, Run], folder: Path, options: RunOptions, show: ResultOutput) -> None:
    from multinet_eval.play.limits import StopReason
    from multinet_eval.probing.diagnosis import Cause
    from multinet_eval.probing.diagnosis_runs import diagnose_runs

    stopped = _play_ways(runs, folder, options, show)
    results = diagnose_runs(folder, runs)
    done = show.print_and_write(results.to_dict(), lambda: _print(results))
    if results.unread_reply is not None:
        print_nothing_read({"steps lost": results.report.actions[Cause.LOST]}, results.unread_reply)
    if stopped is not None:
        unlimited = "" if stopped.limit is None else " without a limit"
        echo(f"{stopped.message}; continue{unlimited} with: multinet diagnose --resume {folder}", err=True)
        if stopped.error is not None:
            raise stopped.error
        raise typer.Exit(interrupted_code() if stopped.reason is StopReason.INTERRUPTED else FAILED)
    if not done or not results.complete or results.report.is_empty:
        raise typer.Exit(FAILED)


def _play_ways(runs: dict[str, Run], folder: Path, options: RunOptions, show: ResultOutput) -> Stopped | None:
    """Play each way until one stops early, and return why; a diagnosis without any answer is removed."""
    for number, (name, run) in enumerate(runs.items()):
        if not show.quiet:
            echo(f"{name}:", err=True)
        outcome = play_watched(run, options, show)
        if outcome.unanswered and number == 0:
            shutil.rmtree(folder, ignore_errors=True)
            echo(NOTHING_ANSWERED, err=True)
            raise typer.Exit(FAILED)
        if outcome.stopped is not None:
            return outcome.stopped
    return None


def _print_location(folder: Path, show: ResultOutput) -> None:
    if not show.quiet:
        echo(f"recorded in {folder}", err=show.as_json)


def _print(results: DiagnosisResults) -> None:
    if not results.report.is_empty:
        _print_report(results)
    if any(found.clusters for found in results.success.values()):
        _print_success(results)


def _print_report(results: DiagnosisResults) -> None:
    report = results.report
    rate = "-" if report.error_rate is None else f"{report.error_rate:z.3f} ({_interval(report.error_rate_interval)})"
    print_facts(
        {
            "actions": ", ".join(f"{count} {cause}" for cause, count in report.actions.items() if count),
            "errors": f"{report.errors}, {report.fatal} of them beyond recovery",
            "error rate": rate,
            "mazes": str(report.mazes),
            "penalized regret": f"{report.penalized_regret:g} actions",
        }
    )
    columns = [
        Column("Cause"),
        numeric("Of errors, at least"),
        numeric("at most"),
        numeric("Of penalized regret, at least", 1),
        numeric("at most", 1),
    ]
    title = f"{results.suite}: error sources of {results.model}"
    shares = zip(report.of_errors, report.of_penalized_regret, strict=True)
    print_table(columns, [[one.cause.value, *_bounds(one), *_bounds(other)] for one, other in shares], title)
    _print_by_mistake(results)


def _print_success(results: DiagnosisResults) -> None:

    rows = [
        [way, str(found.clusters), str(found.episodes), *_rate(found), *_spent(results, way)]
        for way, found in results.success.items()
    ]
    ways = [
        Column("Way of playing"),
        numeric("Mazes"),
        numeric("Episodes", 2),
        numeric("Success"),
        numeric("95 % interval"),
    ]
    ways += [numeric(name, 1) for name in ("Requests", "Tokens", "Cost")]
    print_table(ways, rows, "success")
    differences = [
        [each.name, f"{each.one} - {each.other}", str(each.mazes), *_difference(each)] for each in results.contrasts
    ]
    headings = [Column("Contrast"), Column("Of", 1), numeric("Mazes")]
    headings += [numeric("Difference"), numeric("95 % interval"), numeric("p", 1)]
    print_table(headings, differences, "paired contrasts of success, which need not add up")
    for each in results.contrasts:
        if each.majority_disagrees:
            favoured = (each.one, each.other) if (each.difference or 0) > 0 else (each.other, each.one)
            more = max(each.better, each.worse)
            print_prose(f"{each.name}: {majority_text(*favoured, more, each.mazes)}")
    if len(results.contrasts) > 1:
        print_prose("each p is of its contrast alone, not adjusted for their number")


def _print_by_mistake(results: DiagnosisResults) -> None:
    """Print the causes of the first rows of mistakes."""
    from multinet_eval.cli.result_tables import MOST_MISTAKES

    rows = results.by_mistake[:MOST_MISTAKES]
    if rows:
        columns = [Column("Needed to", prose=True), Column("Did", prose=True), *map(numeric, rows[0].causes)]
        cells = [[row.needed or "-", row.did, *map(str, row.causes.values())] for row in rows]
        print_table(columns, cells, "causes of the first mistakes")


def _spent(results: DiagnosisResults, way: str) -> list[str]:
    spent, cost = results.spent[way], results.cost[way]
    return [f"{spent.requests:,}", f"{spent.tokens:,}", "-" if cost is None else f"{cost:.4g}"]


def _rate(found: Estimate) -> tuple[str, str]:
    return ("-", "-") if found.score is None else (f"{found.score:z.3f}", _interval(found.interval))


def _difference(found: Contrast) -> tuple[str, str, str]:
    if found.difference is None or found.p_value is None:
        return "-", "-", "-"
    p_value = f"{found.p_value:.3f}" if found.p_value >= 0.001 else f"{found.p_value:.1e}"
    return f"{found.difference:+z.3f}", _interval(found.interval), p_value


def _bounds(share: Share) -> tuple[str, str]:
    return _bound(share.low, share.low_interval), _bound(share.high, share.high_interval)


def _bound(share: float | None, interval: tuple[float, float]) -> str:
    return "-" if share is None else f"{share:z.2f} ({_interval(interval)})"


def _interval(interval: tuple[float, float]) -> str:
    return f"{interval[0]:z.2f} to {interval[1]:z.2f}"
