"""`Expansion`: what all actions lead to in many states at once.

The kernel alone says what an action does. Where a pose is plain, though, an agent that walks about, turns or waits does
the same in every such pose, so that it is asked once for each configuration (`gridworld.solver.plain_steps`); and from
whatever side a thing is handled, the same comes of it. Where a mechanism or the goal does not promise that, the kernel
is asked about each state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.configurations import Configurations
from gridworld.solver.event_kinds import kinds_of
from gridworld.solver.plain_steps import PlainSteps, can_learn, newly_placed
from gridworld.solver.poses import Poses
from gridworld.solver.spaces import StateSpace
from gridworld.world.state import NOTHING, State, Status
from gridworld.world.world import World

__all__ = ["DEAD", "NO_STATE", "WON", "Expansion", "Outcomes"]

NO_STATE = -1
"""Stands for no outcome among states."""
WON = -2
"""Stands for the end of an episode by success among states."""
DEAD = -3
"""Stands for the end of an episode by death among states."""

Outcomes = tuple[NDArray[np.int64], NDArray[np.uint32]]
"""Targets and kinds of events, each of shape (states, slots of the space)."""

HANDLING = (Action.TOGGLE, Action.PICKUP, Action.DROP)
"""Actions on what is in front; where they change no pose, the side from which they are done makes no difference."""
TOUCHES_NOTHING = (Action.TURN_LEFT, Action.TURN_RIGHT, Action.DONE)
"""Actions that do the same whatever is in front."""


class Expansion:
    """Numbers the states of a space and says what actions lead to.

    The index of a state is ``configuration * poses + pose``.

    Args:
        space: the space.
    """

    def __init__(self, space: StateSpace) -> None:
        world = space.arena
        self.space = space
        self.poses = poses = Poses(world)
        self.configurations = Configurations(poses, len(world.start.places))
        special = _special_places(world, poses)
        self._stands_on_special = special[poses.here]
        self._faces_special = (poses.ahead >= 0) & special[poses.ahead]
        self._plain = PlainSteps(space, poses, self.configurations, special) if can_learn(space) else None
        self._slot_of = {action: space.slots.index(action) for action in space.slots}
        self._touches_nothing = np.array([action in TOUCHES_NOTHING for action in space.slots])
        self._handling_slots = [self._slot_of[action] for action in HANDLING if space.slots.count(action) == 1]
        self._handled: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        """Configuration and place in front to slots, with the configuration that they lead to and kinds of events."""

    @property
    def capacity(self) -> int:
        """Every index so far is smaller than this."""
        return len(self.configurations) * self.poses.count

    def index(self, state: State, kept: Hashable) -> int:
        """The index of a state that has not ended."""
        number = self.configurations.number(self.space.configuration(state, kept))
        return number * self.poses.count + self.poses.number(state.cell, state.heading)

    def state(self, index: int) -> tuple[State, Hashable]:
        """The state with an index, and what is kept there."""
        configuration, pose = divmod(index, self.poses.count)
        return self.space.state(self.configurations[configuration], *self.poses.cell_and_heading(pose))

    def outcomes(self, indices: NDArray[np.int64]) -> Outcomes:
        """What the actions of ``space.slots`` lead to in states: indices of states, `WON`, `DEAD` or `NO_STATE`.

        Args:
            indices: those of the states, shape (states,).
        """
        batch = _Batch(indices, len(self.space.slots))
        if self._plain is not None:
            self._fill_in(self._plain, batch)
        for row in np.flatnonzero(batch.asked.any(axis=1)).tolist():
            if batch.on_plain_floor[row]:
                self._handle(batch, row)
            self._ask(batch, row)
        return batch.targets, batch.kinds

    def _fill_in(self, plain: PlainSteps, batch: _Batch) -> None:
        """Fill in what is known of plain poses."""
        configurations, poses = np.divmod(batch.indices, self.poses.count)
        stands, faces = self._on_and_facing(configurations, poses)
        rows = np.flatnonzero(~stands)
        known, targets, kinds = plain.of(configurations[rows], poses[rows])
        known = known & (self._touches_nothing | ~faces[rows, None])
        batch.targets[rows] = np.where(known, targets, NO_STATE)
        batch.kinds[rows] = np.where(known, kinds, 0)
        batch.asked[rows] = ~known
        batch.on_plain_floor[rows] = True

    def _on_and_facing(
        self, configurations: NDArray[np.int64], poses: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether the agent stands on, and faces, anything but bare floor."""
        stands, faces = self._stands_on_special[poses], self._faces_special[poses]
        here, ahead = self.poses.here[poses], self.poses.ahead[poses]
        for places in self.configurations.places(configurations).T:
            stands = stands | (places == here)
            faces = faces | ((places == ahead) & (ahead >= 0))
        return stands, faces

    def _handle(self, batch: _Batch, row: int) -> None:
        """Fill in what is known of actions on what is in front, after asking the kernel for it if that is new."""
        number, pose = divmod(int(batch.indices[row]), self.poses.count)
        front = (number, int(self.poses.ahead[pose]))
        if front not in self._handled:
            self._ask(batch, row)
            self._handled[front] = list(self._handling(batch, row, number, pose))
            return
        for slot, configuration, kinds in self._handled[front]:
            batch.fill(row, slot, configuration * self.poses.count + pose, kinds)

    def _handling(self, batch: _Batch, row: int, number: int, pose: int) -> Iterator[tuple[int, int, int]]:
        """The actions on what is in front that change the configuration alone."""
        before = self.configurations[number].places
        for slot in self._handling_slots:
            target = int(batch.targets[row, slot])
            configuration, reached = divmod(target, self.poses.count)
            if target >= 0 and reached == pose and not newly_placed(before, self.configurations[configuration].places):
                yield slot, configuration, int(batch.kinds[row, slot])

    def _ask(self, batch: _Batch, row: int) -> None:
        """Ask the kernel for what is not known of one state."""
        asked = batch.asked[row].tolist()
        if not any(asked):
            return
        state, kept = self.state(int(batch.indices[row]))
        for action, slot in self._slot_of.items():
            if asked[slot]:
                for place, (now, following, events) in enumerate(self.space.steps(state, kept, action), slot):
                    batch.fill(row, place, self._target(now, following), kinds_of(events))
        batch.asked[row] = False

    def _target(self, state: State, kept: Hashable) -> int:
        if not state.status:
            return self.index(state, kept)
        return WON if state.status == Status.SUCCEEDED else DEAD


