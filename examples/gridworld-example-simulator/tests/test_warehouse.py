"""The warehouse is what every backend has to be, on tasks with badges and shutters too."""

from gridworld.testing import BackendConformance, PluginModuleConformance
from gridworld_example_simulator.backend import WarehouseBackend

LOCKED = {
    "task_id": "locked",
    "seed": 1,
    "difficulty_tier": 2,
    "maze": {"dimensions": [7, 5], "walls": [[3, 1], [3, 3]], "start": [1, 1], "goal": [5, 3]},
    "mechanisms": {
        "keys": [{"id": "red-key", "position": [2, 1], "color": "red"}],
        "doors": [{"id": "red-door", "position": [3, 2], "requires_key": "red"}],
    },
    "goal": {"type": "reach_position"},
    "max_steps": 60,
}
AJAR = {
    **LOCKED,
    "task_id": "ajar",
    "mechanisms": {"doors": [{"id": "door", "position": [3, 2], "initial_state": "closed"}]},
}


class TestWarehouse(BackendConformance):
    backend = WarehouseBackend
    tasks = (LOCKED, AJAR)


class TestWarehouseOnTheTasksOfTheKit(BackendConformance):
    backend = "warehouse"


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_simulator"
