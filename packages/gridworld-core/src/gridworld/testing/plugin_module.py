"""`PluginModuleConformance`: the checks that every plugin module must pass."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import ClassVar

from gridworld.plugins.catalog import PLUGIN_HOOKS
from gridworld.plugins.records import HEAVY_LIBRARIES
from gridworld.support.import_strings import load_object
from gridworld.testing.conformance import Conformance, calling, expect

IMPORTING = f"""
import contextlib, importlib, sys
before = set(sys.modules)
with contextlib.redirect_stdout(sys.stderr):
    module = importlib.import_module(sys.argv[1])
    for hook in sys.argv[2:]:
        if hook in vars(module):
            list(vars(module)[hook]())
print(*({set(HEAVY_LIBRARIES)!r} & (set(sys.modules) - before)))
"""


class PluginModuleConformance(Conformance):
    """The checks of a plugin's module, to be subclassed in its author's tests.

    class TestPlugin(PluginModuleConformance):
        plugin_module = "my_package.plugin"
    """

    kind: ClassVar[str] = "plugin_module"

    plugin_module: ClassVar[str]
    """The name of the module, as in the entry point."""

    def resolve(self) -> str:
        """Return the module's name."""
        return self.plugin_module

    def test_importing_it_and_calling_its_hooks_imports_no_heavy_library(self) -> None:
        """Listing and ``--help`` stay fast: descriptors have import strings, and functions import what they need."""
        expect_light(self.resolve(), PLUGIN_HOOKS)

    def test_its_hooks_return_the_same_each_time(self) -> None:
        """Hooks always return descriptors with the same names in the same order."""
        for name in PLUGIN_HOOKS:
            try:
                hook = load_object(f"{self.resolve()}:{name}")
            except Exception:
                continue
            with calling(f"{name}()"):
                first, second = ([item.name for item in hook()] for _ in "ab")
            expect(first == second, f"{name}() provides {first} and then {second}")


@cache
def heavy_imports_of(module: str, hooks: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the heavy libraries that a fresh interpreter imports along with a module.

    Args:
        module: the module's name.
        hooks: functions of the module to call as well, if it has them.

    Returns:
        Their names, sorted; empty if the module cannot be imported on its own, such as a test file.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", IMPORTING, module, *hooks]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return tuple(sorted(finished.stdout.split())) if finished.returncode == 0 else ()


def expect_light(module: str, hooks: tuple[str, ...] = ()) -> None:
    """Check that importing a module, and calling functions of it, imports no heavy library."""
    heavy = heavy_imports_of(module, hooks)
    expect(not heavy, f"importing {module}{' and calling its hooks' if hooks else ''} imports {', '.join(heavy)}")
