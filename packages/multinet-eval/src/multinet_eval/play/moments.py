"""What happens while a model plays an episode, in the order in which `EpisodeRunner.play` yields it."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from gridworld.errors import GridworldError, PluginFault
from gridworld.runner.record import DecisionKind, EpisodeEnd, EpisodeHeader, Request, Step
from gridworld.runner.rollout import Rollout
from multinet_eval.play.asking import Ask

__all__ = ["Answer", "DivergedError", "Moment", "Past", "Resumed", "replay", "replayed_steps"]


class DivergedError(GridworldError):
    """An episode, played again, is not the one that was recorded."""


@attrs.frozen
class Resumed:
    """An episode goes on from where it was left, instead of a header."""


@attrs.frozen
class Past:
    """What has been recorded of an episode that was left before its end."""

    header: EpisodeHeader
    steps: tuple[Step, ...] = ()
    pending: tuple[Request, ...] = ()
    """The requests for the step that was under way."""

    @property
    def asked(self) -> tuple[Step, ...]:
        """The steps that the model was asked for, the one that was under way last, without what it did."""
        if not self.pending:
            return self.steps
        action = self.pending[-1].action
        kind = DecisionKind.LOST if action is None else DecisionKind.ACTION
        return (*self.steps, Step(len(self.steps) + 1, kind, action, self.pending))


Moment = EpisodeHeader | Resumed | Ask | Step | EpisodeEnd
"""What an episode that is played yields, one after another."""
Answer = Request | PluginFault
"""What is sent to the generator after an `Ask`: the request that was made, or why the model could not be asked."""


def replay(rollout: Rollout, past: Past) -> None:
    """Take the steps of the past once more; raises as `replayed_steps` does."""
    for _ in replayed_steps(rollout, past):
        pass


def replayed_steps(rollout: Rollout, past: Past) -> Iterator[Step]:
    """Take the steps of the past once more, each as it is asked for.

    Raises:
        DivergedError: one of them, or the start, is not as it was recorded.
    """
    task = rollout.task.task_id
    if rollout.header.digest != past.header.digest:
        raise DivergedError(f"'{task}' does not start as it was recorded: was it recorded on other versions?")
    for recorded in past.steps:
        taken = rollout.take(recorded.decision)
        if taken != recorded:
            raise DivergedError(
                f"'{task}', played again, is another episode than was recorded from step {taken.number}"
            )
        yield taken
