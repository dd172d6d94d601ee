"""Opt-in pytest fixtures for the tests of plugins.

In the ``conftest.py`` at the root of the tests, or in a module of tests:

    pytest_plugins = ["gridworld.testing.pytest_plugin"]

The toolkit is not imported until a test uses a fixture. The fixtures need pytest
(``pip install 'gridworld-core[testing]'``), unlike the rest of `gridworld.testing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gridworld.world import Episode, World

__all__ = ["small_episode", "small_world"]


@pytest.fixture
def small_world() -> World:
    """A compiled room of 6 x 4 cells on squares, with a red key, a block, a switch and its gate, to reach (6, 4)."""
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
