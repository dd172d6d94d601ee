"""The class of command groups, which import and read no more than a call needs, so that every call starts quickly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from multinet_eval.cli.commands import PlainCommand
from multinet_eval.cli.echo import writing_output

__all__ = ["QuickGroup", "group_of", "make_command"]


class QuickGroup(TyperGroup):
    """A group whose commands are import strings, and that reads its options only where some are given.

    To read one, be it ``--help`` that was not asked for, Typer imports pydantic, which takes as long as all the rest.
    """

    import_strings: ClassVar[Mapping[str, str]] = {}
    """Command to the function that does its work, ``module:function``."""

    _reads_options = True

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(self.import_strings, self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the defaults where the first word, if any, is that of a command."""
        if args and args[0].startswith("-"):
            return super().parse_args(ctx, args)
        ctx.params = {param.name: param.get_default(ctx) for param in self.params if param.expose_value}
        self._reads_options = False
        try:
            return super().parse_args(ctx, args)
        finally:
            self._reads_options = True

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, as Typer does with Rich; raises `OutputError` as all that prints."""
        with writing_output():
            super().format_help(ctx, formatter)

    def get_params(self, ctx: Any) -> list[Any]:
        """The options that are to be read."""
        return list(super().get_params(ctx)) if self._reads_options else []


def group_of(import_strings: Mapping[str, str], base: type[QuickGroup] = QuickGroup) -> type[QuickGroup]:
    """The class of a group with these commands, beside those that are added to it and those that its base has."""
    return type("Group", (base,), {"import_strings": import_strings})


class _Commands(MutableMapping[str, Any]):
    """Commands by name, each imported and made when it is first asked for."""

    def __init__(self, import_strings: Mapping[str, str], others: Mapping[str, Any]) -> None:
        self._import_strings = dict(import_strings)
        self._made = dict(others)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, _, function = self._import_strings[name].partition(":")
            self._made[name] = make_command(name, vars(import_module(module))[function])
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._import_strings, *self._made]))

    def __len__(self) -> int:
        return len({*self._import_strings, *self._made})


def make_command(name: str, function: Callable[..., object]) -> Any:
    """The command that Typer makes of a function."""
    app = typer.Typer(add_completion=False)
    app.command(name, cls=PlainCommand)(function)
    return typer.main.get_command(app)
