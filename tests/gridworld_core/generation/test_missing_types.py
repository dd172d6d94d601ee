"""A generator whose tasks need a type of a plugin that is not in use is refused at once, and it is said why."""

import importlib
from pathlib import Path

import pytest

from gridworld.errors import PluginFault
from gridworld.generation.making import Made, jobs_of, make
from gridworld.generation.recipe import Recipe
from gridworld.plugins import DISABLE_VARIABLE, load_registry, using_registry
from support.plugins import write_distribution

PLUGIN = """
from gridworld.hookspecs import GeneratorInfo, hookimpl


@hookimpl
def gridworld_generators():
    return [GeneratorInfo("ponds", "Corridors with frogs.", "pond_families:Ponds")]
"""
FAMILIES = """
import attrs

from gridworld.generation import Drawing, Generator
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, TaskSpecification
from pond_frogs import FrogSpec


@attrs.frozen
class Ponds(Generator):
    def draw(self, seed):
        maze = MazeLayout((6, 3), (1, 1), (4, 1))
        frogs = MechanismSet(frogs=[FrogSpec("f", (2, 1))])
        return Drawing((TaskSpecification(task_id="pond", seed=seed, difficulty_tier=1, maze=maze,
                                          goal=GoalSpec("reach_position"), max_steps=9, mechanisms=frogs),))
"""
FROGS = """
import attrs

from gridworld.hookspecs import Glyph, MechanismType, Position, Trait, hookimpl, to_position


@attrs.frozen
class FrogSpec:
    id: str
    position: Position = attrs.field(converter=to_position)


FROGS = MechanismType(name="frogs", noun="frog", summary="Sits there.", spec=FrogSpec,
                      traits=lambda frog, value: Trait.NONE, glyph=lambda frog, value: Glyph(()))


@hookimpl
def gridworld_mechanisms():
    return [FROGS]
"""
JOB = jobs_of([Recipe(family="ponds", count=1)])[0]


@pytest.fixture(autouse=True)
def _pond(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"pond_plugin.py": PLUGIN, "pond_families.py": FAMILIES, "pond_frogs.py": FROGS}
    write_distribution(tmp_path, "pond", "1.0", {"ponds": "pond_plugin", "frogs": "pond_frogs"}, files)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()


def test_with_all_of_its_plugins_it_gives_tasks() -> None:
    with using_registry(load_registry()):
        assert isinstance(make(JOB), Made)


@pytest.mark.parametrize("by", [DISABLE_VARIABLE, "--disable-plugin"])
def test_it_is_said_which_plugin_is_disabled_and_by_what(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if by == DISABLE_VARIABLE:
        monkeypatch.setenv(DISABLE_VARIABLE, "pond/frogs")
    disabled = [] if by == DISABLE_VARIABLE else ["pond/frogs"]
    with using_registry(load_registry(disabled)), pytest.raises(PluginFault) as caught:
        make(JOB)
    assert str(caught.value).startswith("generator 'ponds' draws tasks that cannot be played here: unknown mechanism")
    assert f"may be missing, or disabled (pond/frogs by {by}): see 'multinet plugins'" in str(caught.value)
