"""Packages import their modules when these are asked for, so that any number of threads can be the first to do so."""

from importlib import import_module
from pathlib import Path

import pytest

from gridworld import world
from gridworld.support.lazy import names_from
from support.programs import run_python

PACKAGES = sorted((Path(__file__).parents[3] / "packages").glob("*/src/**/__init__.py"))


def package_name(path: Path) -> str:
    return ".".join(path.parts[path.parts.index("src") + 1 : -1])


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
