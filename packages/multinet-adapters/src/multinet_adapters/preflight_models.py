"""What preflight checks need of a model, and the result of a check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

import attrs

from gridworld.model_interface import Adjustment, ModelInput, ModelOutput, Prompt, Reply
from multinet_adapters.refusals import RequestPart


class Asked(Protocol):
    """A model under test; each method may raise `AnswerFault`."""

    def check_ready(self) -> str | None:
        """Check that the model is available."""

    def prompt(self, input: ModelInput) -> Prompt:
        """Return the whole prompt for an input."""

    def adapt(self, prompt: Prompt) -> Prompt:
        """Return the prompt without what the server is known to reject."""

    def send(self, prompt: Prompt) -> Reply:
        """Send a prompt."""

    def words(self, reply: Reply) -> str:
        """Return the text of a reply."""

    def ask(self, prompt: Prompt) -> str:
        """Answer an open question."""

    def predict(self, input: ModelInput) -> ModelOutput:
        """Choose an action."""


class Local(Asked, Protocol):
    """A model in this process under test."""

    max_new_tokens: int


class Examined(Asked, Protocol):
    """A model behind a server under test."""

    model: str
    base_url: str
    max_tokens: int | None
    structured: bool
    """Whether requests ask for answers in a JSON schema."""
    reasoning_length: int | None
    """Maximum length of the reasoning in such answers, in characters; None for no limit."""
    read_timeout: float | None
    """Seconds to wait for a reply; None if that depends on the server's speed."""
    takes_unlisted: ClassVar[bool]
    """Whether some servers accept names that they do not list."""

    def adjustments(self) -> tuple[Adjustment, ...]:
        """Return the fallbacks in use for rejected parts of requests."""

    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """Return the rejected parts of requests that have no fallback."""

    def listed_names(self) -> list[str] | None:
        """Return the names of the server's models as received; None if the server has no list."""

    def is_called(self, listed: str) -> bool:
        """Whether a listed name refers to the model."""


@attrs.frozen
class Found:
    """Result of a check."""

    passed: bool
    message: str
    arguments: tuple[str, ...] = ()
    """Arguments of the model that follow from it."""
    settings: Mapping[str, str] = attrs.Factory(dict)
    """Settings of a run that follow from it."""
    noted: bool = False
    """Whether a passed check found something to look into."""
