"""Modules and distributions of the names in the contract."""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[2] / "packages"

IMPORT_PACKAGE = {
    "gridworld-core": "gridworld",
    "gridworld-minigrid": "gridworld_minigrid",
    "gridworld-multigrid": "gridworld_multigrid",
    "multinet-adapters": "multinet_adapters",
    "multinet-eval": "multinet_eval",
}

MODULES = {
    "gridworld.task_spec": ("gridworld-core", "TaskSpecification MazeLayout GoalSpec MechanismSet Rules"),
    "gridworld.backends.base": ("gridworld-core", "AbstractGridBackend GridState"),
    "gridworld.runner.grid_runner": ("gridworld-core", "GridRunner EpisodeResult"),
    "gridworld.model_interface": (
        "gridworld-core",
        "ModelInterface ModelInput ModelOutput RandomModelInterface FileBasedModelInterface",
    ),
    "gridworld_minigrid": ("gridworld-minigrid", "TaskParser CustomMiniGridEnv MiniGridBackend"),
    "multinet_adapters.ollama_vlm_adapter": ("multinet-adapters", "OllamaVLMAdapter"),
    "multinet_adapters.lmstudio_vlm_adapter": ("multinet-adapters", "LMStudioVLMAdapter"),
    "gridworld_multigrid": ("gridworld-multigrid", "MultiGridBackend"),
    "gridworld_multigrid.agent": ("gridworld-multigrid", "Action"),
    "multinet_eval.evaluation_harness": ("multinet-eval", "EvaluationHarness"),
    "multinet_eval.cli": ("multinet-eval", "run_eval"),
}
"""Module to its distribution and the names that it offers."""

NAMES = [pytest.param(module, name, id=f"{module}.{name}") for module in MODULES for name in MODULES[module][1].split()]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_name_of_the_contract_is_imported_from_its_module(module: str, name: str) -> None:
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_comes_with_its_distribution(module: str) -> None:
    distribution = MODULES[module][0]
    place = PACKAGES / distribution / "src" / module.replace(".", "/")
    assert place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


@pytest.mark.parametrize(("distribution", "package"), IMPORT_PACKAGE.items())
def test_a_distribution_is_installed_with_the_import_package_of_its_own(distribution: str, package: str) -> None:
    assert import_module(package).__version__ == version(distribution)


@pytest.mark.parametrize(("distribution", "package"), IMPORT_PACKAGE.items())
def test_a_distribution_takes_no_other_top_level_name(distribution: str, package: str) -> None:
    """Least of all ``multigrid``, which is another project's on the package index.

    What must not import Gymnasium stands beside a package that does.
    """
    packages = {folder.name for folder in (PACKAGES / distribution / "src").iterdir()}
    assert packages - {f"{package}_plugin", "gridworld_polygons"} == {package}
