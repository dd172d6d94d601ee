"""Packages and modules that offer names of others, and import each module when one of its names is first asked for.

Besides being quick, this makes packages safe to import from several threads at once. Python locks a module while it
imports it, and then its package: where a package imports its own modules, a thread that begins with the package and one
that begins with a module wait for each other, until one of them is given a module that is not complete.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["import_after", "names_from"]


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


def import_after(first: str, then: str) -> None:
    """Import a module as soon as another one has been imported, which is now if it has been already.

    A package that adds something to a library, if that is in use, needs not import the library for that.
    """
    if first in sys.modules:
        import_module(then)
        return
    if _followers not in sys.meta_path:
        sys.meta_path.insert(0, _followers)
    _followers.names.setdefault(first, []).append(then)


class _Followers:
    """Leaves it to the other finders to find modules, and has those imported that are to follow one."""

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

            spec.loader.exec_module = execute_and_follow  # type: ignore[method-assign]  # of this import alone
        return spec


_followers = _Followers()
