"""Timers are what every mechanism has to be."""

from gridworld.testing import MechanismConformance, PluginModuleConformance
from gridworld_example_timer.timer import TIMERS


class TestTimers(MechanismConformance):
    mechanism = TIMERS
    examples = (
        {"id": "t1", "position": [3, 2], "controls": ["stage-gate"], "period": 1},
        {"id": "t1", "position": [3, 2], "controls": ["stage-gate"], "period": 4},
        {"id": "t1", "position": [3, 2], "period": 3},
    )


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_timer.timer"
