"""The plugin of this distribution: families of tasks, and importers of levels in text form."""

from collections.abc import Iterable

from gridworld.hookspecs import GeneratorInfo, ImporterInfo, hookimpl


@hookimpl
def gridworld_generators() -> Iterable[GeneratorInfo]:
    return [
        GeneratorInfo(
            "perfect_maze",
            "Mazes with one way between any two places.",
            "gridworld_generators.families.perfect_maze:PerfectMaze",
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
