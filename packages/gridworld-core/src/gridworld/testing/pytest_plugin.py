"""Opt-in pytest fixtures for testing plugins.

Put this into the ``conftest.py`` at the root of the tests, or into a test module:

    pytest_plugins = ["gridworld.testing.pytest_plugin"]

The toolkit is not imported until a test uses a fixture. The fixtures need pytest (``pip install
'gridworld-core[testing]'``), unlike the rest of `gridworld.testing`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gridworld.plugins import Registry
    from gridworld.world import Episode, World

__all__ = ["small_episode", "small_world", "use_plugin"]


@pytest.fixture
def small_world() -> World:
    """A compiled room of 6 x 4 square cells with a red key, a block, a switch and its gate; the goal is at (6, 4)."""
    from gridworld.testing.stage import stage_task
    from gridworld.world import compile_world, square_topology

    task = stage_task()
    return compile_world(task, square_topology(*task.maze.dimensions))


@pytest.fixture
def small_episode(small_world: World) -> Episode:
    """An episode at the start of `small_world`."""
    from gridworld.world import Episode

    episode = Episode(small_world)
    episode.reset()
    return episode


@pytest.fixture
def use_plugin() -> Iterator[Callable[[Path], Registry]]:
    """A function that loads a plugin's file for the rest of the test, as ``--plugin FILE`` does for a command."""
    from gridworld.plugins import load_registry, using_registry

    with ExitStack() as context:

        def use(file: Path) -> Registry:
            context.callback(sys.modules.pop, file.stem, None)
            return context.enter_context(using_registry(load_registry(files=[str(file)])))

        yield use
