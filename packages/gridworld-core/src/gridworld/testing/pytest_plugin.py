"""Opt-in pytest fixtures for testing plugins.

Put this into the ``conftest.py`` at the root of the tests, or into a test module:

    pytest_plugins = ["gridworld.testing.pytest_plugin"]

The toolkit is not imported until a test uses a fixture. The fixtures need pytest (``pip install
'gridworld-core[testing]'``), unlike the rest of `gridworld.testing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gridworld.testing.plugin_tester import PluginTester
    from gridworld.world import Episode, World

__all__ = ["plugin_tester", "small_episode", "small_world"]


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
def plugin_tester(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginTester]:
    """Plugins that are active during a test without being installed."""
    from gridworld.testing.plugin_tester import PluginTester

    with ExitStack() as context:
        yield PluginTester(tmp_path_factory.mktemp("plugins"), monkeypatch, context)
