"""Data and kernel are handed what there is: only `compile_world` reaches for the plugins of this process."""

from pathlib import Path

import pytest

import gridworld
from support.sources import imported_names, mentioned_names

CORE = Path(gridworld.__file__).parent
ROOMS = ("support", "task", "world", "drawing", "mechanisms", "goals")
FACES = {"world/rules.py"}
"""`compile_world`."""

MODULES = sorted([CORE / "task_spec.py", *(path for room in ROOMS for path in (CORE / room).rglob("*.py"))])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_only_compile_world_names_the_registry(path: Path) -> None:
    reached = {name for name in mentioned_names(path.read_text(encoding="utf-8")) if name.endswith("_registry")}
    assert reached == ({"get_registry"} if str(path.relative_to(CORE)) in FACES else set())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_nothing_else_is_imported_from_the_plugins_not_even_for_types(path: Path) -> None:
    imported = {
        each for each in imported_names(path.read_text(encoding="utf-8")) if each[0].startswith("gridworld.plugins")
    }
    assert imported <= {("gridworld.plugins", "get_registry")}
