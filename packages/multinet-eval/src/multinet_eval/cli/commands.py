"""The class of commands, which start quickly and say what is wrong with an argument as the rest of the program does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import ParameterInfo

from gridworld.support.home_folder import below_home
from multinet_eval.cli.echo import writing_output

__all__ = ["PlainCommand"]

PYDANTIC = "Value error, "
"""With what Pydantic, by which Typer reads arguments, begins its messages."""
PATHS = (Path, Path | None, list[Path], list[Path] | None)
"""The types of parameters whose values are paths."""
CONVERTING = ("parser", "click_type")
"""The settings of an option that make something else of a text; Typer had the second until it left Click."""


class PlainCommand(TyperCommand):
    """A command that has Typer read no more than has to be, with messages free of the names of Python's errors.

    To read anything, be it ``--help`` that was not asked for, Typer imports pydantic, which takes as long as NumPy.
    Texts are what they are to be already, and so are defaults, unless they are texts that stand for something else.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; raises as Typer does, and says of words that are too many where they belong."""
        parameters: list[Any] = self.get_params(ctx)
        for parameter in parameters:
            parameter.process_value = partial(self._process, parameter)
        takes_more, ctx.allow_extra_args = ctx.allow_extra_args, True
        try:
            left = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(PYDANTIC)
            raise
        ctx.allow_extra_args = takes_more
        if left and not takes_more and not ctx.resilient_parsing:
            from multinet_eval.cli.misplaced import refusal_of

            ctx.fail(refusal_of(ctx, left))
        return left

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, as Typer does with Rich; raises `OutputError` as all that prints."""
        with writing_output():
            super().format_help(ctx, formatter)

    def _process(self, parameter: Any, ctx: Any, value: Any) -> Any:
        """The value of a parameter, from a text of the command line, from its environment variable or by default."""
        if parameter.name in self._paths:  # shells leave ~ as it is in --option=~/path
            value = _each_below_home(value)
        if not self._is_read(parameter, ctx, value):
            return type(parameter).process_value(parameter, ctx, value)
        if value is None and (parameter.multiple or parameter.nargs == -1):
            value = ()
        return value if parameter.callback is None else parameter.callback(ctx, parameter, value)

    def _is_read(self, parameter: Any, ctx: Any, value: Any) -> bool:
        """Whether a value is what the command is to be given, without being converted or checked."""
        if value is None:
            return not parameter.required
        if type(value) is str:  # and no member of an enumeration
            return parameter.name in self._texts
        return ctx.get_parameter_source(parameter.name).name == "DEFAULT" and not isinstance(value, list | tuple)

    @cached_property
    def _texts(self) -> frozenset[str]:
        """The parameters whose values are texts as they are given."""
        return frozenset(
            name
            for name, (kind, *extras) in _hints_of(self.callback)
            if kind in (str, str | None) and not any(vars(each).get(way) for each in extras for way in CONVERTING)
        )

    @cached_property
    def _paths(self) -> frozenset[str]:
        """The parameters whose values are paths."""
        return frozenset(name for name, (kind, *_) in _hints_of(self.callback) if kind in PATHS)


def _hints_of(command: Callable[..., object] | None) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The parameters of a command, each with its type and what else Typer is told of it."""
    hints = {} if command is None else get_type_hints(command, include_extras=True)
    for name, hint in hints.items():
        if get_origin(hint) is Annotated:
            kind, *extras = get_args(hint)
            yield name, (kind, *(extra for extra in extras if isinstance(extra, ParameterInfo)))


def _each_below_home(value: Any) -> Any:
    """A path, or each of several, with what ``~`` stands for; defaults are as they are."""
    if isinstance(value, list | tuple):
        return [_each_below_home(each) for each in value]
    return below_home(value) if type(value) is str else value
