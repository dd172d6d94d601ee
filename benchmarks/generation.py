"""How many certified tasks are generated in a second of processor time, for each tier and tiling.

A task counts when it is drawn, proved on the tiling and unlike all before; what is thrown away takes time, too.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from figures import Effort, Figure, Measure
from gridworld.generation.making import Made, make_all
from gridworld.generation.recipe import Recipe
from gridworld.plugins import get_registry

MIXED = {"size": "9-11", "decoys": "0-2"}
FAMILIES: Mapping[str, Sequence[tuple[str, Mapping[str, str]]]] = {
    "mazes": (("perfect_maze", {"tier": "1", "size": "9-13"}), ("cave", {"tier": "1", "size": "11-13"})),
    "keys": (
        ("perfect_maze", {**MIXED, "tier": "2", "depth": "1-2"}),
        ("open_rooms", {**MIXED, "tier": "2", "depth": "1-2"}),
    ),
    "switches": (
        ("perfect_maze", {**MIXED, "tier": "3", "depth": "1-3"}),
        ("open_rooms", {**MIXED, "tier": "3", "depth": "1-3"}),
        ("spiral", {**MIXED, "tier": "3", "depth": "1-2"}),
    ),
    "hazards": (("hazard_field", {}), ("lava_rivers", {})),
    "blocks": (("warehouse", {"blocks": "1"}),),
    "unseen": (
        ("perfect_maze", {"tier": "5", "size": "9-11", "depth": "1-2", "observability": "view_cone,fog_of_war"}),
        ("open_rooms", {"tier": "5", "size": "9-11", "depth": "1-2", "hidden": "1"}),
        ("teleporter_house", {}),
    ),
}
"""What is generated: families with parameters."""


def measure_families(families: Sequence[tuple[str, Mapping[str, str]]], effort: Effort) -> Iterator[Figure]:
    """About thirty tasks of families on each tiling, once."""
    list(make_all([Recipe(family="perfect_maze", count=1)]))  # everything is imported before anything is measured
    count = max(1, effort.times(30) // len(families))
    for tiling in get_registry().tilings.names():
        recipes = [
            Recipe(family=family, count=count, seed=5, tilings=(tiling,), parameters=parameters)
            for family, parameters in families
        ]
        started = time.process_time()
        made = sum(isinstance(found, Made) for found in make_all(recipes))
        yield Figure(tiling, made / (time.process_time() - started), "tasks/s")


MEASURES: Mapping[str, Measure] = {name: partial(measure_families, families) for name, families in FAMILIES.items()}
