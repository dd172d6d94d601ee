"""One-way floors are what every mechanism has to be."""

from gridworld.hookspecs import DIRECTION_WORDS
from gridworld.testing import MechanismConformance, PluginModuleConformance
from gridworld_example_one_way.one_way import ONE_WAY


class TestOneWay(MechanismConformance):
    mechanism = ONE_WAY
    examples = tuple({"id": "o1", "position": [3, 2], "direction": direction} for direction in DIRECTION_WORDS)


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_one_way.one_way"
