"""``multinet watch``: the progress of a run that another process or machine plays."""

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
from multinet_eval.cli.options import RunPath
from multinet_eval.settings.defaults import LINE_SECONDS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multinet_eval.monitor.watching import RunView, RunWatch

PATIENCE = 5.0
"""Seconds for which a run that nobody plays is still watched, since it may be resumed."""
LONG_IDLE = 10.0
"""Seconds without a new line that are worth a note."""


@command()
def watch(
    directory: RunPath,
    once: bool = option(False, "Show the progress once, and end."),
    as_json: bool = option(False, "Print JSON, one object a line.", "--json"),
    interval: float = option(1.0, "Seconds between two looks at the files.", min=0.05, metavar="SECONDS"),
) -> None:
    """Show the progress of a run from its files alone, be it played by another process or on another machine.

    Ends with exit code 0 when the run is finished, and with 1 when nobody plays it any more.
    """
    from multinet_eval.monitor.watching import RunWatch
    from multinet_eval.record.summary import RunStatus

    watched = RunWatch(directory)
    if once:
        last = watched.look()
        if as_json:
            _print_json(last)
        else:
            _print_lines(last, directory)
    else:
        views = _views(watched, interval)
        last = _follow_as_json(views) if as_json else _follow(views, directory)
        if last.state is not RunStatus.FINISHED:
            raise typer.Exit(FAILED)


def _views(watched: RunWatch, interval: float) -> Iterator[RunView]:
    """Look at the run until it is finished or abandoned."""
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


def _follow_as_json(views: Iterator[RunView]) -> RunView:
    for view in views:
        _print_json(view)
    return view


def _follow(views: Iterator[RunView], directory: Path) -> RunView:
    """Show the views on a terminal and print the last one; elsewhere print lines now and then."""
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
    """Print a change of the state at once, and the figures now and then."""
    printed, state = 0.0, None
    for view in views:
        if view.state is not state or time.monotonic() > printed + LINE_SECONDS:
            _print_lines(view, directory)
            printed, state = time.monotonic(), view.state
    return view


def _display(view: RunView) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from multinet_eval.cli.live_display import figures_display

    return Group(Text(_title(view)), figures_display(view.figures, *_notes(view)))


def _print_json(view: RunView) -> None:
    typer.echo(json.dumps(view.to_dict()))


def _print_lines(view: RunView, directory: Path) -> None:
    from multinet_eval.cli.live_display import figures_line
    from multinet_eval.record.summary import RunStatus

    echo(_title(view))
    for line in (figures_line(view.figures), *_notes(view)):
        echo(f"  {line}")
    if view.state is RunStatus.UNFINISHED:
        echo(f"  continue with: multinet runs resume {directory}")


def _title(view: RunView) -> str:
    title = f"{view.name}: {view.model} on {view.suite}, {view.state}"
    return visible_line(title if view.player is None else f"{title} by {view.player}")


def _notes(view: RunView) -> Iterator[str]:
    from multinet_eval.cli.live_display import duration, wait_text
    from multinet_eval.record.summary import RunStatus

    if view.state is RunStatus.SILENT and view.heartbeat_age is not None:
        yield f"no heartbeat for {duration(view.heartbeat_age)}: its machine or its connection to the disk may be down"
    elif view.state is RunStatus.PLAYING and view.idle > LONG_IDLE:
        yield f"nothing recorded for {duration(view.idle)}"
    if view.state is not RunStatus.FINISHED and view.figures.wait is not None:
        yield wait_text(view.figures.wait)
    yield from view.unreadable
