"""The lower baseline: uniformly random actions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface.base import EpisodeInfo, ModelInput, ModelInterface, ModelOutput

if TYPE_CHECKING:
    from gridworld.runner.record import Step

__all__ = ["RandomModelInterface"]


ACTIONS = sorted(ACTION_SPACE)


class RandomModelInterface(ModelInterface):
    """Uniformly random actions, seeded by episode: the same in any order and on any worker.

    Args:
        seed: another seed gives another run; it is combined with the seed of each episode.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._random = random.Random(seed)

    @property
    def model_name(self) -> str:
        """``random``."""
        return "random"

    @property
    def looks_at_pictures(self) -> bool:
        """False, but for a subclass that decides by itself."""
        return type(self).predict is not RandomModelInterface.predict

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Seed the episode from the model's seed, the episode's seed and the task's id."""
        self._random = random.Random(f"{self._seed}/{episode.seed}/{episode.task_id}")

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Draw as often as was drawn before."""
        for _ in range(sum(len(step.requests) for step in steps)):
            self._random.choice(ACTIONS)
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """One of the ids of the action space."""
        return ModelOutput(action=self._random.choice(sorted(input.action_space)))
