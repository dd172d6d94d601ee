"""Lazy imports: package interfaces that import a module when one of its names is first used.

Besides being fast, this makes packages safe to import from several threads at once. Python locks a module while
importing it, then its package. If a package imported its own modules, a thread starting with the package and another
starting with a module would wait for each other until one of them got an incomplete module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def names_from(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package that exports names defined in its modules.

    A distribution's package also offers ``__version__``, that of the installed distribution.

    Args:
        package: the package.
        modules: for each name, the module that defines it, relative to `package`.
    """

    def get(name: str) -> Any:
        if name in modules:
            value = getattr(import_module(f"{package}.{modules[name]}"), name)
        elif name == "__version__" and "." not in package:
            from importlib.metadata import version  # as slow to import as the core

            value = version(package.replace("_", "-"))
        else:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        setattr(sys.modules[package], name, value)  # the next access finds it directly
        return value

    return get


def import_after(first: str, then: str) -> None:
    """Import module `then` as soon as `first` has been imported, immediately if it already has.

    This lets a package extend a library that may be in use without importing it.
    """
    if first in sys.modules:
        import_module(then)
        return
    if _followers not in sys.meta_path:
        sys.meta_path.insert(0, _followers)
    _followers.names.setdefault(first, []).append(then)


class _Followers:
    """A finder that delegates to the other finders, and imports a module's followers after it."""

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.names:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        spec = next((found for each in others if (found := each.find_spec(fullname, path, target))), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_follow(module: ModuleType) -> None:
                execute(module)
                for name in self.names.pop(fullname, ()):
                    import_module(name)

            spec.loader.exec_module = execute_and_follow  # type: ignore[method-assign]  # for this import only
        return spec


_followers = _Followers()
