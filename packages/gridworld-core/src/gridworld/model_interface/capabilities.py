"""Optional capabilities of models, such as showing their prompt, checking readiness or answering open questions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import attrs

from gridworld.model_interface.answers import Usage
from gridworld.model_interface.base import ModelInput, ModelInterface

if TYPE_CHECKING:
    import numpy as np


@attrs.frozen
class PromptText:
    """Text in a prompt, with its role; ``assistant`` texts are earlier replies of the model."""

    role: Literal["system", "user", "assistant"]
    text: str


@attrs.frozen(eq=False)
class PromptImage:
    """A labelled picture in the user's part of a prompt."""

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
    """Result, with advice if the check failed; contains no credentials."""
    seconds: float
    """Duration of the check."""
    arguments: tuple[str, ...] = ()
    """Arguments of the model that follow from the finding, such as ``structured=false``."""
    settings: Mapping[str, str] = attrs.Factory(dict)
    """Settings of a run that follow from it by name, such as ``text`` for ``observation``."""
    noted: bool = False
    """Whether a check that passed found something to look into."""


@attrs.frozen
class Adjustment:
    """A workaround for a setting that the server rejects."""

    refused: str
    """Rejected part of requests, such as ``structured output``."""
    instead: str
    """Description of the fallback."""
    reason: str
    """The server's message, without credentials."""
    argument: str
    """Model argument ``name=value`` that selects the fallback from the start."""


class PromptedModel(ModelInterface):
    """A model that can show its prompts without sending them."""

    @abstractmethod
    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        """Render the prompt that `predict` would send for this input, in order.

        It depends only on the input, the model's settings and the adjustments of an `AdjustingModel`, so its texts can
        be recorded as the prompt of a run.
        """

    def answer_schema(self, input: ModelInput) -> dict[str, Any] | None:
        """Return the JSON schema in which `predict` requests the answer to this input; by default None, for no schema.

        It depends only on the input and the model's settings, not on what a server rejects.
        """
        return None


class CheckedModel(ModelInterface):
    """A model that can check whether it is ready, before a run begins."""

    @abstractmethod
    def check_ready(self) -> str | None:
        """Check, cheaply and without querying the model, that it is ready.

        Returns:
            A warning for the user; None if there is nothing to look into.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, with advice in the message.
        """

    @abstractmethod
    def preflight(self) -> list[PreflightCheck]:
        """Check everything that the model needs to play, in order of dependence; this may send requests.

        Checks that depend on a failed one are skipped and not listed. Failures are reported, never raised.
        """

    def preflight_along(
        self, question: ModelInput | None = None, begin: Callable[[str], object] = lambda name: None
    ) -> Iterator[PreflightCheck]:
        """Yield the checks of `preflight` one by one, for progress; by default all at the end.

        Args:
            question: input of a run: without pictures in it, nothing that needs pictures is checked. None for a small
                question with a picture.
            begin: called with the name of each check before it begins.
        """
        yield from self.preflight()


class AdjustingModel(ModelInterface):
    """A model that detects which parts of its requests a server rejects, and works around them from then on."""

    @abstractmethod
    def adjustments(self) -> tuple[Adjustment, ...]:
        """Return the adjustments so far, in order; the list only grows."""


class CacheableModel(ModelInterface):
    """A model without state between steps, whose answers depend only on its settings, the episode and the input.

    Its answers may be cached and reused for identical requests.
    """

    @property
    @abstractmethod
    def samples(self) -> bool:
        """Whether answers are sampled, that is, the temperature is above 0.

        It may change from False to True during use, for example when a server rejects a temperature.
        """


class AttendedModel(ModelInterface):
    """A model that waits for a person or another program, and tells the user so."""

    @abstractmethod
    def notice(self) -> str:
        """Return one line of instructions for the user."""


@attrs.frozen
class OpenAnswer:
    """A model's reply to an open question."""

    text: str
    """Text without reasoning; never empty."""
    usage: Usage | None = None
    """Cost of the call."""


class OpenModel(ModelInterface):
    """A model that answers open questions, each independent of earlier ones."""

    @abstractmethod
    def ask(self, parts: Sequence[PromptText | PromptImage]) -> OpenAnswer:
        """Answer one question, given as texts and pictures.

        Args:
            parts: the texts and pictures of the question, in order.

        Raises:
            AnswerFault: the reply is empty or truncated, or the model could not be queried.
        """
