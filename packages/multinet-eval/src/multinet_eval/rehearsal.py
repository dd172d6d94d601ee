"""`Rehearsal`: comes to a step of an episode without asking a model, to see what the model would be asked there."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.model_interface import AnswerOutcome, ModelInput
from gridworld.world import State
from multinet_eval.asking import Asked, Request
from multinet_eval.policies import LastResort

__all__ = ["Rehearsal"]


class Rehearsal:
    """Gives actions in the place of a model, and keeps the question that comes after them.

    Args:
        actions: the ids of the actions.
    """

    def __init__(self, actions: Iterable[int]) -> None:
        self._actions = tuple(actions)
        self.question: ModelInput | None = None
        """What the model would be given after the actions; None if the episode has not come to it."""

    def ask(self, question: ModelInput, state: State) -> Asked:
        """The next action; after the last one the episode is left."""
        if question.step_number < len(self._actions):
            return Asked((Request(AnswerOutcome.OK, action=self._actions[question.step_number]),))
        self.question = question
        return Asked((Request(AnswerOutcome.EMPTY, "nobody has been asked"),), LastResort.FAIL)
