"""The plugin of this distribution: families of tasks, and importers of levels in text formats."""

from collections.abc import Iterable

from gridworld.hookspecs import BenchmarkInfo, GeneratorInfo, ImporterInfo, hookimpl

MAZES = (
    ("braided_maze", "Mazes with loops and few dead ends.", "families.mazes:BraidedMaze"),
    ("cave", "Irregular halls and necks.", "families.rooms:Cave"),
    ("open_rooms", "A hall split into rooms by partitions.", "families.rooms:OpenRooms"),
    ("perfect_maze", "Mazes with one way between any two places.", "families.mazes:PerfectMaze"),
    ("rooms_and_corridors", "Small rooms in the rock, joined by corridors.", "families.rooms:RoomsAndCorridors"),
    ("spiral", "One corridor that winds to the middle.", "families.mazes:Spiral"),
)
"""Families of mazes, derived from `gridworld_generators.families.family.Family`: name, summary, module and class."""

PUZZLES = (
    ("hazard_field", "Open ground strewn with hazards, between which a way winds.", "families.hazards:HazardField"),
    ("islet", "A scrap of ground among hazards: whether a model holds still.", "families.hazards:Islet"),
    ("lava_rivers", "Rivers of lava across a hall, each with one ford.", "families.hazards:LavaRivers"),
    ("teleporter_house", "Rooms without doors, joined by teleporters.", "families.teleporter_house:TeleporterHouse"),
    ("warehouse", "Blocks to be pushed onto their targets.", "families.blocks:Warehouse"),
    ("weights", "Blocks to be left on the plates that hold gates open.", "families.blocks:Weights"),
)
"""Families of puzzles, derived from `gridworld_generators.families.family.Puzzle`: name, summary, module and class."""

MATCHED = (
    ("decoy_ladder", "Sets: one task with 0, 1, 2, 4 and 8 decoys.", "matched.ladders:DecoyLadder"),
    ("depth_ladder", "Sets: one maze with chains of 0 to 6 steps.", "matched.ladders:DepthLadder"),
    ("mirrored", "Pairs: a task, and the same upside down.", "matched.variants:Mirroring"),
    ("order", "Pairs: a key before a switch, and a switch before a key.", "matched.variants:Order"),
    (
        "path_choice",
        "Sets: a short way through mechanisms and a long open one, and the reverse.",
        "matched.path_choice:PathChoice",
    ),
    ("recolored", "Pairs: a task, and the same in other colours.", "matched.variants:Recoloring"),
    ("sight", "Sets: one task in full sight, in a cone and in fog.", "matched.variants:Sight"),
    ("turned", "Sets: one task in the eight positions of a square.", "matched.variants:Turning"),
)
"""Sets of matched tasks: name, summary, module and class."""


@hookimpl
def gridworld_generators() -> Iterable[GeneratorInfo]:
    return [
        GeneratorInfo(name, summary, f"gridworld_generators.{target}")
        for name, summary, target in (*MAZES, *PUZZLES, *MATCHED)
    ]


@hookimpl
def gridworld_benchmarks() -> Iterable[BenchmarkInfo]:
    return [
        BenchmarkInfo(
            "fresh_100",
            "A hundred generated tasks in five tiers, for development: their seeds are published.",
            package="gridworld_generators",
            folder="suites/fresh_100.toml",
        )
    ]


@hookimpl
def gridworld_importers() -> Iterable[ImporterInfo]:
    return [
        ImporterInfo(
            "ascii",
            "Drawings: maps of characters with a legend, as 'multinet tasks show' prints them.",
            "gridworld_generators.importers.ascii:AsciiImporter",
        ),
        ImporterInfo(
            "sokoban",
            "Levels of Sokoban in its common text format.",
            "gridworld_generators.importers.sokoban:SokobanImporter",
        ),
    ]
