"""The format is what every format of observations has to be."""

from gridworld.testing import ObservationConformance, PluginModuleConformance
from gridworld_example_surroundings.surroundings import write_surroundings


class TestSurroundings(ObservationConformance):
    observation = write_surroundings


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_surroundings"
