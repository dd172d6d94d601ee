"""Each distribution declares exactly what it imports; `nox -s lint` sees which way imports point."""

import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from gridworld import __version__
from support.sources import imported_names

PACKAGES = Path(__file__).parents[2] / "packages"
VERSION_FILE = PACKAGES / "gridworld-core/src/gridworld/_version.py"
DISTRIBUTIONS = sorted(path.parent.name for path in PACKAGES.glob("*/pyproject.toml"))
DISTRIBUTION_OF = {
    "PIL": "pillow",
    "gridworld": "gridworld-core",
    "gridworld_minigrid": "gridworld-minigrid",
    "gridworld_multigrid": "gridworld-multigrid",
    "gridworld_generators": "gridworld-generators",
    "multinet_adapters": "multinet-adapters",
    "multinet_eval": "multinet-eval",
    "multinet_report": "multinet-report",
}


@cache
def imported_packages(distribution: str) -> frozenset[str]:
    """The top-level packages that a distribution imports anywhere, its own and the standard library aside."""
    source = PACKAGES / distribution / "src"
    found: set[str] = set()
    for path in source.rglob("*.py"):
        if "templates" not in path.parts:  # which become distributions of their own
            found.update(module.split(".")[0] for module, _ in imported_names(path.read_text(encoding="utf-8")))
    return frozenset(found - set(sys.stdlib_module_names) - {folder.name for folder in source.iterdir()})


def project_of(distribution: str) -> dict[str, Any]:
    """The table ``[project]`` of a distribution."""
    text = (PACKAGES / distribution / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def names_of(requirements: Iterable[str]) -> set[str]:
    """The names in requirements, without versions."""
    return {requirement.split("==")[0].split(">=")[0].strip() for requirement in requirements}


def declared_packages(distribution: str) -> set[str]:
    """The names of the declared dependencies."""
    return names_of(project_of(distribution)["dependencies"])


def optional_packages(distribution: str) -> set[str]:
    """The names of the dependencies of extras, which may be imported where the extra is at work."""
    extras = project_of(distribution).get("optional-dependencies", {})
    return names_of(requirement for requirements in extras.values() for requirement in requirements)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_a_distribution_declares_exactly_what_it_imports(distribution: str) -> None:
    used = {DISTRIBUTION_OF.get(package, package) for package in imported_packages(distribution)}
    # A plugin distribution needs the core of its own version even before it imports anything of it.
    declared = declared_packages(distribution) - {"gridworld-core"}
    assert used - {"gridworld-core"} - optional_packages(distribution) == declared


def test_only_the_vector_environments_of_the_core_need_gymnasium() -> None:
    source = PACKAGES / "gridworld-core" / "src"
    needing = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "gymnasium" in (text := path.read_text(encoding="utf-8"))
        and any(module.split(".")[0] == "gymnasium" for module, _ in imported_names(text))
    ]
    assert needing == ["gridworld/vector/task_vector_env.py"]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_version_is_written_in_one_file_and_requirements_of_ours_follow_it(distribution: str) -> None:
    folder = PACKAGES / distribution
    settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert (folder / settings["tool"]["hatch"]["version"]["path"]).resolve() == VERSION_FILE
    assert list(folder.rglob("_version.py")) == ([VERSION_FILE] if distribution == "gridworld-core" else [])
    extras = settings["project"].get("optional-dependencies", {})
    required = chain(settings["project"]["dependencies"], *extras.values())
    of_ours = [Requirement(each) for each in required if each.startswith(tuple(DISTRIBUTIONS))]
    minor = __version__.rpartition(".")[0]
    assert {str(requirement.specifier) for requirement in of_ours} <= {f"=={minor}.*"}
