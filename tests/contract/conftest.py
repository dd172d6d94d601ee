"""The contract is tested through a backend, as users see it."""

from collections.abc import Callable
from typing import Any

import pytest

from gridworld.backends.base import GridState
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from support.worlds import LETTERS, describe_every_field

Played = Callable[[TaskSpecification, str], GridState]


@pytest.fixture
def played() -> Played:
    """Plays the letters of `worlds.play` from the start of a task, and gives the state that they lead to."""

    def play(task: TaskSpecification, letters: str) -> GridState:
        backend = MiniGridBackend(render_mode=None)
        backend.configure(task)
        backend.reset()
        for letter in letters.replace(" ", ""):
            backend.step(LETTERS[letter])
        return backend.get_state()

    return play


@pytest.fixture
def full() -> dict[str, Any]:
    """The contents of a valid task file with one of each mechanism, a dependency chain and a distractor."""
    return describe_every_field()
