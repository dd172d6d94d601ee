"""The references of the documentation are complete."""

import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gridworld import hookspecs
from support.commands import multinet
from support.sources import headings_of

DOCS = Path(__file__).parents[2] / "docs"


def _load(name: str) -> ModuleType:
    """A module of docs/hooks, which is no package."""
    spec = spec_from_file_location(name, DOCS / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


api_reference, cli_reference = _load("api_reference"), _load("cli_reference")


@cache
def api_pages() -> dict[str, dict[str, str]]:
    pages: dict[str, dict[str, str]] = api_reference.api_pages()
    return pages


documented_modules = cache(api_reference.documented_modules)

of_each_distribution = pytest.mark.parametrize("distribution", api_reference.DISTRIBUTIONS)


@pytest.mark.parametrize("hook", [name for name in hookspecs.__all__ if name.startswith("gridworld_")])
def test_every_hook_has_a_section(hook: str) -> None:
    headings = [heading for page in (DOCS / "how-to" / "plugins").glob("*.md") for heading in headings_of(page)]
    assert headings.count(f"The hook: `{hook}`") == 1


@of_each_distribution
def test_every_documented_name_has_a_docstring(distribution: str) -> None:
    modules = documented_modules(api_reference.DISTRIBUTIONS[distribution])
    assert [f"{module.name}: {name}" for module in modules for name in module.undocumented] == []


def exported_from(module: Any) -> Iterable[str]:
    """The names in ``__all__``, or all of its own; the latter if it needs a library that is not installed."""
    try:
        return vars(import_module(module.name)).get("__all__", module.own)
    except ModuleNotFoundError:
        return module.own


@of_each_distribution
def test_every_documented_name_is_in_the_api_reference(distribution: str) -> None:
    text = "\n".join(api_pages()[distribution].values())
    modules = documented_modules(api_reference.DISTRIBUTIONS[distribution])
    assert modules
    for module in modules:
        section = text.split(f"::: {module.name}\n")[1].split(":::")[0]
        exported = {name for name in exported_from(module) if not name.startswith("__")}
        assert exported
        assert exported <= set(re.findall(r"\w+", section))


@pytest.mark.parametrize("command", ["eval", "plugins", "tasks gallery"])
def test_every_option_that_help_tells_of_is_in_the_command_line_reference(command: str) -> None:
    told = multinet(*command.split(), "--help").stdout
    section = cli_reference.cli_page().split(f"`multinet {command}`\n")[1].split("\n#")[0]
    options = set(re.findall(r"--[a-z][a-z-]+", told))
    assert options
    assert options <= set(re.findall(r"--[a-z][a-z-]+", section))
