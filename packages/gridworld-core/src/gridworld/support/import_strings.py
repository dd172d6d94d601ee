"""Import strings: ``package.module:attribute``, for what is too heavy to import early or cannot be pickled by value."""

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

__all__ = ["load_callable", "load_object", "loaded_object", "pickled_constant"]


def load_object(target: str) -> Any:
    """The object that an import string names.

    Raises:
        PluginFault: the module or the attribute does not exist, or the import fails.
    """
    module_name, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module_name), attribute)
    except (Exception, SystemExit) as error:
        raise PluginFault(f"cannot load '{target}': {describe_raised(error)}") from error


def loaded_object(target: str) -> Any:
    """The object that an import string names, if its module is imported already; None otherwise."""
    module_name, _, attribute = target.partition(":")
    module = sys.modules.get(module_name)
    return None if module is None else vars(module).get(attribute)


def load_callable(target: str) -> Callable[..., Any]:
    """The class or function that an import string names.

    Raises:
        PluginFault: as `load_object`; or it is something else.
    """
    found = load_object(target)
    if not callable(found):
        raise PluginFault(f"cannot load '{target}': it is {describe_value(found)}, expected a class or a function")
    return cast("Callable[..., Any]", found)


def pickled_constant(value: Any) -> tuple[Any, ...]:
    """The `__reduce__` of a descriptor: the import string of a module's attribute, since its functions may be lambdas.

    It is looked for in the modules of the functions and classes that it is made of, then in all. Its `name` may have
    become the qualified one, ``distribution/name``.

    Raises:
        PicklingError: no attribute of any module equals it.
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
