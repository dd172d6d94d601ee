"""Options that several commands share as a group: a command takes what is made of them as one parameter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from multinet_eval.cli.errors import exit_on_error

__all__ = ["taking"]

Command = Callable[..., None]


def taking(parameter: str, make: Callable[..., Any]) -> Callable[[Command], Command]:
    """A decorator that gives a command options in place of one of its parameters.

    Args:
        parameter: the command's parameter, by keyword alone.
        make: a function, or an attrs class, that makes what the command is given; its own parameters are the options,
            whose names, defaults and help are read off its signature.
    """

    def decorate(command: Command) -> Command:
        options = _parameters(make)

        @functools.wraps(command)
        def call(**given: Any) -> None:
            chosen = {name: given.pop(name) for name in options}
            with exit_on_error():
                made = make(**chosen)
            command(**{parameter: made}, **given)

        own = _parameters(command)
        names = list(own)
        index = names.index(parameter)
        before, after = ([own[name] for name in part] for part in (names[:index], names[index + 1 :]))
        signature = inspect.Signature([*before, *options.values(), *after])
        call.__signature__ = signature  # type: ignore[attr-defined]  # functions have one, which their type does not know
        call.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
        return call

    return decorate


def _parameters(of: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function or a class by name, each by keyword alone and with its type as an object."""
    hints = get_type_hints(of, include_extras=True)
    return {
        name: each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints.get(name, each.annotation))
        for name, each in inspect.signature(of).parameters.items()
    }
