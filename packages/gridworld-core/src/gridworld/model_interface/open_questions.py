"""`OpenModel`: a model that says anything about anything, beside choosing actions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import attrs

from gridworld.model_interface.answers import Usage
from gridworld.model_interface.base import ModelInterface
from gridworld.model_interface.inspection import PromptImage, PromptText

__all__ = ["OpenAnswer", "OpenModel"]


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
