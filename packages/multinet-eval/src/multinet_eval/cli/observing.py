"""Options that choose observers of a run, and what makes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from multinet_eval.cli.commands import taking

if TYPE_CHECKING:
    from multinet_eval.play.observers import RunObserver

__all__ = ["ObserverOptions", "make_observers", "observed"]

OBSERVE = "Observers"

ObserverName = Annotated[
    list[str] | None,
    typer.Option(
        "--observer",
        metavar="NAME",
        help="An installed observer to tell of the run. Repeatable.",
        rich_help_panel=OBSERVE,
    ),
]
ObserverArgument = Annotated[
    list[str] | None,
    typer.Option(
        "--observer-arg",
        metavar="NAME.KEY=VALUE",
        help="An argument of an observer. Repeatable.",
        rich_help_panel=OBSERVE,
    ),
]


@attrs.frozen
class ObserverOptions:
    """Which observers are told of a run."""

    observer: ObserverName = None
    observer_arg: ObserverArgument = None

    def make(self) -> list[RunObserver]:
        """The observers; raises as `make_observers` does."""
        return make_observers(self.observer, self.observer_arg)


observed = taking("observers", ObserverOptions)
"""Gives a command the options of `ObserverOptions` in place of its parameter ``observers``."""


def make_observers(names: Iterable[str] | None, arguments: Iterable[str] | None) -> list[RunObserver]:
    """The observers that the options name, in their order.

    Args:
        names: what they are called.
        arguments: ``NAME.KEY=VALUE``, with a name as `names` has it.

    Raises:
        ArgumentError: a name is given twice, or an argument is for none of them or not what its observer takes.
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        PluginFault: one cannot be made.
    """
    from gridworld.errors import ArgumentError
    from multinet_eval.play.observers import make_observer

    given: dict[str, list[str]] = {}
    for name in names or ():
        if name in given:
            raise ArgumentError(f"--observer {name} is given twice")
        given[name] = []
    for text in arguments or ():
        name = _owner(text, tuple(given))
        given[name].append(text[len(name) + 1 :])
    return [make_observer(name, texts) for name, texts in given.items()]


def _owner(text: str, names: Sequence[str]) -> str:
    """The observer that an argument is for: of names that begin alike, the longest one."""
    from gridworld.errors import ArgumentError
    from gridworld.support.suggestions import nearest_hint

    owners = [name for name in names if text.startswith(f"{name}.")]
    if owners:
        return max(owners, key=len)
    name, dot, _ = text.partition("=")[0].rpartition(".")
    if not dot:
        raise ArgumentError(f"--observer-arg: expected NAME.KEY=VALUE, got '{text}'")
    listed = ", ".join(names) or "none"
    raise ArgumentError(f"--observer-arg {text}: no --observer '{name}'{nearest_hint(name, names)}; chosen: {listed}")
