"""Belts are what every mechanism has to be."""

from gridworld.testing import MechanismConformance, PluginModuleConformance
from gridworld_example_belt.belt import BELTS


class TestBelts(MechanismConformance):
    mechanism = BELTS
    examples = tuple({"id": "b1", "position": [3, 2], "direction": direction} for direction in range(4))


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_belt.belt"
