"""What a model is: something that looks at a picture, reads a mission, and names an action."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    import numpy as np

    from gridworld.world.world import World

__all__ = [
    "EpisodeInfo",
    "ModelInput",
    "ModelInterface",
    "ModelOutput",
    "OracleInterface",
    "RandomModelInterface",
]


@attrs.frozen(eq=False)
class ModelInput:
    """All that a model is given for one step."""

    image: np.ndarray | None
    """The present observation, shape (height, width, 3), uint8; None for a model that is given text only."""
    text_prompt: str
    """The mission."""
    action_space: dict[int, str]
    """Action id to name."""
    step_number: int
    """Actions taken so far, from 0."""
    max_steps: int
    """The budget of actions."""
    additional_context: str | None = None
    """The rolling text history, if it is switched on."""
    prior_images: list[np.ndarray] | None = None
    """Earlier observations, oldest first, if they are switched on."""
    text_observation: str | None = None
    """The present observation in words (`gridworld.text`), for a model that is given text."""


@attrs.frozen
class ModelOutput:
    """A model's answer for one step."""

    action: int
    confidence: float | None = None
    reasoning: str | None = None
    raw_output: str | None = None


@attrs.frozen
class EpisodeInfo:
    """What a model may know of an episode before its first step."""

    task_id: str
    seed: int
    mission: str
    max_steps: int


class ModelInterface(ABC):
    """A model under evaluation."""

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The name under which results are reported."""

    @abstractmethod
    def predict(self, input: ModelInput) -> ModelOutput:
        """Choose an action."""

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Called before each episode; a model that keeps anything between steps starts afresh here."""

    def close(self) -> None:
        """Release what the model holds."""


class OracleInterface(ModelInterface):
    """A baseline that may look behind the picture: it is handed the compiled world, with everything in it."""

    @abstractmethod
    def look_into(self, world: World) -> None:
        """Called before each episode, after `begin_episode`."""


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
