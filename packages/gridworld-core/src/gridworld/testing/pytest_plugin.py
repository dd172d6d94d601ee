"""The fixtures that every pytest run has where this distribution is installed with pytest.

Nothing of the toolkit is imported before a test asks for a fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gridworld.world import Episode, World
    from multinet_adapters.testing.model_servers import ModelServer

__all__ = ["model_server", "small_episode", "small_world"]


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


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A server on loopback that speaks Ollama's and OpenAI's protocols and records all that it is sent.

    Its model waits for ever, until a test sets `answer` to another function of the request.
    """
    from multinet_adapters.testing.model_servers import action_json, serve

    with serve(lambda request: action_json("done")) as server:
        yield server
