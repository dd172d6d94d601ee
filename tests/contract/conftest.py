"""What the contract says is looked at through a backend, as any user of the toolkit would."""

from collections.abc import Callable
from typing import Any

import pytest

from gridworld.backends.base import GridState
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from worlds import LETTERS, block, describe, door, gate, hazard, key, switch, teleporter

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
    data = describe(
        """
        #########
        #@kd.sg.#
        #.b.h...#
        #t..u..G#
        #########
        """,
        k=key("red"),
        d=door("red", "locked"),
        s=switch("g", color="blue", switch_type="one_shot", initial_state="off"),
        g=gate("closed"),
        b=block(pushable=True, color="green"),
        tu=teleporter(bidirectional=False),
        h=hazard("spike"),
        rules={
            "key_consumption": True,
            "switch_type": "hold",
            "hidden_mechanisms": ["s"],
            "observability": "fog_of_war",
            "view_size": 5,
        },
        goal={"type": "reach_position", "target": "G"},
    )
    return {
        **data,
        "version": "2.0",
        "description": "One of each.",
        "dependency_chain": {
            "depth": 1,
            "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "d"}],
            "notation": "k -> d -> G",
        },
        "distractors": [{"type": "useless_block", "element_id": "b", "description": "Opens nothing."}],
        "metadata": {"author": "someone", "tags": ["one", 2, None]},
    }
