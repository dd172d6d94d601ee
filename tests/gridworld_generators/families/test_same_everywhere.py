"""The same seeds give the same tasks on every version of Python, and however sets happen to be ordered."""

import hashlib
import json

import pytest

from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld_generators.plugin import MAZES

DIGESTS = {
    "braided_maze": "3b4cfebe8ad15990",
    "cave": "bd3ed3c87ad98ec0",
    "open_rooms": "2e6278e3313556ca",
    "perfect_maze": "2a7c75c83b01b459",
    "rooms_and_corridors": "d5d235e9fa8593a8",
    "spiral": "64fbee0c8d4162d1",
}
"""The first digits of the SHA-256 of a few tasks of each family. A change here changes the tasks of every recipe."""


def digest(name: str) -> str:
    family = load_object(get_registry().generators.get(name).target)(depth=2, decoys=2)
    tasks = [task.to_dict() for seed in range(5) for task in family.draw(seed).tasks]
    return hashlib.sha256(json.dumps(tasks, sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", [name for name, _, _ in MAZES])
def test_the_tasks_of_these_seeds_are_these(name: str) -> None:
    assert digest(name) == DIGESTS[name]
