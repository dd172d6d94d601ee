"""The tour is what every goal type has to be."""

from gridworld.testing import GoalConformance, PluginModuleConformance
from gridworld_example_tour.tour import TOUR


class TestTour(GoalConformance):
    goal = TOUR
    examples = (
        {"waypoints": [[6, 1], [1, 4]]},
        {"waypoints": [[2, 4], [5, 1]], "in_order": True},
        {"waypoints": [[6, 2]], "come_back": True},
    )


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_tour.tour"
