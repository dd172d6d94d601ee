"""Exit codes and messages of errors: 0 done, 1 failed or missing, 2 wrong call, 130 interrupted by Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from gridworld.errors import AmbiguousNameError, ArgumentError, GridworldError, TaskError, UnknownNameError
from multinet_eval.cli import interrupted_code
from multinet_eval.cli.echo import OutputError, echo

FAILED = 1
WRONG_CALL = 2

CALLERS_FAULT = (AmbiguousNameError, ArgumentError, TaskError, UnknownNameError)


def _missing_options(error: GridworldError) -> str:
    """Return how the missing arguments of a model are given on the command line, to append to a message."""
    match error:
        case ArgumentError(missing=[_, *_] as missing, owner=("model", name)):
            written = {"model": f"{name}:NAME", "base_url": "--base-url URL"}
            return f": give {' '.join(written.get(each, f'-M {each}=VALUE') for each in missing)}"
    return ""


@contextmanager
def exit_on_error() -> Iterator[None]:
    """End the program with a message, not a traceback, on an expected error or a plugin's fault.

    Any other error is a defect and shows its traceback.
    """
    try:
        yield
    except (typer.Exit, OutputError):
        raise
    except GridworldError as error:
        echo(f"error: {error}{_missing_options(error)}", err=True)
        raise typer.Exit(WRONG_CALL if isinstance(error, CALLERS_FAULT) else FAILED) from error
    except MemoryError as error:
        echo("error: this needs more memory than there is", err=True)
        raise typer.Exit(FAILED) from error
    except KeyboardInterrupt as error:
        echo("interrupted", err=True)
        raise typer.Exit(interrupted_code()) from error
