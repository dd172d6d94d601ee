"""``multinet probe``: ask a model about what it sees, without playing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.support.wording import counted
from multinet_eval.cli import interrupted_code
from multinet_eval.cli.commands import command
from multinet_eval.cli.dry_run import DryRun
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import MODEL, RESULTS, GivenAgain, ModelOptions, in_use
from multinet_eval.cli.output_options import RecordOptions, ResultOutput, refuse_beside_resume
from multinet_eval.cli.playing import NOTHING_ANSWERED, print_nothing_read
from multinet_eval.cli.run_options import AskingOptions
from multinet_eval.cli.settings_options import BackendOptions, PresentationOptions
from multinet_eval.cli.table import Column, numeric, print_table
from multinet_eval.cli.tasks.finding import find_suite_or_task, suite_name
from multinet_eval.statistics import ESTIMATORS_VERSION

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInterface
    from multinet_eval.probing.questions import ProbeSettings
    from multinet_eval.probing.report import Measure, ProbeReport
    from multinet_eval.probing.running import Probed, Probing
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.run_settings import RunSettings

PROBING = "What to ask"


@command()
def probe(
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
    probes: list[str] | None = typer.Option(
        None, "--probe", metavar="NAME", help="Probe to ask; all by default. Repeatable.", rich_help_panel=PROBING
    ),
    states: int = typer.Option(4, min=1, help="Number of states of each task to ask about.", rich_help_panel=PROBING),
    seed: int = typer.Option(0, help="Seed of the states and of the order of options.", rich_help_panel=PROBING),
    *,
    arguments: ModelOptions,
    place: BackendOptions,
    presented: PresentationOptions,
    asking: AskingOptions,
    dry_run: DryRun = False,
    resume: Path | None = typer.Option(
        None, metavar="DIR", help="Recorded probing to continue.", rich_help_panel=RESULTS
    ),
    record: RecordOptions,
    show: ResultOutput,
) -> None:
    """Ask a model what it sees.

    Questions are about states of tasks and are graded exactly. Each score stands beside the scores of the best
    constant answer and of answers for another task. Exit code 1 if not all questions were answered, or no
    answer could be read.
    """
    from multinet_eval.play.run import closing_if_refused
    from multinet_eval.probing.questions import ProbeSettings
    from multinet_eval.probing.running import new_probing, open_probing
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.plugin_objects import make_model

    find_prices = asking.read_prices()
    if resume is not None:
        refuse_beside_resume(call)
        given = GivenAgain(place.backend_arg, presented.examples_from).of(arguments.of()[1], None)
        probing = open_probing(resume, given, find_prices, asking.wait(show.tell))
    else:
        if suite is None or model is None:
            raise ArgumentError("expected SUITE and --model, or --resume and the folder of a recorded probing")
        wanted = ProbeSettings(tuple(probes or get_registry().probes.names()), states, seed)
        plugin, model_arguments = arguments.of(model)
        settings = place.settings(
            model=plugin,
            model_arguments=model_arguments,
            presentation=presented.make(),
        )
        tasks = Suite(suite_name(suite), tuple(find_suite_or_task(suite)))
        made = make_model(plugin, model_arguments)
        with closing_if_refused(made):
            settings = attrs.evolve(settings, prices=find_prices(made.model_name))
            recorded = record.choose(call, f"probe-{tasks.name}", plugin)
        if dry_run:
            _print_questions(settings, wanted, tasks, made, show.as_json)
            return
        probing = new_probing(settings, wanted, tasks, made, recorded, asking.wait(show.tell))
    _ask(probing, asking, show)


def _print_questions(
    settings: RunSettings, probing: ProbeSettings, suite: Suite, model: ModelInterface, as_json: bool
) -> None:
    """Print the number of questions."""
    from collections import Counter

    from multinet_eval.probing.running import make_questions
    from multinet_eval.settings.plugin_objects import require_open

    with in_use(model):
        require_open(model)
        counts = Counter(asked.place.probe for asked in make_questions(settings, probing, suite.tasks, model))
    total = sum(counts.values())
    if as_json:
        echo_json({"questions": total, "by_probe": dict(counts)})
        return
    for name, count in counts.items():
        echo(f"{name}: {count}")
    echo(f"{total} questions in all; nothing was asked")


def _ask(probing: Probing, asking: AskingOptions, show: ResultOutput) -> None:
    from multinet_eval.cli.interrupts import clean_interrupts
    from multinet_eval.probing.report import report_on
    from multinet_eval.probing.running import load_probes
    from multinet_eval.record.task_result import add_counts

    with clean_interrupts(probing):
        probed = probing.ask(asking.workers, asking.limits, _progress(show.quiet), asking.patience)
    reports = report_on(probed.answers, load_probes(probed.manifest.probing.probes), probed.bases)
    nothing_read = bool(reports) and all(report.nothing_read for report in reports)
    empty = nothing_read or not reports
    done = show.print_and_write(_as_json(probed, reports), lambda: None if empty else _print(probed, reports))
    if probed.directory is not None and not show.quiet:
        echo(f"recorded in {probed.directory}", err=show.as_json)
    if nothing_read:
        print_nothing_read(add_counts(report.unreadable for report in reports), probed.answers[0].reply)
    if not probed.complete:
        why = probed.stopped or f"the server did not answer some questions: {probed.failure}"
        echo(f"{why}, after {counted(len(probed.answers), 'answer')}", err=True)
        if probed.directory is not None:
            unlimited = " without a limit" if probed.limited else ""
            echo(f"continue{unlimited} with: multinet probe --resume {probed.directory}", err=True)
        elif probed.unanswered and probing.directory is not None:
            echo(NOTHING_ANSWERED, err=True)
        raise typer.Exit(interrupted_code() if probed.interrupted else FAILED)
    if nothing_read or not done:
        raise typer.Exit(FAILED)


def _progress(quiet: bool) -> Any:
    """Make an observer of answers that prints a line after every hundred."""

    def tell(count: int) -> None:
        if count % 100 == 0 and not quiet:
            echo(f"{count} questions answered", err=True)

    return tell


def _as_json(probed: Probed, reports: Sequence[ProbeReport]) -> dict[str, Any]:

    run = probed.manifest.run
    return {
        "estimators": ESTIMATORS_VERSION,
        "kind": probed.manifest.kind,
        "suite": run.suite,
        "suite_hash": run.suite_hash,
        "model": run.model_name,
        "tilings": [ground.tiling for ground in run.grounds],
        "observation": run.settings.presentation.observation,
        "states": probed.manifest.probing.states,
        "seed": probed.manifest.probing.seed,
        "complete": probed.complete,
        "answered": len(probed.answers),
        "spent": attrs.asdict(probed.spent),
        "probes": [report.to_dict() for report in reports],
    }


def _print(probed: Probed, reports: Sequence[ProbeReport]) -> None:
    columns = [
        Column("Probe"),
        Column("Measure"),
        numeric("Mazes", 5),
        numeric("Score"),
        numeric("95 % interval"),
        numeric("Best constant", 1),
        numeric("Other task", 2),
        numeric("Unread", 3),
        numeric("With unread", 4),
    ]
    rows = [_row(report, measure) for report in reports for measure in report.measures]
    print_table(columns, rows, f"{probed.manifest.run.suite}: what {probed.manifest.run.model_name} sees")
    for report in reports:
        _print_groups(report)
        _print_confusions(report.probe, report.confusions)


def _row(report: ProbeReport, measure: Measure) -> list[str]:
    low, high = measure.interval
    unread = sum(report.unreadable.values())
    return [
        report.probe,
        measure.name,
        str(measure.mazes),
        _share(measure.score),
        "-" if measure.score is None else f"{low:z.2f} to {high:z.2f}",
        _share(measure.best_constant),
        _share(measure.other_task),
        f"{unread} of {report.answered}",
        _share(measure.with_unreadable),
    ]


def _print_groups(report: ProbeReport) -> None:
    columns = [
        Column("By"),
        Column("Value"),
        numeric("Score"),
        numeric("Items", 2),
        numeric("Mazes", 3),
        numeric("95 % interval", 1),
    ]
    rows = [
        [
            group.by,
            group.value,
            _share(group.score),
            str(group.asked),
            str(group.mazes),
            "{:z.2f} to {:z.2f}".format(*group.interval),
        ]
        for group in report.groups
    ]
    if rows:
        print_table(columns, rows, report.probe)


def _print_confusions(name: str, confusions: Mapping[str, Mapping[str, int]]) -> None:
    rows = [
        [thing, said, str(count)]
        for thing, answers in confusions.items()
        for said, count in answers.items()
        if thing != said
    ]
    if rows:
        print_table([Column("There was"), Column("It said"), numeric("Times")], rows, f"{name}: confusions")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:z.3f}"
