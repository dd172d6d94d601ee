"""Waypoints are what every mechanism has to be, and the tour what every goal type has to be."""

from collections.abc import Mapping
from typing import Any

from gridworld.hookspecs import TaskSpecification
from gridworld.testing import GoalConformance, MechanismConformance, PluginModuleConformance
from gridworld.testing.stage import stage
from gridworld_example_tour.visit_in_order import VISIT_IN_ORDER
from gridworld_example_tour.waypoints import WAYPOINTS


class TestWaypoints(MechanismConformance):
    mechanism = WAYPOINTS


class TestVisitInOrder(GoalConformance):
    goal = VISIT_IN_ORDER
    examples = ({},)
    together_with = (WAYPOINTS,)

    def task_with(self, entry: Mapping[str, Any]) -> TaskSpecification:
        first = {"id": "w1", "position": [5, 1], "number": 1}
        second = {"id": "w2", "position": [2, 4], "number": 2}
        return TaskSpecification.from_dict(stage({"waypoints": [first, second]}, {**entry, "type": "visit_in_order"}))


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_tour.plugin"
