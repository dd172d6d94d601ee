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
    """A text of a prompt with its role; ``assistant`` texts are earlier replies of the model."""

    role: Literal["system", "user", "assistant"]
    text: str


@attrs.frozen(eq=False)
class PromptImage:
    """A picture of the user's part of a prompt with its label."""

    label: str
    image: np.ndarray
    """The picture's pixels, shape (height, width, 3), uint8."""


@attrs.frozen
class PreflightCheck:
    """Result of one check of a model."""

    name: str
    """Subject of the check in a few words."""
    passed: bool
    message: str
    """Finding, with advice if the check failed; without credentials."""
    seconds: float
    """Duration of the check."""


@attrs.frozen
class Adjustment:
    """A workaround for a setting that the server refuses."""

    refused: str
    """Refused part of requests, such as ``structured output``."""
    instead: str
    """Fallback in words."""
    reason: str
    """The server's message, without credentials."""
    argument: str
    """Model argument ``name=value`` that selects the fallback from the start."""


class PromptedModel(ModelInterface):
    """A model whose prompts can be shown without sending anything."""

    @abstractmethod
    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        """Render the prompt that `predict` would send for this input, in order.

        It depends only on the input, the model's settings and the adjustments of an `AdjustingModel`, so its texts can
        be recorded as the prompt of a run.
        """


class CheckedModel(ModelInterface):
    """A model that can check whether it is ready, before a run begins."""

    @abstractmethod
    def check_ready(self) -> None:
        """Check cheaply, without querying the model, that it can be queried.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, with advice in the message.
        """

    @abstractmethod
    def preflight(self) -> list[PreflightCheck]:
        """Check everything the model needs in order to play, in order of dependence; this may send requests.

        Checks that depend on a failed one are skipped and not listed. Failures are reported, never raised.
        """


class AdjustingModel(ModelInterface):
    """A model that detects refused parts of its requests and works around them from then on."""

    @abstractmethod
    def adjustments(self) -> tuple[Adjustment, ...]:
        """Return the adjustments so far, in order; the list only grows."""


class CacheableModel(ModelInterface):
    """A model without state between steps: answers depend only on its settings, the episode and the input.

    Its answers may be cached and used again for identical requests.
    """

    @property
    @abstractmethod
    def samples(self) -> bool:
        """Whether answers are sampled, with a temperature above 0.

        It may change from False to True during use, for example when a server refuses a temperature.
        """


class AttendedModel(ModelInterface):
    """A model that waits for another person or program, with a notice for the user who starts it."""

    @abstractmethod
    def notice(self) -> str:
        """Return the instructions in one line."""


@attrs.frozen
class OpenAnswer:
    """Reply of a model to an open question."""

    text: str
    """Text without reasoning; never empty."""
    usage: Usage | None = None
    """Cost of the call."""


class OpenModel(ModelInterface):
    """A model that answers open questions, each independent of earlier ones."""

    @abstractmethod
    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        """Ask a question of texts and pictures.

        Args:
            parts: the question, in order.

        Raises:
            AnswerFault: the reply is empty or cut off, or the model could not be queried.
        """
