"""Seeds give the same tasks on every version of Python and with any hash seed."""

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
    "braided_maze": "00b3633aef42a641",
    "cave": "6609fa230b560dbe",
    "decoy_ladder": "721ea6a2ffeca40f",
    "depth_ladder": "b27d676f1e5123e5",
    "hazard_field": "24560ee31b1e8c73",
    "islet": "6f92ac6a48d7eef8",
    "lava_rivers": "1615fe0062ce8e66",
    "mirrored": "897b980dc29c5c16",
    "open_rooms": "08ffabd80f8ee5f1",
    "order": "904947d56b283d7d",
    "path_choice": "e9d2f6123146c167",
    "perfect_maze": "86ef4bb1ae2e19e8",
    "recolored": "b86a094826641f77",
    "rooms_and_corridors": "bae9fb77ab386131",
    "sight": "3ec96096591112ba",
    "spiral": "e9c4c265d430c385",
    "teleporter_house": "b6007c100bb66366",
    "turned": "c8a7a7a6f1005bd2",
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
def test_seeds_give_the_recorded_tasks(name: str) -> None:
    assert digest(name) == DIGESTS[name]
