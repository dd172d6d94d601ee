"""What an evaluated episode consists of, step by step, and what it adds up to."""

from __future__ import annotations

from collections import Counter

import attrs

from gridworld.model_interface import AnswerOutcome, Usage
from gridworld.runner.grid_runner import Transition
from multinet_eval.asking import Asked, Request
from multinet_eval.metrics import add_usages
from multinet_eval.policies import LastResort

__all__ = ["Step", "Tally"]


@attrs.frozen(eq=False)
class Step:
    """One step of an evaluated episode: what was asked, and what it did."""

    number: int
    """From 1; steps that were lost are counted."""
    asked: Asked
    transition: Transition | None = None
    """What happened in the world; None where there was no usable answer."""

    @property
    def last(self) -> Request:
        """The request that decided the step."""
        return self.asked.last


@attrs.define
class Tally:
    """The sums of one episode."""

    outcomes: Counter[str] = attrs.Factory(Counter)
    """How many requests came to what."""
    usage: Usage = attrs.Factory(Usage)
    actions: int = 0
    lost: int = 0
    total_reward: float = 0.0
    terminated: bool = False
    success: bool = False
    fault: str | None = None
    """The kind of answer that ended the episode, if its policy is to fail."""
    error: str | None = None
    """Why the episode could not be played to its end, if no answer of the model is to blame."""
    permanent: bool = False
    """Whether that would end every other episode, too."""

    @property
    def steps(self) -> int:
        """How much of the budget is used up: actions and lost steps."""
        return self.actions + self.lost

    def add(self, step: Step) -> None:
        """Count one more step."""
        self.outcomes.update(request.outcome.value for request in step.asked.requests)
        self.usage = add_usages([self.usage, *(request.usage for request in step.asked.requests)])
        if step.transition is not None:
            self._add_action(step.transition)
        elif step.asked.resort is LastResort.SKIP:
            self.lost += 1
        elif step.last.outcome is AnswerOutcome.INFRASTRUCTURE:
            self.error, self.permanent = step.asked.reason, step.last.permanent
        else:
            self.fault = step.last.outcome.value

    def _add_action(self, transition: Transition) -> None:
        self.actions += 1
        self.total_reward += transition.reward
        self.terminated = transition.terminated
        self.success = transition.state.goal_reached
