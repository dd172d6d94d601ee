"""Import strings, ``package.module:attribute``, for objects that are heavy to import or cannot be pickled by value."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from gridworld.errors import PluginFault, describe_error, describe_value
from gridworld.support.faults import RAISED, place_of


def load_object(target: str) -> Any:
    """Resolve an import string.

    Raises:
        PluginFault: the module or the attribute does not exist, or the import fails.
    """
    module_name, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module_name), attribute)
    except RAISED as error:
        raise PluginFault(f"cannot load '{target}': {describe_error(error)}", place=place_of(error)) from error


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
