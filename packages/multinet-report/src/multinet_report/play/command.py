"""``multinet play``: a person plays a suite in a browser, recorded as a run of the model ``human/NAME``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import RESULTS, Mission, TakeOver
from multinet_eval.cli.output_options import RunFolderOption, RunOutput, refuse_beside_resume
from multinet_eval.cli.playing import play as play_run
from multinet_eval.cli.settings_options import BackendOptions, PresentationOptions
from multinet_eval.settings.defaults import ALL_TILINGS, DEFAULT_SUITE

if TYPE_CHECKING:
    from multinet_report.play.game import Game


PERSON, PAGE = "Who plays", "Page"
RESUMABLE = ("host", "port", "open_it", "consent", "take_over")
"""Parameters that may change when a run is resumed."""


@command()
def play(
    call: typer.Context,
    suite: str = typer.Argument(
        DEFAULT_SUITE, metavar="SUITE", help="An installed suite, a folder, or a task: a file, or SUITE/TASK_ID."
    ),
    name: str | None = typer.Option(
        None, "--as", metavar="NAME", help="Pseudonym; random by default.", rich_help_panel=PERSON
    ),
    practice: int = typer.Option(
        0, metavar="N", min=0, help="Play N other mazes first, unrecorded.", rich_help_panel=PERSON
    ),
    consent: Path | None = typer.Option(
        None, metavar="FILE", help="Text that the person must agree to.", rich_help_panel=PERSON
    ),
    *,
    place: BackendOptions,
    mission: Mission = "goal",
    presented: PresentationOptions,
    host: str = typer.Option(
        "127.0.0.1", help="Address of this machine at which to serve the page.", rich_help_panel=PAGE
    ),
    port: int = typer.Option(0, min=0, max=65535, help="Port; 0 for any free one.", rich_help_panel=PAGE),
    open_it: bool = typer.Option(True, "--open/--no-open", help="Open the page in the browser.", rich_help_panel=PAGE),
    resume: Path | None = typer.Option(
        None, metavar="DIR", help="Go on with this recorded run.", rich_help_panel=RESULTS
    ),
    take_over: TakeOver = False,
    record: RunFolderOption,
    show: RunOutput,
) -> None:
    """Play a suite yourself, in a browser, with the same observations and instructions as a model.

    It is recorded as a run of the model human/NAME. Nothing can be undone, and each maze is played once. You can close
    the page and open it again, and resume the run later.
    """
    from multinet_eval.cli.tasks.finding import find_suite_or_task, suite_name
    from multinet_eval.record.manifest import Suite
    from multinet_report.play.game import MODEL, PageOptions, Person, new_game, open_game, random_name
    from multinet_report.play.server import check_installed

    check_installed()
    show.refuse_report(recorded=True)
    page = PageOptions(host, port, open_it)
    if resume is not None:
        refuse_beside_resume(call, RESUMABLE)
        game, changed = open_game(resume, page, consent)
        for change in changed:
            echo(f"note: {change}", err=True)
    else:
        settings = place.settings(
            model=MODEL,
            compares_tilings=place.tiling == ALL_TILINGS,
            presentation=presented.make(),
            mission=mission,
        )
        person = Person(name or random_name(), practice, consent)
        tasks = Suite(suite_name(suite), tuple(find_suite_or_task(suite)))
        directory = record.choose(call, tasks.name, f"human-{person.name}")
        game = new_game(settings, tasks, person, page, directory)
    _play(game, take_over, show)


def _play(game: Game, take_over: bool, show: RunOutput) -> None:
    from multinet_eval.record.manifest import RunOptions

    if game.practises:
        echo(game.person.notice(), err=True)
        game.practise()
    play_run(game.run, RunOptions(take_over=take_over), show, [game])
