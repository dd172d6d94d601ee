"""Import strings, ``package.module:attribute``, for objects that are heavy to import or cannot be pickled by value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pickle import PicklingError
from types import FunctionType, ModuleType
from typing import Any, cast

import attrs

from gridworld.errors import PluginFault, describe_value
from gridworld.support.faults import describe_raised


def load_object(target: str) -> Any:
    """Resolve an import string.

    Raises:
        PluginFault: the module or the attribute does not exist, or the import fails.
    """
    module_name, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module_name), attribute)
    except (Exception, SystemExit) as error:
        raise PluginFault(f"cannot load '{target}': {describe_raised(error)}") from error


def loaded_object(target: str) -> Any:
    """Resolve an import string without importing; None if its module has not been imported."""
    module_name, _, attribute = target.partition(":")
    module = sys.modules.get(module_name)
    return None if module is None else vars(module).get(attribute)


def load_callable(target: str) -> Callable[..., Any]:
    """Import a class or function; raises PluginFault as `load_object` does, or if the object is not callable."""
    found = load_object(target)
    if not callable(found):
        raise PluginFault(f"cannot load '{target}': it is {describe_value(found)}, expected a class or a function")
    return cast("Callable[..., Any]", found)


def pickled_constant(value: Any) -> tuple[Any, ...]:
    """Return the `__reduce__` of a descriptor: an import string of the constant, since its functions may be lambdas.

    Searches the modules of its functions and classes first, then all others. The `name` of the descriptor may have
    been replaced by the qualified one, ``distribution/name``.

    Raises:
        PicklingError: no attribute of any module equals the descriptor.
    """
    constant = attrs.evolve(value, name=value.name.rpartition("/")[2])
    return _load_named, (_import_string_of(constant, attrs.astuple(value, recurse=False)), value.name)


def _load_named(target: str, name: str) -> Any:
    found = load_object(target)
    return found if found.name == name else attrs.evolve(found, name=name)


def _import_string_of(value: object, parts: Iterable[object]) -> str:
    names = dict.fromkeys(part.__module__ for part in parts if isinstance(part, FunctionType | type))
    for name in dict.fromkeys((*names, *sys.modules)):
        module = sys.modules.get(name)
        for attribute, found in tuple(vars(module).items()) if isinstance(module, ModuleType) else ():
            if type(found) is type(value) and found == value:
                return f"{name}:{attribute}"
    raise PicklingError(f"{value!r:.80} is not an attribute of any module: make it a constant of its module")
