"""The same seeds give the same tasks on every version of Python, and however sets happen to be ordered."""

import hashlib
import json

import pytest

from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld_generators.plugin import MAZES

DIGESTS = {
    "braided_maze": "95cee416967b2a6f",
    "cave": "63cfdf8770169a57",
    "open_rooms": "e3fe38e18dcac1e5",
    "perfect_maze": "b2c0cfe5e1c4b98a",
    "rooms_and_corridors": "4d5d59f0a45d6535",
    "spiral": "fc260794d5766326",
}
"""The first digits of the SHA-256 of a few tasks of each family. A change here changes the tasks of every recipe."""


def digest(name: str) -> str:
    family = load_object(get_registry().generators.get(name).target)(depth=2, decoys=2)
    tasks = [task.to_dict() for seed in range(5) for task in family.draw(seed).tasks]
    return hashlib.sha256(json.dumps(tasks, sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", [name for name, _, _ in MAZES])
def test_the_tasks_of_these_seeds_are_these(name: str) -> None:
    assert digest(name) == DIGESTS[name]
