"""Packages import their modules when these are asked for, so that any number of threads can be the first to do so."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from gridworld import world
from gridworld.support.lazy import names_from
from support.plugins import run_python

PACKAGES = sorted((Path(__file__).parents[3] / "packages").glob("*/src/**/__init__.py"))
BY_ONE_THREAD = {"multinet_eval.cli", "multinet_adapters.testing.model_servers"}
"""The entry of the programs, and what only tests import."""


def package_name(path: Path) -> str:
    return ".".join(path.parts[path.parts.index("src") + 1 : -1])


def imported_at_once(path: Path) -> Iterator[str]:
    """The modules that are imported with a package, but for type checking."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", PACKAGES, ids=package_name)
def test_no_package_imports_its_own_modules(path: Path) -> None:
    name = package_name(path)
    own = {module for module in imported_at_once(path) if module.startswith(f"{name}.")}
    assert own <= {f"{name}._version"} or name in BY_ONE_THREAD


@pytest.mark.parametrize("path", PACKAGES, ids=package_name)
def test_every_name_that_a_package_offers_is_there(path: Path) -> None:
    package = import_module(package_name(path))
    for name in vars(package).get("__all__", ()):
        assert getattr(package, name) is not None


def test_a_name_that_is_not_offered_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"module 'gridworld\.world' has no attribute 'Wrold'"):
        vars(world)["__getattr__"]("Wrold")
    with pytest.raises(AttributeError, match=r"'a\.package' has no attribute 'anything'"):
        names_from("a.package", {})("anything")


def test_only_the_module_of_the_name_is_imported() -> None:
    code = """
import sys
from gridworld.world import State
print(*sorted(name for name in sys.modules if "gridworld.world" in name))
"""
    assert run_python(code, []).stdout == "gridworld.world gridworld.world.state\n"
