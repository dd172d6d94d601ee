"""`Probe`: a kind of question about what is seen, which can be graded exactly."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import attrs

from multinet_eval.probing.grading import Grade
from multinet_eval.probing.scene import Scene

__all__ = ["Probe", "ProbeQuestion"]


@attrs.frozen
class ProbeQuestion:
    """One question about a scene. It goes losslessly through JSON."""

    text: str
    """What is asked, and the form of the answer: a JSON object."""
    right: Mapping[str, Any]
    """The answer that is entirely right, as a model would give it."""
    facts: Mapping[str, Any] = attrs.Factory(dict)
    """What is needed, beside the answers, in order to grade them: such as what the letters of options stand for."""


class Probe(ABC):
    """A kind of question. It keeps nothing: what it asks follows from the scene and the dice alone."""

    name: ClassVar[str]
    """The name under which it is registered."""
    needs_everything: ClassVar[bool] = False
    """Whether what is right can depend on what is not shown, so that it asks only where all is."""

    @abstractmethod
    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """What to ask of a scene; nothing where there is nothing to ask.

        Args:
            scene: the scene. Only what it shows (`Scene.look`, `Scene.input`) may be asked for.
            dice: seeded for this scene and probe.
        """

    @abstractmethod
    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> Any:
        """What an answer says, in a hashable form of which equal answers are equal.

        Raises:
            Unreadable: it is not in the form that was asked for.
        """

    @abstractmethod
    def grade(self, question: ProbeQuestion, truth: Any, answer: Any) -> Grade:
        """How right an answer is.

        Args:
            question: the question.
            truth: what `read` makes of its right answer.
            answer: what it makes of another one, which may have been given to another question.
        """

    def constants(self, question: ProbeQuestion, truth: Any) -> Iterable[Any]:
        """Answers that somebody who does not look might always give, for the chance level: what is right here."""
        yield truth
