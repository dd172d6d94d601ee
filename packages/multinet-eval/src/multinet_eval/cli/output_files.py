"""Files named by options such as ``--output``: checked before the work, written after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.support.wording import first_lines
from multinet_eval.cli.echo import echo
from multinet_eval.cli.progress_bars import counting

if TYPE_CHECKING:
    from multinet_eval.analysis.pages import PageProgress, PageWriter, WrittenPage

MANIFEST = "run.json"
OF_RUNS = (MANIFEST, "results.json")
"""Names of files of a recorded run."""


def refuse_file_as_folder(path: Path, option: str = "--output") -> None:
    """Raise ArgumentError if a path cannot be a folder."""
    with _about(path, option):
        if path.exists() and not path.is_dir():
            raise ArgumentError(f"{option}: {path} is a file, expected a folder")


def refuse_output(output: Path | None, option: str = "--output") -> None:
    """Raise ArgumentError if a file named by an option cannot be written."""
    if output is None:
        return
    with _about(output, option):
        if output.is_dir():
            raise ArgumentError(f"{option}: {output} is a folder, expected a file name")
        if output.name in OF_RUNS and (output.parent / MANIFEST).is_file():
            raise ArgumentError(f"{option}: {output} is a file of the record in {output.parent}")
        if not output.parent.is_dir():
            raise ArgumentError(f"{option}: the folder {output.parent} does not exist")
        replaced = not output.exists() or output.is_file()  # a device or a pipe is written where it is
        if not os.access(output.parent if replaced else output, os.W_OK):
            raise ArgumentError(f"{option}: cannot write {output}: permission denied, or the disk is read-only")


@contextmanager
def _about(path: Path, option: str) -> Iterator[None]:
    """Name the option in the error of a path that the system refuses, such as one too long."""
    try:
        yield
    except OSError as error:
        raise ArgumentError(f"{option}: {path}: {error.strerror}") from error


STILL, ANIMATED = (".png",), (".gif", ".webp")

Milliseconds = Annotated[int, typer.Option("--milliseconds", min=20, max=60_000, help="Duration of each frame.")]


def check_picture_file(output: Path, endings: tuple[str, ...]) -> None:
    """Raise ArgumentError if a picture file cannot be written, or its name has none of the given endings."""
    if output.suffix.lower() not in endings:
        *others, last = endings
        raise ArgumentError(f"--output: expected a name ending in {', '.join(others)} or {last}, got {output.name}")
    refuse_output(output)


def print_page_summary(page: WrittenPage, err: bool = False) -> bool:
    """Report a page's file, size and missing parts; return whether the page is complete."""
    echo(f"{page.path}: {page.shows}, {page.size / 1000:.0f} kB", err=err)
    for line in (*first_lines(page.problems), *first_lines(page.notes)):
        echo(line, err=True)
    return not page.problems


def reading_progress(quiet: bool = False) -> AbstractContextManager[PageProgress]:
    """Show the progress of reading episodes for a page, unless quiet."""
    from multinet_eval.analysis.pages import say_nothing

    return nullcontext(say_nothing) if quiet else counting("reading", "episodes")


def make_page_writer(arguments: Iterable[str] = ()) -> PageWriter:
    """Make the writer of HTML pages.

    Args:
        arguments: arguments of its constructor, as ``key=value``.

    Raises:
        UnknownNameError: the writer is not installed.
        ArgumentError, PluginFault: the writer cannot be made.
    """
    from multinet_eval.analysis.pages import HTML, PageWriter
    from multinet_eval.settings.plugin_objects import make_object

    writer: PageWriter = make_object(get_registry().pages, HTML, list(arguments), PageWriter)
    return writer
