"""`PluginModuleConformance`: the checks that every plugin module must pass."""

from __future__ import annotations

from typing import Any, ClassVar

from gridworld.plugins.catalog import PLUGIN_HOOKS
from gridworld.support.import_strings import load_object
from gridworld.testing.conformance import Conformance, calling, expect
from gridworld.testing.light_imports import heavy_imports_of

__all__ = ["PluginModuleConformance"]


class PluginModuleConformance(Conformance):
    """The checks of a plugin's module, to be subclassed in its author's tests.

    class TestPlugin(PluginModuleConformance):
        plugin_module = "my_package.plugin"
    """

    kind: ClassVar[str] = "plugin_module"

    plugin_module: ClassVar[str]
    """The name of the module, as in the entry point."""

    def resolve(self) -> Any:
        """Return the module's name."""
        return self.subject()

    def test_importing_it_and_calling_its_hooks_imports_no_heavy_library(self) -> None:
        """Importing the module and calling its hooks imports no heavy library: listing and ``--help`` stay fast."""
        heavy = heavy_imports_of(self.resolve(), PLUGIN_HOOKS)
        expect(
            not heavy,
            f"importing {self.resolve()} and calling its hooks imports {', '.join(heavy)}",
            "use an import string in the descriptor, or import it inside the function that needs it",
        )

    def test_its_hooks_return_the_same_each_time(self) -> None:
        """Hooks always return descriptors with the same names in the same order."""
        for name in PLUGIN_HOOKS:
            try:
                hook = load_object(f"{self.resolve()}:{name}")
            except Exception:
                continue
            with calling(f"{name}()"):
                first, second = ([item.name for item in hook()] for _ in "ab")
            expect(first == second, f"{name}() provides {first} and then {second}", "return the same list each time")
