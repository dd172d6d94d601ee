"""The class of commands, which words what is wrong with an argument as the rest of the program does."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from multinet_eval.cli.echo import writing_output

__all__ = ["PlainCommand"]

PYDANTIC = "Value error, "
"""With what Pydantic, by which Typer reads arguments, begins its messages."""


class PlainCommand(TyperCommand):
    """A command whose messages about arguments are free of the names of Python's errors."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; raises as Typer does."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(PYDANTIC)
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, as Typer does with Rich; raises `OutputError` as all that prints."""
        with writing_output():
            super().format_help(ctx, formatter)
