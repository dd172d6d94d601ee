"""`Pace`: plays the actions of a reply one by one, as a protocol has it, and says when to ask again.

What it does next depends on the protocol and the steps so far alone, so that an episode that was left goes on by
noting its recorded steps.
"""

from __future__ import annotations

from collections import deque

from gridworld.plugins.faults import blaming
from gridworld.runner.record import Decision, Step
from gridworld.runner.rollout import Rollout
from multinet_eval.settings.protocols import Protocol
from multinet_eval.settings.statements import class_name

__all__ = ["Pace"]


class Pace:
    """Where one episode stands between two questions.

    Args:
        protocol: how the model is asked.
        rollout: the episode, at its start.
    """

    def __init__(self, protocol: Protocol, rollout: Rollout) -> None:
        self._protocol = protocol
        self._rollout = rollout
        self._planned: deque[int] = deque()
        self._replies = 0
        self._watches = not protocol.reply.holds_one_action
        self._seen = rollout.things_in_view() if self._watches else frozenset()

    @property
    def decision(self) -> Decision | None:
        """What follows without asking; None where the model is to be asked."""
        if self._planned:
            return Decision.act(self._planned[0])
        return Decision.stop() if self._replies == self._protocol.max_replies else None

    def note(self, step: Step) -> None:
        """Go on after a step of the rollout.

        Raises:
            PluginFault: the protocol failed to say whether to go on.
        """
        came_into_view = self._look_around()
        if step.requests:
            self._planned = deque(step.requests[-1].planned)
            self._replies += step.action is not None
        elif self._planned:
            self._planned.popleft()
        if self._planned and not self._goes_on(step, came_into_view):
            self._planned.clear()

    def _goes_on(self, after: Step, came_into_view: bool) -> bool:
        with blaming(f"protocol '{class_name(self._protocol)}'", f"after step {after.number}"):
            return self._protocol.goes_on(after, came_into_view)

    def _look_around(self) -> bool:
        """Whether something is in view that has not been."""
        if not self._watches:
            return False
        new = self._rollout.things_in_view() - self._seen
        self._seen |= new
        return bool(new)
