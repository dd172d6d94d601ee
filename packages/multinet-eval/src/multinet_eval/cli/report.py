"""The end of a run: results are printed and kept, each whatever becomes of the other."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from gridworld.support.files import write_text
from multinet_eval.cli.echo import OutputError, echo, echo_json, give_up_output, writing_output
from multinet_eval.support.output import json_text

__all__ = ["report_results"]


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
