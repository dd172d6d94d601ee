"""Worlds of plugins in processes where these plugins are not registered, or others in their place."""

import inspect
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, World
from gridworld.world.digest import digest
from support.plugins import EXAMPLES, on_every_tiling, write_distribution
from support.programs import run_python
from support.tilings import compiled_on
from support.worlds import Thing, draw, key

STEPS = 80


def walked(world: World, actions: list[int]) -> list[str]:
    """The digest of each moment of a walk, which begins anew where an episode ends."""
    episode = Episode(world)
    episode.reset()
    digests = [digest(world, episode.snapshot)]
    for action in actions:
        if episode.terminated or episode.truncated:
            episode.reset()
        episode.step(action)
        digests.append(digest(world, episode.snapshot))
    return digests


WALK = f"""
import json, pickle, sys
from pathlib import Path

from gridworld.plugins import get_registry
from gridworld.world import Episode, World
from gridworld.world.digest import digest

{inspect.getsource(walked)}

world, actions = pickle.loads(Path(sys.argv[1]).read_bytes())
mechanisms, goals = get_registry().mechanisms, get_registry().goals
known = ["ice" in mechanisms, "one_way" in mechanisms, "belts" in mechanisms, "tour" in goals]
json.dump([known, walked(world, actions)], sys.stdout)
"""


def walk_of(path: Path) -> str:
    """The program for a pickled world and the actions to take in it."""
    return f"import sys; sys.argv[1:] = [{str(path)!r}]\n{WALK}"


OTHERS = """
import attrs
from gridworld.hookspecs import Glyph, MechanismType, Position, Trait, hookimpl, to_position


@attrs.frozen
class Spec:
    id: str
    position: Position = attrs.field(converter=to_position)


@hookimpl
def gridworld_mechanisms():
    return [
        MechanismType(
            name="ice",
            noun="thick ice",
            summary="Not the ice of the example.",
            spec=Spec,
            traits=lambda spec, value: Trait.SOLID,
            glyph=lambda spec, value: Glyph(()),
        )
    ]
"""


def task_of_all_examples() -> TaskSpecification:
    return draw(
        """
        #########
        #@...k..#
        #..i.j..#
        #..w....#
        #..>..G.#
        #########
        """,
        goal={"type": "tour", "waypoints": [[2, 1], [3, 1], [4, 4]]},
        max_steps=40,
        **dict.fromkeys("ij", Thing("ice", {})),
        w=Thing("one_way", {"direction": "down"}),
        k=key("red"),
        **{">": Thing("belts", {"direction": 0})},
    )


def walked_elsewhere(folder: Path, world: World, actions: list[int], *further: Path) -> Any:
    """Which of the examples' things are registered in another process, and the digests of the walk there."""
    path = folder / "world.pickle"
    path.write_bytes(pickle.dumps((world, actions)))
    finished = run_python(
        f"import sys; sys.argv[1:] = [{str(path)!r}]\n{WALK}", [*further, *(each.source for each in EXAMPLES.values())]
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


@pytest.mark.more
@on_every_tiling
def test_a_world_is_the_same_where_its_plugins_can_be_imported_but_are_not_registered(
    tiling: str, tmp_path: Path
) -> None:
    world = compiled_on(tiling, task_of_all_examples())
    rng = random.Random(tiling)
    actions = [rng.choice((0, 1, 2, 2, 2, 3, 4, 5)) for _ in range(STEPS)]
    here = walked(world, actions)
    assert walked_elsewhere(tmp_path, world, actions) == [[False] * 4, here]
    assert len(set(here)) > STEPS / 4


def test_a_world_is_the_same_where_another_plugin_has_taken_a_name(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_distribution(site, "glacier", "1.0", {"glacier": "glacier_plugin"}, {"glacier_plugin.py": OTHERS})
    world = compiled_on("square", task_of_all_examples())
    rng = random.Random(7)
    actions = [rng.choice((0, 1, 2, 2, 2)) for _ in range(STEPS)]
    assert walked_elsewhere(tmp_path, world, actions, site) == [[True, False, False, False], walked(world, actions)]


@pytest.mark.more
def test_where_the_plugin_is_missing_it_is_said_what_cannot_be_imported(tmp_path: Path) -> None:
    path = tmp_path / "world.pickle"
    path.write_bytes(pickle.dumps((compiled_on("square", task_of_all_examples()), [])))
    finished = run_python(walk_of(path), [])
    assert finished.returncode == 1
    assert "gridworld_example_" in finished.stderr.splitlines()[-1]
