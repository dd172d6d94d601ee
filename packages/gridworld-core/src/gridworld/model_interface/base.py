"""What a model is: something that looks at a picture, reads a mission, and names an action."""

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
    """What a reply holds, beside the reasons for it.

    Raises:
        ValueError: `max_actions` is less than 1.
    """

    max_actions: int | None = attrs.field(default=1, validator=_at_least_one)
    """The most actions that it may hold; None for as many as it takes."""
    subgoal: bool = False
    """Whether it names a subgoal, in words."""
    note_length: int = 0
    """The most characters of the note that the model may leave itself; 0 for no note."""

    @property
    def holds_one_action(self) -> bool:
        """Whether it is asked for as a single action, and not as a list."""
        return self.max_actions == 1 and not self.subgoal


ONE_ACTION = ReplyForm()
"""A single action and nothing else, which every model can reply."""


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
    explanation: Explanation | None = None
    """What can occur in the tasks of the suite and how it looks, and the rules; the same at every step."""
    correction: str | None = None
    """When the step is asked for again: what was wrong with the last answer, to be shown to the model."""
    attempt: int = 0
    """How many answers to this step could not be used before; a request that is repeated for want of a server has the
    number that it had."""
    reply: ReplyForm = ONE_ACTION
    """What the answer is to hold."""
    feedback: str | None = None
    """What the actions since the last question did, a line for each, if it is switched on."""
    note: str | None = None
    """What the model has noted for itself, if notes are switched on and it has."""
    turns: tuple[Turn, ...] = ()
    """In a conversation, the questions and answers before this one, oldest first."""
    episode: EpisodeInfo | None = None
    """The episode that it is asked in, for models that answer questions of several at once; None outside of any."""


@attrs.frozen(eq=False)
class Turn:
    """A question of a conversation, and what the model replied."""

    input: ModelInput
    """What it was given, without turns; the picture is left out once it is too long ago."""
    reply: str


@attrs.frozen
class ModelOutput:
    """A model's answer for one step.

    A model that has no action to give raises `AnswerFault` (`gridworld.model_interface.answers`) instead.
    """

    action: int
    """The id of an action; one that is not in the action space counts as illegal, and nothing happens in the world."""
    confidence: float | None = None
    """How sure the model says it is, 0 to 1."""
    reasoning: str | None = None
    raw_output: str | None = None
    """The reply as it came."""
    usage: Usage | None = None
    """What the call cost."""
    actions: tuple[int, ...] | None = None
    """All actions of the reply, `action` first, where `ModelInput.reply` allows several; None for `action` alone."""
    subgoal: str | None = None
    """What the actions are to achieve, where `ModelInput.reply` asks for it."""
    note: str | None = None
    """What the model notes for itself, where `ModelInput.reply` allows it; None keeps the note that it has."""
    left_out: tuple[str, ...] = ()
    """Parts of the request, such as ``structured output``, that it was made without since the server refuses them."""


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
        """Choose an action.

        Raises:
            AnswerFault: there is no usable answer; the message says why.
        """

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Called before each episode; a model that keeps anything between steps starts afresh here."""

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Go on with an episode that another process has played up to some step; called after `begin_episode`.

        Args:
            episode: the episode.
            steps: what it has been asked in it so far, with all requests and answers; of a step that was under way,
                which is then the last, what it did is not known.

        Returns:
            Whether the model now is as if it had played them itself; if not, the episode starts over. A model that
            keeps nothing between steps returns True; the default is False, since only its author can know.
        """
        return False

    def can_reply(self, form: ReplyForm) -> bool:
        """Whether the model is able to reply in a form; by default a single action and nothing else."""
        return form == ONE_ACTION

    @property
    def looks_at_pictures(self) -> bool:
        """Whether it may look at pictures; where it never does, none are drawn for it. By default it may."""
        return True

    @property
    def seeding(self) -> str | None:
        """How seeds of its sampling are derived, where seeds decide its answers; by default None.

        It is part of what decides the results of a run, so that a run that was recorded under another rule is not gone
        on with.
        """
        return None

    @property
    def shareable(self) -> bool:
        """Whether several threads may use it at once, each for episodes of its own; otherwise each makes its own."""
        return False

    def close(self) -> None:
        """Release what the model holds."""


class BatchModel(ModelInterface):
    """A model that answers several questions at once, of different episodes, and keeps nothing between steps.

    `ModelInput.episode` tells which episode a question is of, such as to seed the sampling of its answer.
    """

    @abstractmethod
    def predict_batch(self, inputs: Sequence[ModelInput]) -> Sequence[ModelOutput | AnswerFault]:
        """Choose an action for each input, in their order; where `predict` would raise a fault, it is returned."""


class OracleInterface(ModelInterface):
    """A baseline that may look behind the picture: it is handed the compiled world, with everything in it."""

    @abstractmethod
    def look_into(self, world: World) -> None:
        """Called before each episode, after `begin_episode`."""

    def observe(self, state: State) -> None:
        """Called before each `predict` with the present state, whatever has become of the answers before.

        Before a `predict_batch` it is called for each input, in their order.
        """
