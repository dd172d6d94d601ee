"""Optional capabilities of models: checking whether they are ready, and waiting for a person."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping

import attrs

from gridworld.model_interface.base import ModelInput, ModelInterface


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

    def check_ready_within(self, seconds: float) -> str | None:
        """Check as `check_ready` does, but give up after some time; by default without a limit.

        Args:
            seconds: the limit, above 0; may be infinite.
        """
        return self.check_ready()

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


class AttendedModel(ModelInterface):
    """A model that waits for a person or another program, and tells the user so."""

    @abstractmethod
    def notice(self) -> str:
        """Return one line of instructions for the user."""
