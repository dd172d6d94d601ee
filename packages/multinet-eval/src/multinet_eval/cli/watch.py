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
from multinet_eval.cli.options import PageName, RunPath
from multinet_eval.cli.output_files import find_page_writer, print_page_summary, refuse_output
from multinet_eval.settings.defaults import LINE_SECONDS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multinet_eval.analysis.pages import PageWriter
    from multinet_eval.monitor.watching import RunView, RunWatch

PATIENCE = 5.0
"""Seconds for which a run that nobody plays is still watched, since it may be resumed."""
LONG_IDLE = 10.0
"""Seconds without a new line that are worth a note."""
RELOAD = 5.0
"""Seconds after which an open page of a run in progress reloads itself."""
PAGE_PAUSE = 10.0
"""Pause between two pages, in multiples of the time it takes to write one."""


@command()
def watch(
    directory: RunPath,
    once: bool = option(False, "Show the progress once, and end."),
    as_json: bool = option(False, "Print JSON, one object a line.", "--json"),
    interval: float = option(1.0, "Seconds between two looks at the files.", min=0.05, metavar="SECONDS"),
    as_html: bool = option(False, "Keep a page of the run up to date. Needs multinet-report.", "--html"),
    output: Path = option(Path("report.html"), "File for --html.", "-o", metavar="FILE.html"),
    page: PageName = None,
) -> None:
    """Show the progress of a run from its files alone, be it played by another process or on another machine.

    Ends with exit code 0 when the run is finished, and with 1 when nobody plays it any more. An open page of --html
    reloads itself while its overview is shown.
    """
    from multinet_eval.monitor.watching import RunWatch
    from multinet_eval.record.summary import RunStatus

    watched = RunWatch(directory)
    paged, writer = None, find_page_writer(as_html, page, "--html")
    if writer is not None:
        refuse_output(output)
        paged = FollowingPage(writer, directory, output)
    if once:
        last = watched.look()
        if as_json:
            _print_json(last)
        else:
            _print_lines(last, directory)
    else:
        views = _views(watched, interval, paged)
        last = _follow_as_json(views) if as_json else _follow(views, directory)
    whole = paged is None or paged.finish()
    if not whole or (not once and last.state is not RunStatus.FINISHED):
        raise typer.Exit(FAILED)


def _views(watched: RunWatch, interval: float, page: FollowingPage | None) -> Iterator[RunView]:
    """Look at the run, and update its page if there is one, until the run is finished or abandoned."""
    from multinet_eval.record.summary import RunStatus

    played = time.monotonic()
    while True:
        view = watched.look()
        if page is not None and view.state is not RunStatus.FINISHED:
            page.follow(view)
        yield view
        if view.state is not RunStatus.UNFINISHED:
            played = time.monotonic()
        if view.state is RunStatus.FINISHED or time.monotonic() - played > PATIENCE:
            return
        time.sleep(interval)


class FollowingPage:
    """The page of a run in progress, rewritten as episodes end.

    Args:
        writer: the writer of the page.
        run: the folder of the run.
        output: the file.
    """

    def __init__(self, writer: PageWriter, run: Path, output: Path) -> None:
        self._writer = writer
        self._run = run
        self._output = output
        self._ended: int | None = None
        self._next = 0.0

    def follow(self, view: RunView) -> None:
        """Write the page if another episode has ended and the last page is old enough."""
        ended = view.figures.finished
        if ended == self._ended or time.monotonic() < self._next:
            return
        begun = time.monotonic()
        self._writer.write_runs([self._run], self._output, RELOAD)
        now = time.monotonic()
        self._ended, self._next = ended, now + PAGE_PAUSE * (now - begun)

    def finish(self) -> bool:
        """Write the last page, which no longer reloads itself; return whether the page is complete."""
        return print_page_summary(self._writer.write_runs([self._run], self._output), err=True)


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
