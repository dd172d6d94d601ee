"""``multinet watch``: shows how far a run has come that another process or machine plays."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gridworld.support.wording import visible_line
from multinet_eval.cli.commands import command, option
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import PageName, RunPath
from multinet_eval.cli.output_files import FollowingPage, find_page_writer, refuse_output
from multinet_eval.settings.defaults import LINE_SECONDS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multinet_eval.monitor.watching import RunView, RunWatch

PATIENCE = 5.0
"""The seconds for which a run that nobody plays is still watched: it may be about to go on."""
LONG_IDLE = 10.0
"""Seconds without a new line after which that is worth a note."""


@command()
def watch(
    directory: RunPath,
    once: bool = option(False, "Show how far it is now, and end."),
    as_json: bool = option(False, "Print JSON, one object a line.", "--json"),
    interval: float = option(1.0, "How often the files are looked at.", min=0.05, metavar="SECONDS"),
    as_html: bool = option(
        False, "Write a page of the run, too, anew as episodes end. Needs multinet-report.", "--html"
    ),
    output: Path = option(Path("report.html"), "Where --html writes the page.", "-o", metavar="FILE.html"),
    page: PageName = None,
) -> None:
    """Show how far a run has come, from its files alone: that of another process, or of a machine that shares the disk.

    It ends when the run is finished, with exit code 0, or when nobody plays it any more, with 1. An open page is read
    anew by itself while its overview is looked at.
    """
    from multinet_eval.monitor.watching import RunWatch
    from multinet_eval.record.summary import RunStatus

    watched = RunWatch(directory)
    paged, writer = None, find_page_writer(as_html, page, "--html")
    if writer is not None:
        refuse_output(output)
        paged = FollowingPage(writer, directory, output)
    if once:
        (_print_json if as_json else _print_lines)(watched.look(), directory)
    else:
        follow = _follow_as_json if as_json else _follow
        last = follow(_paged(_views(watched, interval), paged), directory)
    whole = paged is None or paged.finish()
    if not whole or (not once and last.state is not RunStatus.FINISHED):
        raise typer.Exit(FAILED)


def _paged(views: Iterator[RunView], page: FollowingPage | None) -> Iterator[RunView]:
    """The views as they are, each put on the page first, if there is one, while the run is not finished."""
    from multinet_eval.record.summary import RunStatus

    for view in views:
        if page is not None and view.state is not RunStatus.FINISHED:
            page.follow(view)
        yield view


def _views(watched: RunWatch, interval: float) -> Iterator[RunView]:
    """What is to be seen, again and again until it is finished, or left for good."""
    from multinet_eval.record.summary import RunStatus

    played = time.monotonic()
    while True:
        view = watched.look()
        yield view
        if view.state is not RunStatus.UNFINISHED:
            played = time.monotonic()
        if view.state is RunStatus.FINISHED or time.monotonic() - played > PATIENCE:
            return
        time.sleep(interval)


def _follow_as_json(views: Iterator[RunView], directory: Path) -> RunView:
    for view in views:
        _print_json(view, directory)
    return view


def _follow(views: Iterator[RunView], directory: Path) -> RunView:
    """Show all views, and print the last one."""
    from rich.live import Live

    from multinet_eval.support.rich_console import VisibleConsole

    console = VisibleConsole(emoji=False, highlight=False)
    if not console.is_terminal:
        return _follow_in_lines(views, directory)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        for view in views:
            live.update(_display(view), refresh=True)
    _print_lines(view, directory)
    return view


def _follow_in_lines(views: Iterator[RunView], directory: Path) -> RunView:
    """Print what changes at once, and the figures now and then."""
    told, state = 0.0, None
    for view in views:
        if view.state is not state or time.monotonic() > told + LINE_SECONDS:
            _print_lines(view, directory)
            told, state = time.monotonic(), view.state
    return view


def _display(view: RunView) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from multinet_eval.cli.progress import figures_display

    return Group(Text(_title(view)), figures_display(view.figures, *_notes(view)))


def _print_json(view: RunView, directory: Path) -> None:
    typer.echo(json.dumps(view.to_dict()))


def _print_lines(view: RunView, directory: Path) -> None:
    from multinet_eval.cli.progress import figures_line
    from multinet_eval.record.summary import RunStatus

    echo(_title(view))
    for line in (figures_line(view.figures), *_notes(view)):
        echo(f"  {line}")
    if view.state is RunStatus.UNFINISHED:
        echo(f"  go on with: multinet runs resume {directory}")


def _title(view: RunView) -> str:
    what = f"{view.name}: {view.model} on {view.suite}, {view.state}"
    return visible_line(what if view.player is None else f"{what} by {view.player}")


def _notes(view: RunView) -> Iterator[str]:
    """What is worth a line of its own."""
    from multinet_eval.cli.progress import duration, wait_text
    from multinet_eval.record.summary import RunStatus

    if view.state is RunStatus.SILENT and view.heartbeat_age is not None:
        yield f"no heartbeat for {duration(view.heartbeat_age)}: its machine or its connection to the disk may be down"
    elif view.state is RunStatus.PLAYING and view.idle > LONG_IDLE:
        yield f"nothing recorded for {duration(view.idle)}"
    if view.state is not RunStatus.FINISHED and view.figures.wait is not None:
        yield wait_text(view.figures.wait)
    yield from view.unreadable