class _Batch:
    """States whose outcomes are being worked out."""

    def __init__(self, indices: NDArray[np.int64], slots: int) -> None:
        shape = (len(indices), slots)
        self.indices = indices
        self.targets = np.full(shape, NO_STATE, dtype=np.int64)
        self.kinds = np.zeros(shape, dtype=np.uint32)
        self.asked = np.ones(shape, dtype=bool)
        """Where the kernel is still to be asked."""
        self.on_plain_floor = np.zeros(len(indices), dtype=bool)
        """Whether the agent stands on bare floor; where nothing is promised, nobody does."""

    def fill(self, row: int, slot: int, target: int, kinds: int) -> None:
        """One outcome is known."""
        self.targets[row, slot], self.kinds[row, slot], self.asked[row, slot] = target, kinds, False


def _special_places(world: World, poses: Poses) -> NDArray[np.bool_]:
    """Places where standing, or what is in front, may matter: those of fixed things, of marks and of the goal."""
    cells = {cell for cell, thing in enumerate(world.fixed_at) if thing != NOTHING} | set(world.marks)
    if world.goal_type.agent_cells is not None:
        cells.update(world.goal_type.agent_cells(world))
    special = np.zeros(len(poses.cells), dtype=bool)
    special[[poses.place_of[cell] for cell in cells if poses.place_of[cell] >= 0]] = True
    return special
