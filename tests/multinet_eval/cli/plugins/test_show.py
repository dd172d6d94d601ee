"""``multinet plugins show``: everything about a plugin, or about something that one provides."""

import json
from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import load_registry
from multinet_eval.cli.plugins.show import provided_facts
from support.commands import run
from support.plugins import models_module, write_distribution
from support.programs import json_of, output_of, words

PLUGIN = """
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import BenchmarkInfo, GoalType, MechanismType, ModelInfo, hookimpl
from gridworld.task_spec import Position, one_of, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Spec:
    '''A [rug] on the floor.'''
    id: str
    position: Position = attrs.field(converter=to_position)
    pile: int = attrs.field(default=3, validator=attrs.validators.ge(1))
    weave: str = attrs.field(default="plain", validator=one_of("plain", "twill"))

@attrs.frozen
class Patience:
    turns: int

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(name="rugs", noun="rug", summary="Soft.", spec=Spec, values=("flat", "rolled"),
        traits=lambda spec, value: Trait.NONE, glyph=lambda spec, value: Glyph(()),
        on_toggle=lambda world, state, entity: None, tick=lambda world, state, entity: None)]

@hookimpl
def gridworld_goals():
    return [GoalType(name="wait", summary="Wait.", fields=("target",), parameters=Patience, timed=True,
        reached=lambda world: lambda state: False, mission=lambda world: "wait", validate=lambda task, entries: ())]

@hookimpl
def gridworld_models():
    return [
        ModelInfo("walker", "Walks.", "third_models:Walker"),
        ModelInfo("lost", "Lost.", "module_that_nobody_has:Model"),
    ]

@hookimpl
def gridworld_benchmarks():
    return [BenchmarkInfo("homeless", "Tasks.", package="package_that_nobody_has", folder="tasks")]
"""

MODELS = """
from pathlib import Path
from typing import Literal

class Walker:
    '''Walks [on].

    Args:
        notes: a file, or ``none``.
    '''

    def __init__(self, notes: Path, pace: Literal["slow", "fast"] = "slow", *, seed: int | None = None): ...
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plugin of many things, one that fails, and one that raises when its package is imported."""
    folder = tmp_path_factory.mktemp("shown")
    files = {"third_plugin.py": PLUGIN, "third_models.py": MODELS}
    write_distribution(folder, "Third-Party", "2.3", {"things": "third_plugin"}, files)
    source = {"raising/__init__.py": "raise RuntimeError('no')", "raising/plugin.py": models_module("never")}
    write_distribution(folder, "raising", "1.0", {"entry": "raising.plugin"}, source)
    return folder


def show(name: str, *options: str, path: Path) -> Any:
    return json_of(run("multinet", "plugins", "show", name, "--json", *options, path=[path]))


def the_thing(name: str, path: Path) -> Any:
    """Facts about the only object of a name."""
    shown = show(name, path=path)
    assert shown["plugins"] == []
    (thing,) = shown["provided"]
    assert thing["name"] == name
    return thing


def test_a_plugin_is_shown_with_its_origin_and_what_it_provides(installed: Path) -> None:
    shown = show("third-party", path=installed)
    assert shown["provided"] == []
    (plugin,) = shown["plugins"]
    assert plugin.pop("load_ms") > 0
    assert plugin == {
        "distribution": "third-party",
        "version": "2.3",
        "entry_point": "things",
        "module": "third_plugin",
        "status": "loaded",
        "failure": None,
        "heavy_imports": [],
        "warning": None,
        "provides": [
            {"kind": "mechanism", "name": "rugs", "summary": "Soft."},
            {"kind": "goal", "name": "wait", "summary": "Wait."},
            {"kind": "model", "name": "walker", "summary": "Walks."},
            {"kind": "model", "name": "lost", "summary": "Lost."},
            {"kind": "benchmark", "name": "homeless", "summary": "Tasks."},
        ],
    }


def test_a_failed_plugin_is_shown_with_its_failure(installed: Path) -> None:
    (plugin,) = show("raising", path=installed)["plugins"]
    assert plugin["status"] == "failed"
    place = f"{installed / 'raising' / '__init__.py'}:1"
    assert plugin["failure"] == {"phase": "import", "error": "RuntimeError: no", "place": place}


def test_a_model_is_shown_with_its_arguments_and_documentation(installed: Path) -> None:
    walker = the_thing("walker", installed)
    assert (walker["kind"], walker["distribution"], walker["target"]) == ("model", "third-party", "third_models:Walker")
    assert walker["arguments"] == [
        {"name": "notes", "type": "Path", "default": None},
        {"name": "pace", "type": "one of slow, fast", "default": "'slow'"},
        {"name": "seed", "type": "int or none", "default": "None"},
    ]
    assert walker["documentation"].startswith("Walks [on].")


def test_a_model_that_cannot_be_imported_is_shown_with_the_reason(installed: Path) -> None:
    lost = the_thing("lost", installed)
    assert "No module named 'module_that_nobody_has'" in lost["import_error"]
    finished = run("multinet", "plugins", "show", "lost", path=[installed])
    assert finished.returncode == 0
    assert "import error cannot load 'module_that_nobody_has:Model'" in words(finished.stdout)


def test_a_mechanism_is_shown_with_its_fields(installed: Path) -> None:
    rugs = the_thing("rugs", installed)
    assert rugs["fields"] == [
        {"name": "id", "accepts": "string", "required": True, "default": None},
        {"name": "position", "accepts": "cell [x, y]", "required": True, "default": None},
        {"name": "pile", "accepts": "integer >= 1", "required": False, "default": 3},
        {"name": "weave", "accepts": "plain, twill", "required": False, "default": "plain"},
    ]
    assert rugs["documentation"] == "A [rug] on the floor."


def test_a_goal_is_shown_with_its_common_fields_and_parameters(installed: Path) -> None:
    goal = the_thing("wait", installed)
    assert goal["common_fields"] == ["target"]
    assert goal["fields"] == [{"name": "turns", "accepts": "integer", "required": True, "default": None}]


def test_everything_that_is_installed_can_be_told_of() -> None:
    registry = load_registry()
    for catalog in registry.catalogs:
        for provided in catalog:
            facts = provided_facts(catalog.kind, provided)
            assert (facts["kind"], facts["name"]) == (catalog.kind, provided.item.name)
            assert json.loads(json.dumps(facts)) == facts
            assert "import_error" not in facts


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("third-party", ["plugin third-party/things", "status loaded", "goal wait Wait."]),
        ("walker", ["model walker", "notes Path (required)", "seed int or none None", "Walks [on]."]),
        ("rugs", ["pile integer >= 1 3", "A [rug] on the floor."]),
        ("wait", ["common fields target", "turns integer (required)"]),
    ],
)
def test_the_same_is_printed_for_people(installed: Path, name: str, told: list[str]) -> None:
    printed = output_of(run("multinet", "plugins", "show", name, path=[installed]))
    for fragment in told:
        assert fragment in words(printed)
