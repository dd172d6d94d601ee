"""Optional capabilities of models: showing their prompt, checking that they are ready, answering open questions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import attrs

from gridworld.model_interface.answers import Usage
from gridworld.model_interface.base import ModelInput, ModelInterface

if TYPE_CHECKING:
    import numpy as np


@attrs.frozen
class PromptText:
    """A text of a prompt, and whose it is: in a conversation, the assistant's are what the model itself has said."""

    role: Literal["system", "user", "assistant"]
    text: str


@attrs.frozen(eq=False)
class PromptImage:
    """A picture of a prompt, the user's, with the text that is sent along to say what it is."""

    label: str
    image: np.ndarray
    """Shape (height, width, 3), uint8."""


@attrs.frozen
class PreflightCheck:
    """What came of one check of a model."""

    name: str
    """What was checked, in a few words."""
    passed: bool
    message: str
    """What was found and, where it is not well, what to do about it; it holds no credential."""
    seconds: float
    """How long the check took."""


@attrs.frozen
class Adjustment:
    """Something that a model does otherwise than its settings say, because its server refuses it."""

    refused: str
    """What the server refuses, such as ``structured output``."""
    instead: str
    """What is done instead, in words."""
    reason: str
    """What the server said; it holds no credential."""
    argument: str
    """The argument of the model that would do so from the start, ``name=value``."""


class PromptedModel(ModelInterface):
    """A model that is given a prompt, which can be looked at without asking the model anything."""

    @abstractmethod
    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        """Everything that `predict` would show the model for this input, in order; nothing is sent.

        For one input it depends on the model's settings, and on its adjustments if it is an `AdjustingModel`, alone, so
        its texts can stand for the prompt in a record of what was run.
        """


class CheckedModel(ModelInterface):
    """A model that can say whether it is able to work, so that a run need not fail at its first step."""

    @abstractmethod
    def check_ready(self) -> None:
        """Make sure, cheaply and without asking the model, that it could be asked.

        Raises:
            AnswerFault: it could not; the outcome is `INFRASTRUCTURE`, the message says what to do.
        """

    @abstractmethod
    def preflight(self) -> list[PreflightCheck]:
        """Try out what the model needs in order to play, in order of dependence; it may be asked several times.

        Checks that make no sense after an earlier one has failed are not made and not listed. What goes wrong is told
        by the verdicts, never raised.
        """


class AdjustingModel(ModelInterface):
    """A model that finds out while it is asked what its server does not take, and goes round it from then on."""

    @abstractmethod
    def adjustments(self) -> tuple[Adjustment, ...]:
        """What has been found out so far, in order; it only ever grows."""


class CacheableModel(ModelInterface):
    """A model that keeps nothing between steps: its answer depends on its settings, the episode and the input alone.

    So an answer may be kept and given again, without asking the model, when the same is asked once more.
    """

    @property
    @abstractmethod
    def samples(self) -> bool:
        """Whether answers are drawn at random, so that asking again could give another one: temperature above 0.

        It may change from False to True while the model is used, such as when a server refuses a temperature.
        """


class AttendedModel(ModelInterface):
    """A model that waits for somebody else to do something, which is shown to whoever starts it."""

    @abstractmethod
    def notice(self) -> str:
        """What has to be done, and where, in one line."""


@attrs.frozen
class OpenAnswer:
    """What a model said to an open question."""

    text: str
    """Its words, its reasoning aside; never empty."""
    usage: Usage | None = None
    """What the call cost."""


class OpenModel(ModelInterface):
    """A model that can be asked open questions; each stands for itself, whatever has been asked before."""

    @abstractmethod
    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        """What the model says to texts and pictures.

        Args:
            parts: the question, in order.

        Raises:
            AnswerFault: it said nothing, not all of it, or could not be asked.
        """
