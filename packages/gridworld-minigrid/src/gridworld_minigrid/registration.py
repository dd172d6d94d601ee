"""Registers the environment with Gymnasium; called by Gymnasium itself when it is imported.

``gymnasium.make("Gridworld-v0", task="puzzle.json")`` then works without importing anything of ours.
"""

import gymnasium

__all__ = ["ENVIRONMENT_ID", "register_environments"]

ENVIRONMENT_ID = "Gridworld-v0"


def register_environments() -> None:
    """Register `ENVIRONMENT_ID`, once."""
    if ENVIRONMENT_ID not in gymnasium.registry:
        gymnasium.register(id=ENVIRONMENT_ID, entry_point="gridworld_minigrid.task_parser:make_environment")
