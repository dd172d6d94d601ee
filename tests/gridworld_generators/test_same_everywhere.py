"""The same seeds give the same tasks on every version of Python, and however sets happen to be ordered."""

import hashlib
import json
from typing import Any

import pytest

from gridworld.generation import Generator, NothingDrawn
from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld_generators.plugin import MAZES

GENERATORS: dict[str, type[Generator]] = {
    each.item.name: load_object(each.item.target)
    for each in get_registry().generators
    if each.distribution == "gridworld-generators"
}
PARAMETERS: dict[str, dict[str, Any]] = {name: {"depth": 2, "decoys": 2} for name, _, _ in MAZES}
"""Of those that are not to be the defaults."""

DIGESTS = {
    "braided_maze": "f29e00eeb49ca186",
    "cave": "6e8c4ae387f6e996",
    "decoy_ladder": "721ea6a2ffeca40f",
    "depth_ladder": "ba7008b24051aafa",
    "hazard_field": "24560ee31b1e8c73",
    "islet": "6f92ac6a48d7eef8",
    "lava_rivers": "1615fe0062ce8e66",
    "mirrored": "fc8f72ebe465d54f",
    "open_rooms": "e3fe38e18dcac1e5",
    "order": "9e0c2d870c27c733",
    "path_choice": "aa3004ce5082d78e",
    "perfect_maze": "bfddb15930ded31f",
    "recolored": "a1c4420298befba7",
    "rooms_and_corridors": "8bcc325a3fe310f7",
    "sight": "c55173a9b5ccb1d4",
    "spiral": "fc260794d5766326",
    "teleporter_house": "b6007c100bb66366",
    "turned": "410a72e5467e033b",
    "warehouse": "d6f1b8e6ad9970c9",
    "weights": "b6316d8fc03db9ef",
}
"""The first digits of the SHA-256 of a few tasks of each family. A change here changes the tasks of every recipe."""


def digest(name: str) -> str:
    generator = GENERATORS[name](**PARAMETERS.get(name, {}))
    tasks = [task.to_dict() for seed in range(5) for task in _drawn(generator, seed)]
    return hashlib.sha256(json.dumps(tasks, sort_keys=True).encode()).hexdigest()[:16]


def _drawn(generator: Generator, seed: int) -> tuple[Any, ...]:
    try:
        return generator.draw(seed).tasks
    except NothingDrawn:
        return ()


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_the_tasks_of_these_seeds_are_these(name: str) -> None:
    assert digest(name) == DIGESTS[name]
