"""One run through a world: the present state, stepped through the kernel, and what the agent has been shown of it."""

from operator import index
from typing import SupportsIndex

from gridworld.actions import ACTION_SPACE
from gridworld.errors import InvalidAction, NotResetError
from gridworld.world.acts import Act, Outcome
from gridworld.world.events import Event
from gridworld.world.observer import Observer
from gridworld.world.rules import perform, reward_of, transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["Episode"]


def _as_integer(action: SupportsIndex) -> int:
    try:
        return index(action)
    except TypeError:
        raise InvalidAction(f"action {action!r} is not in the action space {ACTION_SPACE}") from None


class Episode:
    """The present state of one run; what backends and environments hold instead of rules of their own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.observer = Observer(world)
        self._state: State | None = None

    @property
    def state(self) -> State:
        """The present state.

        Raises:
            NotResetError: before the first `reset`.
        """
        if self._state is None:
            raise NotResetError("reset() has to be called before the first step")
        return self._state

    def clear(self) -> None:
        """Go back to before the first `reset`."""
        self._state = None

    def reset(self) -> State:
        """Go back to the start of the task."""
        self._state = self.world.start
        self.observer.reset()
        return self._state

    def step(self, action: SupportsIndex) -> tuple[Event, ...]:
        """Take one action and say what happened.

        Args:
            action: one of the seven, as any kind of integer.

        Raises:
            NotResetError: before the first `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is not one of the seven. The state is unchanged in all three cases.
        """
        return self._follow(transition(self.world, self.state, _as_integer(action)))

    def perform(self, act: Act) -> tuple[Event, ...]:
        """Take one step with any act of `gridworld.world.acts` and say what happened.

        Raises:
            NotResetError: before the first `reset`.
            EpisodeOver: the episode has ended. The state is unchanged in both cases.
        """
        return self._follow(perform(self.world, self.state, act))

    def _follow(self, outcome: Outcome) -> tuple[Event, ...]:
        self._state, events = outcome
        self.observer.update(self._state, events)
        return events

    @property
    def reward(self) -> float:
        """The reward of the last step, 0 before the first."""
        return reward_of(self.world, self.state)

    @property
    def succeeded(self) -> bool:
        """Whether the goal has been reached."""
        return self.state.status == Status.SUCCEEDED

    @property
    def terminated(self) -> bool:
        """Whether the task itself ended the episode, by success or death."""
        return self.state.status != Status.RUNNING

    @property
    def truncated(self) -> bool:
        """Whether the budget of steps has run out, other than by a success on the last of them."""
        return self.state.steps >= self.world.max_steps and not self.succeeded
