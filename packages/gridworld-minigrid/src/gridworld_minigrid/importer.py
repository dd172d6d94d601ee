"""Importer of stock MiniGrid levels."""

from __future__ import annotations

import warnings

import gymnasium
import minigrid  # noqa: F401  (registers its environments with Gymnasium)
from gymnasium.error import Error as GymnasiumError
from minigrid.minigrid_env import MiniGridEnv

from gridworld.errors import ArgumentError
from gridworld.generation.object_levels import ObjectLevel, SeededImporter
from gridworld.support.wording import nearest_hint
from gridworld_minigrid.stock_levels import level_of


class MiniGridImporter(SeededImporter):
    """Imports the levels that a MiniGrid environment draws from seeds, as `SeededImporter` says."""

    library = "minigrid"

    def make(self, name: str) -> MiniGridEnv:
        """Make an environment by its id."""
        return _make(name)

    def read(self, environment: MiniGridEnv, seed: int) -> ObjectLevel:
        """Return the level of a seed."""
        environment.reset(seed=seed)
        return level_of(environment)


def _make(name: str) -> MiniGridEnv:
    if name not in gymnasium.registry:
        known = [each for each in gymnasium.registry if each.startswith("MiniGrid-")]
        raise ArgumentError(
            f"unknown environment '{name}'{nearest_hint(name, known)}; expected a MiniGrid environment id"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # older versions of an id are requested deliberately
            env = gymnasium.make(name, disable_env_checker=True).unwrapped
    except (GymnasiumError, ImportError) as error:
        raise ArgumentError(f"the environment '{name}' cannot be made: {error}") from error
    if not isinstance(env, MiniGridEnv):
        raise ArgumentError(f"'{name}' is not a MiniGrid environment")
    return env
