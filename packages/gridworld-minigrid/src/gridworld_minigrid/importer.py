"""Importer of stock MiniGrid levels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Literal

import gymnasium
import minigrid  # noqa: F401  (registers its environments with Gymnasium)
from gymnasium.error import Error as GymnasiumError
from minigrid.minigrid_env import MiniGridEnv

from gridworld.errors import ArgumentError
from gridworld.generation.importer import Importer, Inexpressible
from gridworld.generation.recipe import Band
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid.stock_levels import NoCounterpart, task_of_level

LARGEST_SEED = 2**63 - 1


class MiniGridImporter(Importer):
    """Imports the levels that a MiniGrid environment draws from seeds; the source is the environment's id.

    A plan that solves such a task solves the level, action by action, with the same reward, and shortest plans of both
    have the same length. Levels without an equivalent task (`gridworld_minigrid.stock_levels`) are inexpressible.

    Args:
        seeds: seeds of the environment: numbers and ranges, such as ``7`` or ``0-99,200``.
        observability: observability of the tasks. MiniGrid's own is ``view_cone``: 7 x 7 cells ahead of the agent.
    """

    def __init__(self, seeds: str = "0", observability: Literal["full", "view_cone", "fog_of_war"] = "full") -> None:
        self._seeds = [_read_seeds(part) for part in seeds.split(",")]
        self._observability = observability

    def levels(self, source: str) -> Iterator[TaskSpecification | Inexpressible]:
        """Yield the level of each seed; raises `ArgumentError` unless `source` is the id of a MiniGrid environment."""
        env = _make(source)
        try:
            for seed in (seed for band in self._seeds for seed in range(band.least, band.most + 1)):
                env.reset(seed=seed)
                try:
                    yield task_of_level(env, source, seed, self._observability)
                except NoCounterpart as reason:
                    yield Inexpressible(f"{source}, seed {seed}", str(reason))
        finally:
            env.close()


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


def _read_seeds(text: str) -> Band:
    band = Band.parse(text)
    if band.most > LARGEST_SEED:
        raise ValueError(f"seeds: expected numbers of at most {LARGEST_SEED}, got {band.most}")
    return band
