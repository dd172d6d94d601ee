"""Puts the distributions of ``examples/`` on the path as an installer would, and plays in their worlds."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import pytest

from gridworld.plugins import Registry, get_registry, load_registry
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, World, compile_world
from plugin_factory import write_distribution
from tessellations import make_topology

__all__ = [
    "EXAMPLES",
    "TILINGS",
    "Example",
    "example_catalogs",
    "install_examples",
    "load_from",
    "on_every_tiling",
    "prepend",
    "win",
    "world_on",
]

FOLDER = Path(__file__).parents[1] / "examples"


@attrs.frozen
class Example:
    """One of the example distributions, as its ``pyproject.toml`` describes it."""

    folder: Path

    @property
    def project(self) -> dict[str, Any]:
        """The table ``[project]``."""
        with (self.folder / "pyproject.toml").open("rb") as file:
            project: dict[str, Any] = tomllib.load(file)["project"]
        return project

    @property
    def source(self) -> Path:
        """The folder that holds its import package."""
        return self.folder / "src"

    @property
    def entry_points(self) -> dict[str, str]:
        """Entry point name to module, in the group ``gridworld``."""
        listed: dict[str, str] = self.project["entry-points"]["gridworld"]
        return listed


EXAMPLES = {folder.name: Example(folder) for folder in sorted(FOLDER.glob("gridworld-example-*"))}


def install_examples(site: Path) -> list[Path]:
    """Write the metadata of all examples into a folder; returns what has to be on the path."""
    for example in EXAMPLES.values():
        project = example.project
        write_distribution(site, project["name"], project["version"], example.entry_points, {}, project["dependencies"])
    return [site, *(example.source for example in EXAMPLES.values())]


def prepend(folders: Iterable[Path], patch: pytest.MonkeyPatch) -> None:
    """Put folders on the path, in front."""
    for folder in folders:
        patch.syspath_prepend(folder)


def load_from(folders: Iterable[Path]) -> Registry:
    """All that is installed, with what lies in folders that are on the path for as long as it takes to load them."""
    with pytest.MonkeyPatch.context() as patch:
        prepend(folders, patch)
        return load_registry()


@cache
def example_catalogs() -> Registry:
    """The types of the examples beside the installed ones, to be handed to what reads and compiles tasks.

    The registry in use stays as it is.
    """
    with TemporaryDirectory() as site:
        return load_from(install_examples(Path(site)))


TILINGS = sorted({*get_registry().tilings.names(), "rhombille"})
on_every_tiling = pytest.mark.parametrize("tiling", TILINGS)


def world_on(tiling: str, task: TaskSpecification) -> World:
    """A task compiled on a tiling."""
    return compile_world(task, make_topology(tiling, task.maze.dimensions))


def win(world: World) -> Episode:
    """The episode of a shortest plan, played to its end."""
    plan = solve(world).plan
    assert plan is not None
    episode = Episode(world)
    episode.reset()
    for action in plan:
        assert not episode.terminated
        episode.step(action)
    assert episode.succeeded
    return episode
