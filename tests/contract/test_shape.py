"""The layout of the repository, what each distribution registers, and that plugins can come from anyone."""

import ast
import json
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import attrs
import pluggy
import pytest
import typer
from packaging.requirements import Requirement

from gridworld import hookspecs
from gridworld.backends.base import GridState
from gridworld.plugins import Catalog, Registry, load_registry
from gridworld.task_spec import GoalSpec, MazeLayout, Rules, TaskSpecification
from multinet_eval.cli import app
from support.commands import run
from support.plugins import write_distribution
from support.programs import run_python
from support.runs import write_task
from support.worlds import describe

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "packages"
DISTRIBUTIONS = (
    "gridworld-core",
    "gridworld-minigrid",
    "gridworld-multigrid",
    "gridworld-generators",
    "multinet-adapters",
    "multinet-eval",
    "multinet-report",
)
PLUGINS = DISTRIBUTIONS[1:]

each_distribution = pytest.mark.parametrize("name", DISTRIBUTIONS)


def project_of(name: str) -> dict[str, Any]:
    """A distribution's ``pyproject.toml``."""
    return tomllib.loads((PACKAGES / name / "pyproject.toml").read_text(encoding="utf-8"))


def requirements_of(name: str) -> set[str]:
    """The distributions that another one cannot do without."""
    return {Requirement(text).name for text in project_of(name)["project"]["dependencies"]}


# --- the monorepo ----------------------------------------------------------------------------------------------


def test_the_distributions_lie_under_packages() -> None:
    assert sorted(path.parent.name for path in PACKAGES.glob("*/pyproject.toml")) == sorted(DISTRIBUTIONS)


@each_distribution
def test_a_distribution_is_installable_on_its_own(name: str) -> None:
    project = project_of(name)
    assert project["project"]["name"] == name
    assert project["build-system"]["build-backend"]
    assert distribution(name).metadata["Name"] == name


def test_what_lies_beside_them() -> None:
    assert (ROOT / "tests").is_dir()
    for file in ("noxfile.py", "pyproject.toml", "run_eval.py"):
        assert (ROOT / file).is_file(), file


def test_run_eval_py_has_four_lines_and_calls_the_command_line() -> None:
    source = (ROOT / "run_eval.py").read_text(encoding="utf-8")
    assert len([line for line in source.splitlines() if line.strip()]) == 4
    imported = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert imported == {"multinet_eval.cli"}


# --- core ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [TaskSpecification, MazeLayout, GoalSpec, Rules, GridState])
def test_core_defines_the_attrs_specifications_and_the_state(kind: type) -> None:
    assert attrs.has(kind)
    assert kind.__module__.split(".")[0] == "gridworld"


def test_core_defines_the_hook_specifications() -> None:
    manager = pluggy.PluginManager("gridworld")
    manager.add_hookspecs(hookspecs)
    assert {name for name in vars(manager.hook) if not name.startswith("_")} >= {
        "gridworld_backends",
        "gridworld_mechanisms",
        "gridworld_goals",
        "gridworld_models",
    }


def test_core_works_without_the_others() -> None:
    play = """
import sys
sys.modules.update(dict.fromkeys(("gridworld_minigrid", "gridworld_multigrid", "multinet_adapters", "multinet_eval")))
from support.worlds import begin, corridor, play
print(play(begin(corridor("@.G")), "FF").goal_reached)
"""
    finished = run_python(play, [ROOT / "tests"])
    assert (finished.returncode, finished.stdout) == (0, "True\n"), finished.stderr


# --- registration ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


@each_distribution
def test_a_distribution_registers_through_an_entry_point(name: str, registry: Registry) -> None:
    points = [point for point in distribution(name).entry_points if point.group == "gridworld"]
    records = [record for record in registry.plugins if record.distribution == name]
    assert [point.value for point in points] == [record.module for record in records]
    assert [record.status for record in records] == ["loaded"]


def provided(catalog: Catalog[Any], name: str) -> set[str]:
    """Names of one kind that a distribution provides."""
    return {each.item.name for each in catalog if each.distribution == name}


def test_backends_mechanisms_goal_types_and_models_are_registered(registry: Registry) -> None:
    assert provided(registry.backends, "gridworld-minigrid") == {"minigrid"}
    assert provided(registry.backends, "gridworld-multigrid") == {"multigrid"}
    assert provided(registry.mechanisms, "gridworld-core") == {
        "keys",
        "doors",
        "switches",
        "gates",
        "blocks",
        "teleporters",
        "hazards",
    }
    assert provided(registry.goals, "gridworld-core") == {
        "reach_position",
        "collect_all",
        "push_block_to",
        "survive_steps",
    }
    assert "random" in provided(registry.models, "gridworld-core")
    assert {"ollama", "lmstudio"} <= provided(registry.models, "multinet-adapters")
    assert {"validation_10", "tiers"} <= provided(registry.benchmarks, "multinet-eval")


def test_the_command_line_is_a_typer_app_with_a_program_for_evaluation() -> None:
    assert isinstance(app.multinet, typer.Typer)
    scripts = {
        point.name: point.value for point in distribution("multinet-eval").entry_points.select(group="console_scripts")
    }
    assert scripts["multinet-run-eval"] == "multinet_eval.cli:run_eval"
    assert "rich" in requirements_of("multinet-eval")


