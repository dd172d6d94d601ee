"""Hooks of mechanism and goal types: functions of plugins that know their owner and check their results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pickle import PicklingError
from types import FunctionType, ModuleType
from typing import Any, Protocol, cast

import attrs

from gridworld.errors import ArgumentError, Owner, PluginFault, describe_value
from gridworld.support.faults import RAISED, blame, definition_of
from gridworld.support.import_strings import load_object
from gridworld.support.wording import shorten


@attrs.frozen
class HookForm:
    """Parameters and result of a hook."""

    parameters: str
    """Names of the parameters, separated by commas."""
    returns: Any = None
    """Class, or union of classes, of the result or of its parts; None if the caller checks the result."""
    container: type[tuple[Any, ...]] | type[dict[Any, Any]] | None = None
    """`tuple` for an iterable of parts, `dict` for a mapping to them; None for a single result."""

    def read(self, result: Any) -> Any:
        """Return a result, with an iterable read to its end; raises PluginFault if it has a wrong type."""
        expected = self.returns.__name__ if isinstance(self.returns, type) else str(self.returns)
        if self.container is not None:
            expected = f"{self.container.__name__} of {expected}"
            if not isinstance(result, Mapping if self.container is dict else Iterable) or isinstance(result, str):
                raise _wrong_result(result, expected)
            result = self.container(result)
        parts = result.values() if self.container is dict else result if self.container else (result,)
        if not all(isinstance(part, self.returns) for part in parts):
            raise _wrong_result(result, expected)
        return result


def _wrong_result(result: Any, expected: str) -> PluginFault:
    return PluginFault(f"returned {shorten(describe_value(result))}, expected {expected}")


class Owned(Protocol):
    """Descriptor that has hooks."""

    @property
    def name(self) -> str:
        """Name of the type."""
        ...

    @property
    def owner(self) -> Owner:
        """Plugin that provides it."""
        ...


class OwnedHook:
    """A hook of a descriptor, whose exceptions and wrong results are faults of the descriptor's owner."""

    __slots__ = ("__wrapped__", "_descriptor", "_form", "_name")

    def __init__(self, function: Callable[..., Any], descriptor: Owned, name: str, form: HookForm) -> None:
        self.__wrapped__, self._descriptor, self._name, self._form = function, descriptor, name, form

    def __call__(self, *arguments: Any) -> Any:
        """Call the function.

        Raises:
            PluginFault: the function failed, or returned a wrong type.
        """
        try:
            result = self.__wrapped__(*arguments)
            return result if self._form.returns is None else self._form.read(result)
        except RAISED as error:
            if isinstance(error, PluginFault) and error.owner is None:  # of a wrong result
                error.place = error.place or definition_of(self.__wrapped__)
            blame(error, self._descriptor.owner, self._name)

    def __eq__(self, other: object) -> bool:
        return bool(self.__wrapped__ == plain(other))

    def __hash__(self) -> int:
        return hash(self.__wrapped__)


def plain(hook: Any) -> Any:
    """Return the function of a hook, for code that handles its exceptions and results itself."""
    return hook.__wrapped__ if isinstance(hook, OwnedHook) else hook


def made_hook(function: Callable[..., Any], descriptor: Owned, name: str, parameters: str) -> OwnedHook:
    """Return a function that a hook has made, as a hook of the same descriptor; raises PluginFault as `own_hooks`."""
    problem = _wrong_parameters(function, parameters)
    if problem:
        raise PluginFault(f"returned a function that {problem}", descriptor.owner, name)
    return OwnedHook(function, descriptor, name, HookForm(parameters))


def own_hooks(descriptor: Owned, forms: Mapping[str, HookForm]) -> None:
    """Make all functions of a new descriptor its hooks.

    Args:
        descriptor: a descriptor, which may be frozen.
        forms: the forms of hooks by field; a field may be None instead.

    Raises:
        ArgumentError: a function does not take the parameters of its hook.
    """
    given_values = attrs.asdict(cast("Any", descriptor), recurse=False)
    for name, form in forms.items():
        given = given_values[name]
        if given is None:
            continue
        if not isinstance(given, OwnedHook):
            check_parameters(descriptor, name, given, form.parameters)
        object.__setattr__(descriptor, name, OwnedHook(plain(given), descriptor, name, form))


def check_parameters(descriptor: Owned, name: str, function: object, parameters: str) -> None:
    """Raise ArgumentError, with the place of the function, unless it takes the parameters of the hook `name`."""
    problem = _wrong_parameters(function, parameters)
    if problem:
        raise ArgumentError(f"{descriptor.owner.name}: its {name} {problem}")


def _wrong_parameters(function: object, parameters: str) -> str:
    """Return why a function cannot take parameters; empty if it can, or if it is unknown."""
    if not callable(function):
        return f"is {describe_value(function)}, expected a function"
    try:
        taken = signature(function)
    except ValueError:  # code that is not Python may have none
        return ""
    try:
        taken.bind(*parameters.split(", "))
    except TypeError as error:
        place = definition_of(function)
        return f"takes {taken}, expected ({parameters}): {error}" + (f" ({place})" if place else "")
    return ""


def pickled_constant(descriptor: Any) -> tuple[Any, ...]:
    """Return the `__reduce__` of a descriptor: an import string of the constant, since its functions may be lambdas.

    Searches the modules of its functions and classes first, then all others.

    Raises:
        PicklingError: no attribute of any module equals the descriptor.
    """
    constant = attrs.evolve(descriptor, name=descriptor.name.rpartition("/")[2])  # a name may have been qualified
    return _load_owned, (import_string_of(constant), descriptor.name, descriptor.owner)


def _load_owned(target: str, name: str, owner: Owner) -> Any:
    return attrs.evolve(load_object(target), name=name, owner=owner)


def import_string_of(descriptor: Any) -> str:
    """Return the import string of the constant that equals a descriptor; raises as `pickled_constant` does."""
    parts = map(plain, attrs.astuple(descriptor, recurse=False))
    names = dict.fromkeys(part.__module__ for part in parts if isinstance(part, FunctionType | type))
    for name in dict.fromkeys((*names, *sys.modules)):
        module = sys.modules.get(name)
        for attribute, found in tuple(vars(module).items()) if isinstance(module, ModuleType) else ():
            if type(found) is type(descriptor) and found == descriptor:
                return f"{name}:{attribute}"
    raise PicklingError(f"{descriptor!r:.80} is not an attribute of any module: make it a constant of its module")
