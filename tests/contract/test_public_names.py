"""The names that are public: none appears, disappears or moves by the way, and what readers see uses no others."""

import re
import sys
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pytest

from gridworld.testing import conformance
from multinet_eval.cli.plugins import kits
from support.sources import (
    changes,
    documented_modules,
    kept_names,
    names_of,
    private_imports,
    shown_sources,
    undocumented,
)

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")
MODULES = documented_modules(PAGE)
KITS = Path(conformance.__file__).parent
WHAT_TO_DO = (
    "If that is meant, run 'python tests/contract/freeze_public_names.py', write a line in CHANGELOG.md, and keep an "
    "old name with a DeprecationWarning, as docs/reference/stability.md says."
)


def test_the_page_and_the_list_name_the_same_modules() -> None:
    assert sorted(MODULES) == sorted(kept_names()), WHAT_TO_DO


def test_no_public_name_appears_disappears_or_moves() -> None:
    found = changes(kept_names(), names_of(MODULES))
    assert found == [], "\n".join([*found, WHAT_TO_DO])


@pytest.mark.parametrize("module", MODULES)
def test_every_public_class_and_function_has_a_docstring(module: str) -> None:
    assert undocumented(module) == []


@pytest.mark.parametrize(("place", "source"), [pytest.param(*each, id=each[0]) for each in shown_sources()])
def test_docs_examples_and_templates_use_public_names_only(place: str, source: str) -> None:
    found = private_imports(source, kept_names())
    assert found == [], (
        f"{place} uses names that docs/reference/stability.md does not promise; import them from a public module"
    )


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:gridworld|multinet_eval)\.[\w.]+)`", PAGE)) - {*MODULES}))
def test_every_constant_that_the_page_names_exists(name: str) -> None:
    assert resolve_name(name) is not None


@pytest.mark.parametrize("file", [*KITS.glob("*.py"), Path(kits.__file__)], ids=lambda file: file.stem)
def test_messages_of_kits_name_public_things_only(file: Path) -> None:
    kept = kept_names()
    public = {*kept, *(f"{module}.{name}" for module, names in kept.items() for name in names)}
    texts = re.findall(r'"[^"\n]*"', file.read_text(encoding="utf-8"))
    named = {name for text in texts for name in re.findall(r"`((?:gridworld|multinet_eval)\.[\w.]+)`", text)}
    assert named <= public


def test_names_that_moved_are_told_apart_from_those_that_went_or_came() -> None:
    kept, present = {"a": ["x", "y"], "b": []}, {"a": ["z"], "b": ["x"]}
    assert changes(kept, present) == ["moved: a.x to b", "gone: a.y", "new: a.z"]
    assert changes(kept, kept) == []


def test_a_missing_docstring_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = ModuleType("offered")
    exec(
        "__all__ = ['f', 'g', 'C', 'D', 'N']\ndef f(): ...\ndef g(): 'Do it.'\nclass C: ...\nclass D: 'It.'\nN = 1",
        vars(offered),
    )
    monkeypatch.setitem(sys.modules, "offered", offered)
    assert undocumented("offered") == ["f", "C"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from gridworld.solver import solve", []),
        ("from gridworld import solver", []),
        ("from gridworld.solver.search import solve", ["gridworld.solver.search.solve"]),
        ("from gridworld.solver import search", ["gridworld.solver.search"]),
        ("import gridworld_minigrid.env", ["gridworld_minigrid.env"]),
        ("import gridworld\ngridworld.load('x').shortcuts", []),
        ("import gridworld\ngridworld.shortcuts.load('x')", ["gridworld.shortcuts"]),
        ("def f():\n    import multinet_eval.cli.app", ["multinet_eval.cli.app"]),
        ("pytest_plugins = ['gridworld.other.pytest_plugin']", ["gridworld.other.pytest_plugin"]),
        ("import gridworld_example_ice.ice", []),
    ],
)
def test_a_private_name_is_found_wherever_it_is_used(source: str, found: list[str]) -> None:
    assert private_imports(source, kept_names()) == found
