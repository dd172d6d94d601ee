"""How many certified tasks are generated in a second of processor time, for each tier and tiling.

    python benchmarks/generation.py [--count N] [--tilings square,hex]

A task counts when it is drawn, proved on the tiling and unlike all before; what is thrown away takes time, too.
"""

import argparse
import time
from collections.abc import Mapping, Sequence

from gridworld.generation.making import Made, make_all
from gridworld.generation.recipe import Recipe
from gridworld.plugins import get_registry

MIXED = {"size": "9-11", "decoys": "0-2"}
TIERS: Mapping[str, Sequence[tuple[str, Mapping[str, str]]]] = {
    "1, mazes": (("perfect_maze", {"tier": "1", "size": "9-13"}), ("cave", {"tier": "1", "size": "11-13"})),
    "2, keys": (
        ("perfect_maze", {**MIXED, "tier": "2", "depth": "1-2"}),
        ("open_rooms", {**MIXED, "tier": "2", "depth": "1-2"}),
    ),
    "3, switches": (
        ("perfect_maze", {**MIXED, "tier": "3", "depth": "1-3"}),
        ("open_rooms", {**MIXED, "tier": "3", "depth": "1-3"}),
        ("spiral", {**MIXED, "tier": "3", "depth": "1-2"}),
    ),
    "4, hazards": (("hazard_field", {}), ("lava_rivers", {})),
    "4, blocks": (("warehouse", {"blocks": "1"}),),
    "5, hidden, fog, portals": (
        ("perfect_maze", {"tier": "5", "size": "9-11", "depth": "1-2", "observability": "view_cone,fog_of_war"}),
        ("open_rooms", {"tier": "5", "size": "9-11", "depth": "1-2", "hidden": "1"}),
        ("teleporter_house", {}),
    ),
}
"""What is generated: families with parameters."""


def measure(families: Sequence[tuple[str, Mapping[str, str]]], tiling: str, count: int) -> float:
    """Tasks a second of processor time."""
    each = max(1, count // len(families))
    recipes = [
        Recipe(family=family, count=each, seed=5, tilings=(tiling,), parameters=parameters)
        for family, parameters in families
    ]
    begun = time.process_time()
    made = sum(isinstance(found, Made) for found in make_all(recipes))
    return made / (time.process_time() - begun)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30, help="tasks for each tier and tiling")
    parser.add_argument("--tilings", default=",".join(get_registry().tilings.names()))
    arguments = parser.parse_args()
    tilings = arguments.tilings.split(",")
    list(make_all([Recipe(family="perfect_maze", count=1)]))  # everything is imported before anything is measured
    print(f"{'certified tasks a second':26s}" + "".join(f"{tiling:>10s}" for tiling in tilings))
    for tier, families in TIERS.items():
        rates = [measure(families, tiling, arguments.count) for tiling in tilings]
        print(f"tier {tier:21s}" + "".join(f"{rate:10.1f}" for rate in rates), flush=True)


if __name__ == "__main__":
    main()
