"""Packages and modules that offer names of others, and import each module when one of its names is first asked for.

Besides being quick, this makes packages safe to import from several threads at once. Python locks a module while it
imports it, and then its package: where a package imports its own modules, a thread that begins with the package and one
that begins with a module wait for each other, until one of them is given a module that is not complete.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["names_from"]


def names_from(package: str, modules: Mapping[str, str], offered_by: str | None = None) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package.

    Args:
        package: its name.
        modules: each name that it offers, to the module below it that defines the name.
        offered_by: the module that offers the names, if it is not the package itself.
    """
    offering = offered_by or package

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{offering}' has no attribute '{name}'")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[offering], name, value)  # so that it is asked for once
        return value

    return get
