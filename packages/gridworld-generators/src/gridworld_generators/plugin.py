"""The plugin of this distribution: families of tasks, and importers of levels in text form."""

from collections.abc import Iterable

from gridworld.hookspecs import GeneratorInfo, hookimpl


@hookimpl
def gridworld_generators() -> Iterable[GeneratorInfo]:
    return [
        GeneratorInfo(
            "perfect_maze",
            "Mazes with one way between any two places.",
            "gridworld_generators.families.perfect_maze:PerfectMaze",
        )
    ]
