"""Output of texts and JSON; texts of files, servers and plugins are printed with control characters made visible."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

import attrs
import typer

from gridworld.errors import GridworldError
from gridworld.support.wording import make_visible
from multinet_eval.support.output import json_text

if TYPE_CHECKING:
    from rich.console import RenderableType

UNLIMITED = 1_000_000


class OutputError(GridworldError):
    """Standard output cannot be written, for example because the disk is full."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"standard output cannot be written: {cause.strerror}")


@attrs.frozen
class Styled:
    """A text with a colour or in bold, where the terminal has colours."""

    text: str
    color: str | None = None
    bold: bool = False


def echo(*parts: str | Styled, err: bool = False) -> None:
    """Print texts and a line feed; if `err`, print to standard error and ignore failures."""
    text = "".join(map(with_style, parts))
    if not err:
        _print(text)
        return
    with suppress(OSError):
        typer.echo(text, err=True)


def _print(text: str) -> None:
    with writing_output():
        typer.echo(text)


@contextmanager
def writing_output() -> Iterator[None]:
    """Report failing writes to standard output.

    Raises:
        OutputError: standard output cannot be written. A closed pipe stays a BrokenPipeError.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error) from error


def give_up_output() -> None:
    """Discard unwritten output, which Python would try to write again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def with_style(part: str | Styled) -> str:
    """Return a text with control characters made visible, and with its style as a terminal takes it."""
    if not isinstance(part, Styled):
        return make_visible(part)
    text = make_visible(part.text)
    return text if os.environ.get("NO_COLOR") else typer.style(text, fg=part.color, bold=part.bold or None)


def echo_json(value: Any) -> None:
    """Print JSON."""
    _print(json_text(value))


def line_width() -> int | None:
    """Return the available columns; None for any number, in a pipe or file without the variable COLUMNS."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdecimal():
        return None
    return shutil.get_terminal_size().columns


def rendered(renderable: RenderableType, width: int | None) -> list[str]:
    """Render a Rich object to lines, with control characters made visible.

    Args:
        renderable: an object that Rich can print, with single-line texts.
        width: columns; None for any number.
    """
    from multinet_eval.support.rich_console import VisibleConsole

    console = VisibleConsole(
        width=width or UNLIMITED,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        emoji=False,
        markup=False,
        highlight=False,
    )
    with console.capture() as captured:
        console.print(renderable, crop=False)
    return [line.rstrip() for line in captured.get().removesuffix("\n").split("\n")]


def echo_lines(lines: Iterable[str]) -> None:
    """Print rendered lines."""
    for line in lines:
        _print(line)


def prepare_streams() -> None:
    """Replace closed streams by empty ones, and escape characters that the terminal's encoding lacks."""
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout = sys.stdout or _nothing("w")
    sys.stderr = sys.stderr or _nothing("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _nothing(mode: Literal["r", "w"]) -> TextIO:
    """Open a stream in place of one that was closed before the program began."""
    return Path(os.devnull).open(mode, encoding="utf-8")
