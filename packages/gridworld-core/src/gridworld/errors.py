"""Errors that the toolkit raises on purpose.

All derive from `GridworldError`, so that a program can tell an invalid request from a defect in the toolkit.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from gridworld.support.wording import first_lines, nearest_hint

__all__ = [
    "AmbiguousNameError",
    "ArgumentError",
    "EpisodeOver",
    "GridworldError",
    "InvalidAction",
    "InvalidTaskError",
    "NotResetError",
    "Owner",
    "PluginFault",
    "PluginWarning",
    "Problem",
    "TaskError",
    "TaskFileWarning",
    "TaskFormatError",
    "UnknownNameError",
    "describe_error",
    "describe_value",
    "join_path",
]


def describe_error(error: BaseException) -> str:
    """Return ``Type: message`` for any error, even one whose message cannot be produced."""
    try:
        text = str(error)
    except Exception:  # an exception of a plugin may raise anything here
        text = "(its message cannot be shown)"
    return f"{type(error).__name__}: {text}"


def describe_value(value: object) -> str:
    """Return the `repr` of any value, or a placeholder if `repr` fails."""
    try:
        return repr(value)
    except Exception:  # so may a value of a plugin
        return f"an unprintable {type(value).__name__}"


def join_path(path: str, inner: str) -> str:
    """Join two parts of a field path with a dot; either may be empty."""
    return f"{path}.{inner}" if path and inner else path or inner


@attrs.frozen
class Problem:
    """One problem of a specification; `path` is the field, such as ``mechanisms.doors[1].requires_key``."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class GridworldError(Exception):
    """Base class of all errors raised by this toolkit; picklable, so that workers can send them."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default, the class would be called with the message alone.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[GridworldError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> GridworldError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(fields)
    return error


class TaskError(GridworldError):
    """A task cannot be used; `problems` has every problem, the message the first ones; `source` is the file, if any."""

    headline = "cannot be used"

    def __init__(self, problems: Sequence[Problem], source: str = "") -> None:
        self.problems = tuple(problems)
        self.source = source
        lines = "".join(f"\n  {line}" for line in first_lines(self.problems))
        super().__init__(f"{source or 'task specification'} {self.headline}:{lines}")


class TaskFormatError(TaskError):
    """A file or dictionary does not have the shape of a task specification."""

    headline = "is not a task specification"


class TaskFileWarning(UserWarning):
    """A part of a task file has no effect."""


class PluginWarning(UserWarning):
    """A plugin setting had no effect, such as disabling an unknown plugin."""


class InvalidTaskError(TaskError):
    """A task specification is well-formed but invalid."""

    headline = "is not a valid task"


class ArgumentError(GridworldError):
    """A model, backend or command does not accept an argument, or lacks one."""

    missing: tuple[str, ...] = ()
    """Names of required arguments that were not given."""
    owner: tuple[str, str] | None = None
    """Kind and name of the plugin that has the argument, if known, such as ``("model", "openai")``."""

    def __init__(self, message: str, missing: Iterable[str] = ()) -> None:
        self.missing = tuple(missing)
        super().__init__(message)


class UnknownNameError(GridworldError):
    """No installed plugin provides the requested name."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], advice: str = "", listed_as: str = "installed"
    ) -> None:
        self.kind, self.name, self.known, self.advice = kind, name, tuple(known), advice
        listed = ", ".join(self.known) or "none"
        parts = [f"unknown {kind} '{name}'{nearest_hint(name, self.known)}; {listed_as}: {listed}"]
        super().__init__(". ".join([*parts, advice] if advice else parts))


class AmbiguousNameError(GridworldError):
    """Several installed plugins provide the requested name."""

    def __init__(self, kind: str, name: str, qualified: Sequence[str]) -> None:
        self.kind, self.name, self.qualified = kind, name, tuple(qualified)
        super().__init__(
            f"the {kind} '{name}' is provided by more than one plugin: choose one of "
            f"{', '.join(self.qualified)}, or disable a plugin with --disable-plugin"
        )


@attrs.frozen
class Owner:
    """Provider of a hook or an object, named in messages."""

    name: str
    """Kind and name, such as ``mechanism 'ice'``."""
    distribution: str = ""
    """Distribution of the plugin; empty if no installed plugin provides it."""
    entry_point: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.distribution})" if self.distribution else self.name


class PluginFault(GridworldError):
    """A plugin failed while being loaded or used.

    Attributes:
        problem: the error or the wrong result, in words.
        owner: the plugin; None if it is not known, or if `problem` names it.
        hook: the hook or method that failed, such as ``on_enter``; empty if the plugin did not fail in one.
        place: file, line and function of the raise; empty if nothing was raised.
        when: the moment, such as ``at step 3``.
    """

    def __init__(
        self, problem: str, owner: Owner | None = None, hook: str = "", place: str = "", when: str = ""
    ) -> None:
        self.problem, self.owner, self.hook, self.place, self.when = problem, owner, hook, place, when
        super().__init__(problem)

    @property
    def distribution(self) -> str:
        """Distribution of the plugin, or an empty string."""
        return self.owner.distribution if self.owner else ""

    @property
    def entry_point(self) -> str:
        """Entry point of the plugin, or an empty string."""
        return self.owner.entry_point if self.owner else ""

    def __str__(self) -> str:
        said = f"{self.problem} ({self.place})" if self.place else self.problem
        if self.owner is None:
            return said
        plugin = f"({self.distribution}/{self.entry_point})" if self.distribution else ""
        parts = (self.owner.name, plugin, "failed", self.hook and f"in {self.hook}", self.when)
        return f"{' '.join(filter(None, parts))}: {said}"


class InvalidAction(GridworldError, ValueError):
    """The action is outside the action space; the state is unchanged."""


class EpisodeOver(GridworldError, RuntimeError):
    """The episode has already ended; the state is unchanged."""


class NotResetError(GridworldError, RuntimeError):
    """The environment was used before `configure` or `reset`."""
