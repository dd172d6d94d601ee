"""The lower baseline: uniformly random actions."""

from __future__ import annotations

import random

from gridworld.model_interface.base import EpisodeInfo, ModelInput, ModelInterface, ModelOutput

__all__ = ["RandomModelInterface"]


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

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Seed the episode from the model's seed, the episode's seed and the task's id."""
        self._random = random.Random(f"{self._seed}/{episode.seed}/{episode.task_id}")

    def predict(self, input: ModelInput) -> ModelOutput:
        """One of the ids of the action space."""
        return ModelOutput(action=self._random.choice(sorted(input.action_space)))
