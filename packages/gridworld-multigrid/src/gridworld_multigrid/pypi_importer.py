"""Importer of levels of the package ``multigrid``; importing this module does not import the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridworld.generation.object_levels import ObjectLevel, SeededImporter
from gridworld_multigrid.pypi_package import needing_multigrid

if TYPE_CHECKING:
    from multigrid.base import MultiGridEnv


class MultiGridImporter(SeededImporter):
    """Imports the levels that an environment of the package ``multigrid`` draws for one agent.

    See `SeededImporter`. The package's own ``reset(seed=...)`` does not reproduce levels, since it draws them from
    another generator; a level of a seed is the one drawn from the seeded generator.
    """

    library = "multigrid"

    def make(self, name: str) -> MultiGridEnv:
        """Make an environment by its id, such as ``MultiGrid-Empty-8x8-v0``."""
        with needing_multigrid():
            from gridworld_multigrid.pypi_levels import make_environment
        return make_environment(name)

    def read(self, environment: MultiGridEnv, seed: int) -> ObjectLevel:
        """Return the level of a seed."""
        from gridworld_multigrid.pypi_levels import level_of, reset_level

        reset_level(environment, seed)
        return level_of(environment)
