"""`ModelInterface`: the interface of models, with its inputs and outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.explaining.explanation import Explanation
from gridworld.model_interface.answers import Usage
from gridworld.model_interface.prompts import Adjustment, Opaque, Sent

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
    """Form of a reply, apart from its reasoning.

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
        """Whether a single action is expected rather than a list."""
        return self.max_actions == 1 and not self.subgoal


ONE_ACTION = ReplyForm()
"""A reply with a single action; every model supports it."""


@attrs.frozen(eq=False)
class ModelInput:
    """Input to a model for one step."""

    image: np.ndarray | None
    """Current observation, shape (height, width, 3), uint8; None for text-only observations."""
    text_prompt: str
    """The mission."""
    action_space: dict[int, str]
    """Action id to name."""
    step_number: int
    """Actions taken so far, from 0."""
    max_steps: int
    """Step budget of the episode."""
    additional_context: str | None = None
    """Rolling text history, if enabled."""
    prior_images: list[np.ndarray] | None = None
    """Earlier observations, oldest first, if enabled."""
    text_observation: str | None = None
    """Current observation in words (`gridworld.text`), if enabled."""
    explanation: Explanation | None = None
    """Legend, rules and worked examples; the same at every step."""
    correction: str | None = None
    """Problem with the previous answer, to be shown to the model; set when this step's request is repeated."""
    attempt: int = 0
    """Number of unusable answers to this step so far; retries after server faults do not count."""
    reply: ReplyForm = ONE_ACTION
    """Expected form of the answer."""
    feedback: str | None = None
    """Effects of the actions since the last request, one per line, if enabled."""
    note: str | None = None
    """The model's last note to itself, if notes are enabled."""
    turns: tuple[Turn, ...] = ()
    """Earlier requests and replies of a conversation, oldest first."""
    episode: EpisodeInfo | None = None
    """The episode of the request, for models that answer several at once; None outside episodes."""


@attrs.frozen(eq=False)
class Turn:
    """One request of a conversation and the model's reply."""

    input: ModelInput
    """Input without turns; old turns contain no picture."""
    reply: str


@attrs.frozen
class ModelOutput:
    """A model's answer for one step; a model that has no action raises `AnswerFault` instead."""

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
    """All actions in the reply, `action` first, if `ModelInput.reply` allows several; None for `action` alone."""
    subgoal: str | None = None
    """Purpose of the actions, if `ModelInput.reply` asks for it."""
    note: str | None = None
    """The model's new note to itself, if `ModelInput.reply` allows one; None keeps the last note."""
    left_out: tuple[str, ...] = ()
    """Parts omitted from the request because the server rejects them, such as ``structured output``."""
    sent: tuple[Sent, ...] = ()
    """Requests that were sent for this answer, in order; of each, what went out last."""
    adjustments: tuple[Adjustment, ...] = ()
    """Workarounds that the request found to be necessary."""
    returned: tuple[Opaque, ...] = ()
    """JSON beside the reply's text that the provider wants back in a conversation."""


@attrs.frozen
class EpisodeInfo:
    """Facts about an episode that a model may use before its first step."""

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
        """Restore the state after steps played by another process; called after `begin_episode`.

        Args:
            episode: the episode.
            steps: the steps so far with all requests and answers. The effect of an unfinished last step is unknown.

        Returns:
            Whether the state is restored; if not, the episode starts over. Models without state between steps return
            True. The default is False.
        """
        return False

    def can_reply(self, form: ReplyForm) -> bool:
        """Whether the model can reply in the given form; by default only with a single action."""
        return form == ONE_ACTION

    @property
    def looks_at_pictures(self) -> bool:
        """Whether the model uses pictures; if not, none are drawn. The default is True."""
        return True

    @property
    def seeding(self) -> str | None:
        """Name of the rule that derives sampling seeds, if seeds affect the answers; None by default.

        It is part of a run's fingerprint: a run recorded under another rule cannot be resumed.
        """
        return None

    @property
    def shareable(self) -> bool:
        """Whether threads may share the model, each for its own episodes; otherwise each thread makes its own."""
        return False

    def close(self) -> None:
        """Release resources."""


class BatchModel(ModelInterface):
    """A model without state between steps that can answer requests from several episodes at once.

    `ModelInput.episode` identifies the episode of a request, for example to seed its sampling.
    """

    @abstractmethod
    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        """Choose an action for each input, in order; faults are returned instead of raised."""


class OracleInterface(ModelInterface):
    """A baseline that has access to the compiled world and its full state."""

    @abstractmethod
    def look_into(self, world: World) -> None:
        """Receive the world of an episode; called after `begin_episode`."""

    def observe(self, state: State) -> None:
        """Receive the current state; called before each `predict`.

        Before a `predict_batch`, it is called for each input, in order.
        """
