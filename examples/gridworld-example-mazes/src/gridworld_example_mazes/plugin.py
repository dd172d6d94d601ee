"""The hooks: light, and naming what is imported when it is used."""

from gridworld.hookspecs import GeneratorInfo, ImporterInfo, hookimpl


@hookimpl
def gridworld_generators():
    return [GeneratorInfo("moats", "Walls around the goal, one in the other.", "gridworld_example_mazes.moats:Moats")]


@hookimpl
def gridworld_importers():
    return [ImporterInfo("bits", "Mazes as rows of zeros and ones.", "gridworld_example_mazes.bits:BitsImporter")]
