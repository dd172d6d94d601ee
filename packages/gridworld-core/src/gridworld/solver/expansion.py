"""`Expansion`: what all actions lead to in many states at once.

The kernel alone says what an action does. Where a pose is plain, though, an agent that walks about, turns or waits does
the same in every such pose, so that it is asked once for each configuration (`gridworld.solver.plain_steps`); and from
whatever side a thing is handled, the same comes of it. Where a mechanism or the goal does not promise that, the kernel
is asked about each state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.configurations import Configurations
from gridworld.solver.event_kinds import kinds_of
from gridworld.solver.plain_steps import PlainSteps, can_learn, newly_placed, reacts
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

UNCHANGED = -1
"""Stands for the configuration that there was before an action."""
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
        special, marked = _special_places(world, poses), _places(world.marks, poses)
        self._stands_on_special = special[poses.here]
        self._faces_special = (poses.ahead >= 0) & (special | marked)[poses.ahead]  # nothing can be dropped on marks
        self._plain = PlainSteps(space, poses, self.configurations, special | marked) if can_learn(space) else None
        self._slot_of = {action: space.slots.index(action) for action in space.slots}
        self._touches_nothing = np.array([action in TOUCHES_NOTHING for action in space.slots])
        self._handling_slots = [self._slot_of[action] for action in HANDLING if space.slots.count(action) == 1]
        self._handled: dict[Hashable, list[tuple[int, int, int]]] = {}
        """What decides what comes of actions on what is in front to their slots, with the configuration that they lead
        to, or `UNCHANGED`, and the kinds of events."""
        self._reacts = reacts(space)
        self._fixed = [world.fixed_at[cell] for cell in poses.cells]
        self._marked = marked.tolist()
        self._inert = [entity.type.is_inert for entity in world.entities]

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
        shared = self._handled_alike(number, int(self.poses.ahead[pose]))
        alone = (number, int(self.poses.ahead[pose]))
        for known in (shared, alone):
            if known in self._handled:
                for slot, configuration, kinds in self._handled[known]:
                    target = number if configuration == UNCHANGED else configuration
                    batch.fill(row, slot, target * self.poses.count + pose, kinds)
                return
        self._ask(batch, row)
        handled = list(self._handling(batch, row, number, pose))
        if shared is not None and all(configuration == number for _, configuration, _ in handled):
            self._handled[shared] = [(slot, UNCHANGED, kinds) for slot, _, kinds in handled]
        else:
            self._handled[alone] = handled

    def _handled_alike(self, number: int, place: int) -> Hashable:
        """What decides what comes of actions on what is on a place, where that is nothing elsewhere; otherwise None."""
        if self._reacts:
            return None
        configuration = self.configurations[number]
        if any(at < NOTHING for at in configuration.places):  # what has just been dropped is in front, and not there
            return None
        if place < 0:
            return configuration.carried, configuration.discovered, configuration.kept
        things = [thing for thing, at in enumerate(self.configurations.places(number).tolist()) if at == place]
        things += [self._fixed[place]] if self._fixed[place] != NOTHING else []
        if not all(self._inert[thing] for thing in things):
            return None
        values = tuple((thing, configuration.values[thing]) for thing in things)
        return configuration.carried, configuration.discovered, configuration.kept, values, self._marked[place]

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
    """Places where standing, or what is in front, may matter: those of fixed things and of the goal."""
    cells = {cell for cell, thing in enumerate(world.fixed_at) if thing != NOTHING}
    if world.goal_type.agent_cells is not None:
        cells.update(world.goal_type.agent_cells(world))
    return _places(cells, poses)


def _places(cells: Iterable[int], poses: Poses) -> NDArray[np.bool_]:
    """Whether each place is one of some cells."""
    chosen = np.zeros(len(poses.cells), dtype=bool)
    chosen[[poses.place_of[cell] for cell in cells if poses.place_of[cell] >= 0]] = True
    return chosen
