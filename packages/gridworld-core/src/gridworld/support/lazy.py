"""Lazy imports: package interfaces that import a module when one of its names is first used.

Besides being fast, this makes packages safe to import from several threads at once. Python locks a module while
importing it, then its package. If a package imported its own modules, a thread starting with the package and another
starting with a module would wait for each other until one of them got an incomplete module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_from(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package that exports names defined in its modules.

    A package that lists ``__version__`` in its ``__all__`` also offers it: that of the distribution of its name.

    Args:
        package: the package.
        modules: for each name, the module that defines it, relative to `package`.
    """

    def get(name: str) -> Any:
        if name in modules:
            value = getattr(import_module(f"{package}.{modules[name]}"), name)
        elif name == "__version__" and name in vars(sys.modules[package]).get("__all__", ()):
            from importlib.metadata import version  # as slow to import as the core

            value = version(package.replace("_", "-"))
        else:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        setattr(sys.modules[package], name, value)  # the next access finds it directly
        return value

    return get
