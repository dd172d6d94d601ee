"""`Episode`: one run through a world, with its current snapshot."""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import SupportsIndex

from gridworld.actions import ACTION_SPACE
from gridworld.errors import InvalidAction, NotResetError
from gridworld.world.acts import Act, Outcome
from gridworld.world.events import Event
from gridworld.world.knowledge import Knowledge, Snapshot, first_snapshot, observe, shown_look, witnessed
from gridworld.world.looks import CellLook
from gridworld.world.rules import is_truncated, perform, reward_of, transition
from gridworld.world.state import State, Status
from gridworld.world.world import World


class Episode:
    """The progress of one run; backends and environments use it instead of rules of their own.

    Its `snapshot` is immutable: renderers keep the one they have drawn and compare it with the next.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._snapshot: Snapshot | None = None

    @cached_property
    def _start(self) -> Snapshot:
        return first_snapshot(self.world)

    @property
    def snapshot(self) -> Snapshot:
        """The current snapshot: the state and the agent's knowledge.

        Raises:
            NotResetError: the episode has not begun.
        """
        if self._snapshot is None:
            raise NotResetError("reset() must be called before the first step")
        return self._snapshot

    @property
    def state(self) -> State:
        """The current state; raises as `snapshot` does."""
        return self.snapshot.state

    @property
    def knowledge(self) -> Knowledge:
        """The agent's knowledge so far; raises as `snapshot` does."""
        return self.snapshot.knowledge

    def clear(self) -> None:
        """Return to the condition before the first `reset`."""
        self._snapshot = None

    def reset(self) -> State:
        """Return to the start of the task."""
        self._snapshot = self._start
        return self._start.state

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot of this or another episode of the same world."""
        self._snapshot = snapshot

    def step(self, action: SupportsIndex) -> tuple[Event, ...]:
        """Take one action and return its events; on an error the state is unchanged.

        Args:
            action: one of the seven actions, as any kind of integer.

        Raises:
            NotResetError: the episode has not begun.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is not one of the seven actions.
        """
        state = self.state
        try:
            number = index(action)
        except TypeError:
            raise InvalidAction(f"action {action!r} is not in the action space {ACTION_SPACE}") from None
        return self._follow(transition(self.world, state, number))

    def perform(self, act: Act) -> tuple[Event, ...]:
        """Take one step with any act of `gridworld.world.acts` and return its events.

        On an error the state is unchanged.

        Raises:
            NotResetError: the episode has not begun.
            EpisodeOver: the episode has ended.
        """
        return self._follow(perform(self.world, self.state, act))

    def _follow(self, outcome: Outcome) -> tuple[Event, ...]:
        state, events = outcome
        self._snapshot = Snapshot(state, observe(self.world, self.snapshot, state))
        return events

    def look(self, cell: int) -> CellLook | None:
        """Return the current look of a cell; None for a cell shown as unseen."""
        return shown_look(self.world, self.snapshot, cell)

    def things_in_view(self) -> frozenset[str]:
        """Return the ids of the entities that are visible and not hidden."""
        world, state, visible = self.world, self.state, self.knowledge.visible
        return frozenset(
            entity.id
            for entity in world.entities
            if not world.is_hidden(state, entity.index) and not visible.isdisjoint(world.cells_of(state, entity))
        )

    def witnessed(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Return the events of the last step that the agent could perceive."""
        return witnessed(self.world, self.snapshot, events)

    @property
    def reward(self) -> float:
        """Reward of the last step; 0 before the first."""
        return reward_of(self.world, self.state)

    @property
    def succeeded(self) -> bool:
        """Whether the goal has been reached."""
        return self.state.status == Status.SUCCEEDED

    @property
    def terminated(self) -> bool:
        """Whether the episode ended by success or death."""
        return self.state.status != Status.RUNNING

    @property
    def truncated(self) -> bool:
        """Whether the step budget has run out without a success."""
        return is_truncated(self.world, self.state)
