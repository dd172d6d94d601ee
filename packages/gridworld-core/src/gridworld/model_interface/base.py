"""`ModelInterface`: the interface of models, with its inputs and outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.explaining.explanation import Explanation
from gridworld.model_interface.answers import Usage

if TYPE_CHECKING:
    import numpy as np

    from gridworld.model_interface.answers import AnswerFault
    from gridworld.model_interface.steps import Step
    from gridworld.world.state import State
    from gridworld.world.world import World


def _at_least_one(form: ReplyForm, attribute: Any, value: int | None) -> None:
    if value is not None and value < 1:
        raise ValueError(f"{attribute.name} must be at least 1, got {value}")


@attrs.frozen
class ReplyForm:
    """Content of a reply, apart from its reasoning.

    Raises:
        ValueError: `max_actions` is less than 1.
    """

    max_actions: int | None = attrs.field(default=1, validator=_at_least_one)
    """Maximum number of actions; None for no limit."""
    subgoal: bool = False
    """Whether the reply names a subgoal in words."""
    note_length: int = 0
    """Maximum length of the model's note to itself, in characters; 0 for no note."""

    @property
    def holds_one_action(self) -> bool:
        """Whether a single action is expected instead of a list."""
        return self.max_actions == 1 and not self.subgoal


ONE_ACTION = ReplyForm()
"""A single action and nothing else; every model supports it."""


@attrs.frozen(eq=False)
class ModelInput:
    """Input of a model for one step."""

    image: np.ndarray | None
    """Current observation, shape (height, width, 3), uint8; None for text-only observations."""
    text_prompt: str
    """The mission."""
    action_space: dict[int, str]
    """Action id to name."""
    step_number: int
    """Actions taken so far, from 0."""
    max_steps: int
    """The budget of actions."""
    additional_context: str | None = None
    """Rolling text history, if enabled."""
    prior_images: list[np.ndarray] | None = None
    """Earlier observations, oldest first, if enabled."""
    text_observation: str | None = None
    """Current observation in words (`gridworld.text`), if enabled."""
    explanation: Explanation | None = None
    """Legend, rules and worked examples; the same at every step."""
    correction: str | None = None
    """Problem of the last answer, to be shown to the model; set when the step's request is repeated."""
    attempt: int = 0
    """Number of unusable answers to this step so far; requests repeated after server faults keep their number."""
    reply: ReplyForm = ONE_ACTION
    """Requested form of the answer."""
    feedback: str | None = None
    """Effects of the actions since the last question, one per line, if enabled."""
    note: str | None = None
    """The model's last note to itself, if notes are enabled."""
    turns: tuple[Turn, ...] = ()
    """Earlier questions and answers of a conversation, oldest first."""
    episode: EpisodeInfo | None = None
    """Episode of the question, for models that answer several at once; None outside of episodes."""


@attrs.frozen(eq=False)
class Turn:
    """A question of a conversation with the model's reply."""

    input: ModelInput
    """Input without turns; old turns have no picture."""
    reply: str


@attrs.frozen
class ModelOutput:
    """Answer of a model for one step; a model without an action raises `AnswerFault` instead."""

    action: int
    """Action id; ids outside the action space are illegal answers and change nothing in the world."""
    confidence: float | None = None
    """Self-reported confidence, 0 to 1."""
    reasoning: str | None = None
    raw_output: str | None = None
    """The reply as received."""
    usage: Usage | None = None
    """Cost of the call."""
    actions: tuple[int, ...] | None = None
    """All actions of the reply, `action` first, if `ModelInput.reply` allows several; None for `action` alone."""
    subgoal: str | None = None
    """Purpose of the actions, if `ModelInput.reply` asks for it."""
    note: str | None = None
    """New note to itself, if `ModelInput.reply` allows it; None keeps the last note."""
    left_out: tuple[str, ...] = ()
    """Parts left out of the request because the server refuses them, such as ``structured output``."""


@attrs.frozen
class EpisodeInfo:
    """Facts about an episode that a model may know before its first step."""

    task_id: str
    seed: int
    mission: str
    max_steps: int


class ModelInterface(ABC):
    """A model under evaluation."""

    @property
    @abstractmethod
    def model_name(self) -> str:
        """Name in reported results."""

    @abstractmethod
    def predict(self, input: ModelInput) -> ModelOutput:
        """Choose an action.

        Raises:
            AnswerFault: the model has no usable answer.
        """

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Prepare for an episode; models with state between steps reset it here."""

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Restore the state after some steps played by another process; called after `begin_episode`.

        Args:
            episode: the episode.
            steps: the steps so far with all requests and answers. The effect of an unfinished last step is unknown.

        Returns:
            Whether the state is restored; otherwise the episode starts over. Models without state between steps
            return True. By default False.
        """
        return False

    def can_reply(self, form: ReplyForm) -> bool:
        """Whether the model can reply in a form; by default only with a single action."""
        return form == ONE_ACTION

    @property
    def looks_at_pictures(self) -> bool:
        """Whether the model may look at pictures; otherwise none are drawn. By default True."""
        return True

    @property
    def seeding(self) -> str | None:
        """Name of the rule that derives sampling seeds, if seeds affect the answers; by default None.

        It is part of a run's fingerprint: runs recorded with another rule are not resumed.
        """
        return None

    @property
    def shareable(self) -> bool:
        """Whether several threads may share the model, each for its own episodes; otherwise each makes its own."""
        return False

    def close(self) -> None:
        """Release resources."""


class BatchModel(ModelInterface):
    """A model without state between steps that answers questions of several episodes at once.

    `ModelInput.episode` identifies the episode of a question, for example to seed its sampling.
    """

    @abstractmethod
    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        """Choose an action for each input, in order; faults are returned instead of raised."""


class OracleInterface(ModelInterface):
    """A baseline that is given the compiled world with its full state."""

    @abstractmethod
    def look_into(self, world: World) -> None:
        """Take on the world of an episode; called after `begin_episode`."""

    def observe(self, state: State) -> None:
        """Take on the current state; called before each `predict`.

        Before a `predict_batch` it is called for each input, in order.
        """
