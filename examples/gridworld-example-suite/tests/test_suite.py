"""The suite is what every suite has to be."""

from gridworld.testing import BenchmarkConformance, PluginModuleConformance


class TestSuite(BenchmarkConformance):
    benchmark = "three_rooms"


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_suite"
