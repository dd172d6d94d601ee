"""The plugin of this distribution: families of tasks, and importers of levels in text form."""

from collections.abc import Iterable

from gridworld.hookspecs import GeneratorInfo, hookimpl

MAZES = (
    ("braided_maze", "Mazes with loops and few dead ends.", "BraidedMaze"),
    ("cave", "Irregular halls and necks.", "Cave"),
    ("open_rooms", "A hall split into rooms by partitions.", "OpenRooms"),
    ("perfect_maze", "Mazes with one way between any two places.", "PerfectMaze"),
    ("rooms_and_corridors", "Small rooms in the rock, joined by corridors.", "RoomsAndCorridors"),
    ("spiral", "One corridor that winds to the middle.", "Spiral"),
)
"""Families of mazes, which share `gridworld_generators.families.family`: module, summary, class."""


@hookimpl
def gridworld_generators() -> Iterable[GeneratorInfo]:
    return [
        GeneratorInfo(name, summary, f"gridworld_generators.families.{name}:{target}")
        for name, summary, target in MAZES
    ]
