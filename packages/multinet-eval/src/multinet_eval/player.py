"""`Player`: plays a model through one episode, as the policy of a runner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import GridState
from gridworld.culprits import blaming
from gridworld.model_interface import ModelInput
from gridworld.runner.grid_runner import Stop, Transition
from gridworld.world import Episode
from gridworld.world.events import Bumped, NoEffect
from multinet_eval.asking import Asked, Asks
from multinet_eval.history import History
from multinet_eval.policies import LastResort
from multinet_eval.tally import Step, Tally
from multinet_eval.view import View

__all__ = ["Player"]


class Player:
    """Hands a model what it may know, acts on its answers, and keeps count of them.

    A step without a usable answer is lost, where its policy says so: nothing happens in the world, whose own clock
    stands still, but the budget of the episode has one step less. The episode is over when actions and lost steps
    together have used the budget up.

    Args:
        asker: finds the actions.
        episode: the running episode.
        view: what the model is given of the present state.
        history: what the model is told of earlier steps.
        tally: where to keep count.
        on_step: called after each step, lost ones too.
    """

    def __init__(
        self,
        asker: Asks,
        episode: Episode,
        view: View,
        history: History,
        tally: Tally,
        on_step: Callable[[Step], object],
    ) -> None:
        self._asker = asker
        self._episode = episode
        self._view = view
        self._history = history
        self._tally = tally
        self._on_step = on_step
        self._image: Any = None

    def act(self, observation: Any, state: GridState, mission: str) -> int | Stop:
        """The model's next action; steps that it loses before that are over when this returns.

        Raises:
            ArgumentError: the backend does not observe what the model is to be given.
            PluginFault: the model or a plugin failed.
        """
        self._image = self._view.picture(observation)
        with blaming("the text view", f"before step {self._tally.steps + 1}"):
            text = self._view.text()
        while self._tally.steps < state.max_steps:
            self._asked = asked = self._ask(text, mission, state.max_steps)
            if asked.last.action is not None:
                return asked.last.action
            self._note(None)
            if asked.resort is LastResort.FAIL:
                break
        return Stop.STOP

    def remember(self, transition: Transition) -> None:
        """Take note of what the last action did."""
        if isinstance(transition.events[0], (Bumped, NoEffect)):
            self._asked = self._asked.without_effect()
        self._note(transition)

    def _ask(self, text: str | None, mission: str, max_steps: int) -> Asked:
        question = ModelInput(
            image=self._image,
            text_observation=text,
            text_prompt=mission,
            action_space=dict(ACTION_SPACE),
            step_number=self._tally.steps,
            max_steps=max_steps,
            additional_context=self._history.text,
            prior_images=self._history.prior_images,
        )
        return self._asker.ask(question, self._episode.state)

    def _note(self, transition: Transition | None) -> None:
        step = Step(self._tally.steps + 1, self._asked, transition)
        self._tally.add(step)
        with blaming("the text history", f"after step {step.number}"):
            self._history.record(self._image, step)
        self._on_step(step)