# --- only what is needed, and from anyone ----------------------------------------------------------------------


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_distribution_needs_the_core_and_no_other_of_ours(name: str) -> None:
    others = {"multinet-report": {"multinet-eval"}}  # which reads the runs that it reports
    assert requirements_of(name) & set(DISTRIBUTIONS) == {"gridworld-core", *others.get(name, ())}


def test_the_core_needs_none_of_the_others() -> None:
    assert not requirements_of("gridworld-core") & set(DISTRIBUTIONS)


@pytest.mark.parametrize(
    ("library", "used_by"),
    [
        ("pluggy", "gridworld-core"),
        ("attrs", "gridworld-core"),
        ("cattrs", "gridworld-core"),
        ("numpy", "gridworld-core"),
        ("minigrid", "gridworld-minigrid"),
        ("gymnasium", "gridworld-minigrid"),
        ("gymnasium", "gridworld-multigrid"),
        ("numpy", "gridworld-multigrid"),
        ("requests", "multinet-adapters"),
        ("typer", "multinet-eval"),
        ("rich", "multinet-eval"),
        ("pillow", "multinet-eval"),
    ],
)
def test_a_library_of_the_contract_is_required_where_it_is_used(library: str, used_by: str) -> None:
    assert library in requirements_of(used_by)


def test_the_tests_are_run_by_nox_with_pytest() -> None:
    assert "pytest" in (ROOT / "noxfile.py").read_text(encoding="utf-8")


def test_only_the_minigrid_backend_requires_minigrid() -> None:
    assert [name for name in DISTRIBUTIONS if "minigrid" in requirements_of(name)] == ["gridworld-minigrid"]


PLUGIN = """
import attrs
from gridworld.drawing.glyphs import Glyph, Rectangle
from gridworld.hookspecs import BackendInfo, GoalType, MechanismType, ModelInfo, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait
from gridworld.world.events import Changed


@attrs.frozen
class Bell:
    id: str
    position: Position = attrs.field(converter=to_position)


def ring(world, state, bell):
    return state.with_value(bell.index, 1), (Changed(bell.id, bell.cells, "rung"),)


BELLS = MechanismType(
    name="bells", noun="bell", summary="Rings.", spec=Bell, values=("silent", "rung"),
    traits=lambda bell, value: Trait.SOLID,
    glyph=lambda bell, value: Glyph((Rectangle(0, 0, 1, 1, (200, 200, 0)),)), on_toggle=ring,
)
RING_ALL = GoalType(
    name="ring_all", summary="Ring all bells.", mission=lambda world: "ring all bells",
    validate=lambda task, entries: (),
    reached=lambda world: lambda state: all(each.value_name(state) == "rung" for each in world.entities),
)


@hookimpl
def gridworld_mechanisms():
    return [BELLS]


@hookimpl
def gridworld_goals():
    return [RING_ALL]


@hookimpl
def gridworld_models():
    return [ModelInfo("ringer", "Rings.", "their_parts:Ringer")]


@hookimpl
def gridworld_backends():
    return [BackendInfo("blank", "Shows nothing.", "their_parts:Blank")]
"""

PARTS = """
from gridworld.backends.kernel import KernelBackend
from gridworld.model_interface import ModelInterface, ModelOutput
from gridworld.world import square_topology


class Ringer(ModelInterface):
    model_name = "ringer"

    def predict(self, input):
        return ModelOutput(action=5)


class Blank(KernelBackend):
    name, tiling = "blank", "square"

    def make_topology(self, task):
        return square_topology(*task.maze.dimensions)

    def observe(self):
        return None

    def render(self):
        return None
"""


@pytest.fixture(scope="module")
def third_party(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an installed distribution that provides a mechanism, a goal type, a model and a backend."""
    folder = tmp_path_factory.mktemp("third-party")
    files = {"their_plugin.py": PLUGIN, "their_parts.py": PARTS}
    write_distribution(folder, "their-bells", "1.0", {"bells": "their_plugin"}, files, ["gridworld-core>=0.1"])
    return folder


def test_the_command_line_finds_whatever_is_installed(third_party: Path) -> None:
    listed = json.loads(run("multinet", "plugins", "--json", path=[third_party]).stdout)["plugins"]
    assert {plugin["distribution"] for plugin in listed} >= {*DISTRIBUTIONS, "their-bells"}
    (theirs,) = (plugin for plugin in listed if plugin["distribution"] == "their-bells")
    assert {(each["kind"], each["name"]) for each in theirs["provides"]} == {
        ("backend", "blank"),
        ("goal", "ring_all"),
        ("mechanism", "bells"),
        ("model", "ringer"),
    }


def test_what_a_third_party_publishes_is_used_like_our_own(third_party: Path, tmp_path: Path) -> None:
    data = describe("######\n#@b.G#\n######", goal={"type": "ring_all"})
    data["mechanisms"] = {"bells": [{"id": "b", "position": [2, 1]}]}
    write_task(tmp_path / "tasks", data)
    line = ["--task-dir", str(tmp_path / "tasks"), "--model", "ringer", "--backend", "blank", "--json"]
    finished = run("multinet-run-eval", *line, path=[third_party])
    assert finished.returncode == 0, finished.stderr
    results = json.loads(finished.stdout)
    assert (results["model_name"], results["backend"], results["num_success"]) == ("ringer", "blank", 1)
    assert results["task_results"][0]["mission"] == "ring all bells"
