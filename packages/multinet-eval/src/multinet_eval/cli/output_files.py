"""Files that options such as ``--output`` name: refused before the work, written and kept after it."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.errors import ArgumentError
from gridworld.support.files import write_text
from multinet_eval.cli.echo import OutputError, echo, echo_json, give_up_output, writing_output
from multinet_eval.cli.progress_bars import counting
from multinet_eval.support.output import json_text

if TYPE_CHECKING:
    from multinet_eval.analysis.pages import PageProgress, PageWriter, WrittenPage

MANIFEST = "run.json"
OF_RUNS = (MANIFEST, "results.json")
"""What a recorded run consists of, beside folders."""


def refuse_file_as_folder(path: Path, option: str = "--output") -> None:
    """Make sure that a folder could be there; raises ArgumentError if something else is, or it cannot be looked for."""
    with _about(path, option):
        if path.exists() and not path.is_dir():
            raise ArgumentError(f"{option}: {path} is a file, expected a folder")


def refuse_output(output: Path | None, option: str = "--output") -> None:
    """Make sure that a file that an option names could be written.

    Raises:
        ArgumentError: it could not.
    """
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
    """Say what the option names where the system does not even look for it, such as a name that is too long."""
    try:
        yield
    except OSError as error:
        raise ArgumentError(f"{option}: {path}: {error.strerror}") from error


STILL, ANIMATED = (".png",), (".gif", ".webp")

Milliseconds = Annotated[int, typer.Option("--milliseconds", min=20, max=60_000, help="How long each frame is shown.")]


def check_picture_file(output: Path, endings: tuple[str, ...]) -> None:
    """Make sure that a picture could be written to a file.

    Raises:
        ArgumentError: its name has none of these endings, or it could not be written.
    """
    if output.suffix.lower() not in endings:
        *others, last = endings
        raise ArgumentError(f"--output: expected a name ending in {', '.join(others)} or {last}, got {output.name}")
    refuse_output(output)


def report_results(
    contents: dict[str, Any], print_tables: Callable[[], None], output: Path | None, as_json: bool, quiet: bool
) -> bool:
    """Print the results, and write them to `output`; where either fails, say so and keep them in another file.

    Args:
        contents: the results as JSON.
        print_tables: prints them for a reader.
        output: the file to write them to, if any.
        as_json: print JSON instead of tables.
        quiet: print no tables.

    Returns:
        Whether all that was asked for was done.
    """
    if as_json:
        print_problem = _try_to_print(lambda: echo_json(contents))
    else:
        print_problem = None if quiet else _try_to_print(print_tables)
    file_problem = None if output is None else _try_to_write(output, json_text(contents) + "\n")
    problems = [problem for problem in (print_problem, file_problem) if problem]
    for problem in problems:
        echo(f"error: {problem}", err=True)
    written = output is not None and file_problem is None
    if problems and not written:
        _rescue(contents, "results" if output is None else output.stem, printed=as_json and print_problem is None)
    return not problems


def _try_to_print(printing: Callable[[], None]) -> str | None:
    """Print; what went wrong, if anything. That nobody reads any further, as after ``| head -1``, is not wrong."""
    try:
        with writing_output():
            printing()
            sys.stdout.flush()
    except BrokenPipeError:
        give_up_output()
    except OutputError as error:
        give_up_output()
        return str(error)
    return None


def _try_to_write(output: Path, text: str) -> str | None:
    """Write the file; what went wrong, if anything."""
    try:
        write_text(output, text)
    except OSError as error:
        return f"cannot write {output}: {error.strerror}"
    return None


def _rescue(contents: dict[str, Any], name: str, printed: bool) -> None:
    """Keep the results somewhere; if no file can be written, print them unless that has been done."""
    text = json_text(contents) + "\n"
    for folder in _other_folders():
        with suppress(OSError):
            descriptor, path = tempfile.mkstemp(".json", f"{name}.", folder)
            os.close(descriptor)
            write_text(Path(path), text)
            echo(f"the results are in {path}", err=True)
            return
    if not printed:
        echo("no other file can be written either; these are the results:", err=True)
        if _try_to_print(lambda: echo_json(contents)):
            echo(text, err=True)


def _other_folders() -> Iterator[str]:
    with suppress(OSError):
        yield tempfile.gettempdir()
    yield str(Path.home())


def tell_page(page: WrittenPage, err: bool = False) -> bool:
    """Say where a page is, how large it is, and what is not on it; returns whether nothing is missing."""
    echo(f"{page.path}: {page.shows}, {page.size / 1000:.0f} kB", err=err)
    for line in (*page.problems, *page.notes):
        echo(line, err=True)
    return not page.problems


def reading_progress(quiet: bool = False) -> AbstractContextManager[PageProgress]:
    """Shows how far the reading of episodes for a page has come, as `counting` does, unless it is to be quiet."""
    from multinet_eval.analysis.pages import say_nothing

    return nullcontext(say_nothing) if quiet else counting("reading", "episodes")


def make_page_writer(name: str | None = None, arguments: Iterable[str] = ()) -> PageWriter:
    """The writer of the pages that ``--report`` and ``--html`` ask for.

    Args:
        name: as ``--page`` gives it; None for the first that is installed.
        arguments: for its constructor, as ``key=value``.

    Raises:
        UnknownNameError: there is no such writer, or none at all.
        ArgumentError, PluginFault: as `make_object` does.
    """
    from gridworld.plugins import get_registry
    from multinet_eval.analysis.pages import HTML, PageWriter
    from multinet_eval.settings.plugin_objects import make_object

    pages = get_registry().pages
    chosen = name or next((names[0] for names, _ in pages.entries()), HTML)
    writer: PageWriter = make_object(pages, chosen, list(arguments), PageWriter)
    return writer


def find_page_writer(asked: bool, name: str | None, option: str) -> PageWriter | None:
    """The writer of the page that an option asks for; None where it does not.

    Raises:
        ArgumentError: ``--page`` is given without that option; and as `make_page_writer` does.
    """
    if not asked:
        refuse_idle_page(name, option)
        return None
    return make_page_writer(name)


def refuse_page(option: str, output: Path, page: str | None) -> None:
    """Make sure that a page could be written to a file, by the writer that ``--page`` names if it is given.

    Raises:
        ArgumentError: it could not.
        UnknownNameError: no such writer of pages is installed; the message says what to install.
    """
    refuse_output(output, option)
    make_page_writer(page)


def refuse_idle_page(page: str | None, option: str) -> None:
    """Raise ArgumentError if ``--page`` is given without the option that asks for a page."""
    if page is not None:
        raise ArgumentError(f"--page has no effect without {option}")
