"""`Expansion`: what all actions lead to in many states at once.

The kernel alone says what an action does. Where a pose is plain, though, an agent that walks about, turns or waits does
the same in every such pose: what the kernel says of one stands for all poses of a configuration. A pose is plain if the
agent stands on bare floor and faces bare floor, or nothing at all; that this suffices is what mechanisms promise with
`MechanismType.local` and goals with `GoalType.agent_cells`, and where one of them does not, the kernel is asked for
each state.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.event_kinds import kinds_of
from gridworld.solver.poses import Poses, Way
from gridworld.solver.spaces import Configuration, StateSpace, Step
from gridworld.world.state import NOTHING, State, Status
from gridworld.world.world import World

__all__ = ["DEAD", "NO_STATE", "WON", "Expansion", "Outcomes"]

NO_STATE, WON, DEAD = -1, -2, -3
"""Stand for no outcome, the end of an episode by success and by death, among states."""

Outcomes = tuple[NDArray[np.int64], NDArray[np.uint32]]
"""Targets and kinds of events, each of shape (states, slots of the space)."""

OPEN, CLOSED = 0, 1
"""What is in front of a plain pose: bare floor, or nothing that can be entered."""
EXPECTED = {Action.TURN_LEFT: (Way.LEFT,), Action.TURN_RIGHT: (Way.RIGHT,), Action.MOVE_FORWARD: (Way.AHEAD, Way.STAY)}
"""The ways that an action may change the pose on plain floor; others are told state by state."""
HANDLING = (Action.TOGGLE, Action.PICKUP, Action.DROP)
"""Actions on what is in front; where they change no pose, the side from which they are done makes no difference."""
TOUCHES_NOTHING = (Action.TURN_LEFT, Action.TURN_RIGHT, Action.DONE)
"""Actions that do the same whatever is in front."""


class Expansion:
    """Numbers the states of a space and says what actions lead to.

    The index of a state is ``configuration * poses + pose``; configurations are numbered as they are met.

    Args:
        space: the space.
    """

    def __init__(self, space: StateSpace) -> None:
        world = space.arena
        self.space = space
        self.poses = Poses(world)
        self.configurations: list[Configuration] = []
        self._numbers: dict[Configuration, int] = {}
        special = _special_places(world, self.poses)
        poses = self.poses
        self._stands_on_special = special[poses.here]
        self._faces_special = (poses.ahead >= 0) & special[poses.ahead]
        self._plain = _plain_poses(self._stands_on_special | self._faces_special, poses)
        self._slot_of = {action: space.slots.index(action) for action in space.slots}
        self._touches_nothing = np.array([action in TOUCHES_NOTHING for action in space.slots])
        self._learns = _can_learn(world) and not space.regards_agent
        self._reacts = world.reactive or world.remember is not None
        self._examples: dict[Hashable, int] = {}
        """What decides what happens on plain floor where nothing reacts, to a configuration of which it is known."""
        self._handled: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        """Configuration and the place in front to the slots of actions, with what they lead to."""
        self._handling_slots = [self._slot_of[action] for action in HANDLING if space.slots.count(action) == 1]
        things, slots = len(world.start.places), len(space.slots)
        self._places = np.full((16, things), -1, dtype=np.int32)
        self._learned = np.zeros(16, dtype=bool)
        self._regular = np.zeros((16, 2, slots), dtype=bool)
        self._following = np.full((16, 2, slots), NO_STATE, dtype=np.int32)
        self._ways = np.zeros((16, 2, slots), dtype=np.uint8)
        self._kinds = np.zeros((16, 2, slots), dtype=np.uint32)

    @property
    def capacity(self) -> int:
        """Every index so far is smaller than this."""
        return len(self.configurations) * self.poses.count

    def places(self, configurations: NDArray[np.int64]) -> NDArray[np.int32]:
        """Where the movable things are: places, or -1 for nowhere; shape (configurations, things)."""
        return self._places[configurations]

    def number_of(self, configuration: Configuration) -> int:
        """The number of a configuration, -1 if it has not been met."""
        return self._numbers.get(configuration, -1)

    def index(self, state: State, kept: Hashable) -> int:
        """The index of a state that has not ended."""
        number = self._number(self.space.configuration(state, kept))
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
        targets = np.full((len(indices), len(self.space.slots)), NO_STATE, dtype=np.int64)
        kinds = np.zeros(targets.shape, dtype=np.uint32)
        asked = np.ones(targets.shape, dtype=bool)
        stands = np.ones(len(indices), dtype=bool)
        if self._learns:
            stands = self._apply_learned(indices, targets, kinds, asked)
        for row in np.flatnonzero(asked.any(axis=1)).tolist():
            ask = self._ask if stands[row] else self._ask_facing
            ask(int(indices[row]), asked[row].tolist(), targets[row], kinds[row])
        return targets, kinds

    def _apply_learned(
        self,
        indices: NDArray[np.int64],
        targets: NDArray[np.int64],
        kinds: NDArray[np.uint32],
        asked: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Fill in what is known without asking the kernel, and say where it is still to be asked.

        Returns:
            Where the agent stands on anything but bare floor; shape (states,).
        """
        configurations, poses = np.divmod(indices, self.poses.count)
        stands, faces = self._on_and_facing(configurations, poses)
        rows = np.flatnonzero(~stands)
        met, at = configurations[rows], poses[rows]
        self._learn(met)
        front = (self.poses.ahead[at] < 0).astype(np.int64)
        known = self._regular[met, front] & (self._touches_nothing | ~faces[rows, None])
        following = self._following[met, front].astype(np.int64)
        reached = following * self.poses.count + self.poses.after[self._ways[met, front], at[:, None]]
        targets[rows] = np.where(known & (following >= 0), reached, NO_STATE)
        kinds[rows] = np.where(known, self._kinds[met, front], 0)
        asked[rows] = ~known
        return stands

    def _on_and_facing(
        self, configurations: NDArray[np.int64], poses: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether the agent stands on, and faces, anything but bare floor."""
        stands, faces = self._stands_on_special[poses], self._faces_special[poses]
        here, ahead = self.poses.here[poses], self.poses.ahead[poses]
        for places in self._places[configurations].T:
            stands = stands | (places == here)
            faces = faces | ((places == ahead) & (ahead >= 0))
        return stands, faces

    def _learn(self, configurations: NDArray[np.int64]) -> None:
        """Ask the kernel what actions do in plain poses of those configurations that are new."""
        new = np.zeros(len(self.configurations), dtype=bool)
        new[configurations] = True
        for number in np.flatnonzero(new & ~self._learned[: len(new)]).tolist():
            self._learned[number] = True
            if self._resembles(number):
                continue
            taken = set(self._places[number].tolist())
            for front, poses in enumerate(self._plain):
                pose = next((pose for pose in poses if not self._touches(pose, taken)), None)
                if pose is not None:
                    self._learn_at(number, front, pose)

    def _resembles(self, number: int) -> bool:
        """Whether what is known of another configuration holds for this one, too.

        Where nothing reacts, what lies elsewhere makes no difference to an agent on plain floor.
        """
        if self._reacts:
            return False
        carried, _, places, _, _, kept = self.configurations[number]
        likeness = (carried, kept, tuple(place for place in places if place < NOTHING))
        known = self._examples.setdefault(likeness, number)
        stays = self._following[known] == known
        if known == number or not (stays | ~self._regular[known]).all():
            return False
        self._regular[number], self._ways[number], self._kinds[number] = (
            self._regular[known],
            self._ways[known],
            self._kinds[known],
        )
        self._following[number] = np.where(stays, number, NO_STATE)
        return True

    def _touches(self, pose: int, places: set[int]) -> bool:
        return int(self.poses.here[pose]) in places or int(self.poses.ahead[pose]) in places - {-1}

    def _learn_at(self, number: int, front: int, pose: int) -> None:
        state, kept = self.space.state(self.configurations[number], *self.poses.cell_and_heading(pose))
        for action, slot in self._slot_of.items():
            found = [self._regular_step(number, pose, action, step) for step in self.space.steps(state, kept, action)]
            if None in found:
                continue
            self._regular[number, front, slot : slot + self.space.slots.count(action)] = True
            for place, step in enumerate(found, slot):
                assert step is not None
                self._following[number, front, place], self._ways[number, front, place] = step[:2]
                self._kinds[number, front, place] = step[2]

    def _regular_step(self, number: int, pose: int, action: Action, step: Step) -> tuple[int, int, int] | None:
        """The configuration after a step, the way that the pose changes, and the kinds of the events.

        None for a step whose outcome is no matter of the configuration alone, as that of dropping something somewhere.
        """
        now, kept, events = step
        if now.status:
            return None
        configuration = self.space.configuration(now, kept)
        if _newly_placed(self.configurations[number].places, configuration.places):
            return None
        reached = self.poses.number(now.cell, now.heading)
        ways = EXPECTED.get(action, (Way.STAY,))
        way = next((way for way in ways if self.poses.after[way, pose] == reached), None)
        return None if way is None else (self._number(configuration), way, kinds_of(events))

    def _ask(self, index: int, asked: list[bool], targets: NDArray[np.int64], kinds: NDArray[np.uint32]) -> None:
        """Ask the kernel about one state."""
        state, kept = self.state(index)
        for action, slot in self._slot_of.items():
            if asked[slot]:
                for place, (now, following, events) in enumerate(self.space.steps(state, kept, action), slot):
                    kinds[place] = kinds_of(events)
                    targets[place] = self._target(now, following)

    def _ask_facing(self, index: int, asked: list[bool], targets: NDArray[np.int64], kinds: NDArray[np.uint32]) -> None:
        """Ask the kernel about one state on plain floor, but for actions that were tried on the same place before."""
        number, pose = divmod(index, self.poses.count)
        known = self._handled.get((number, int(self.poses.ahead[pose])))
        if known is None:
            self._ask(index, asked, targets, kinds)
            self._handled[number, int(self.poses.ahead[pose])] = self._handling(index, asked, targets, kinds)
            return
        for slot, configuration, kind in known:
            targets[slot], kinds[slot], asked[slot] = configuration * self.poses.count + pose, kind, False
        self._ask(index, asked, targets, kinds)

    def _handling(
        self, index: int, asked: list[bool], targets: NDArray[np.int64], kinds: NDArray[np.uint32]
    ) -> list[tuple[int, int, int]]:
        """The actions on what is in front that change the configuration alone, with it and the kinds of events."""
        number, pose = divmod(index, self.poses.count)
        before = self.configurations[number].places
        found = []
        for slot in self._handling_slots:
            configuration, reached = divmod(int(targets[slot]), self.poses.count)
            if not asked[slot] or targets[slot] < 0 or reached != pose:
                continue
            if not _newly_placed(before, self.configurations[configuration].places):
                found.append((slot, configuration, int(kinds[slot])))
        return found

    def _target(self, state: State, kept: Hashable) -> int:
        if not state.status:
            return self.index(state, kept)
        return WON if state.status == Status.SUCCEEDED else DEAD

    def _number(self, configuration: Configuration) -> int:
        number = self._numbers.get(configuration)
        if number is None:
            number = self._numbers[configuration] = len(self.configurations)
            self.configurations.append(configuration)
            if number == len(self._learned):
                self._grow()
            place_of = self.poses.place_of
            self._places[number] = [place_of[cell] if cell >= 0 else -1 for cell in configuration.places]
        return number

    def _grow(self) -> None:
        self._places = _doubled(self._places)
        self._learned, self._regular = _doubled(self._learned), _doubled(self._regular)
        self._following, self._ways = _doubled(self._following), _doubled(self._ways)
        self._kinds = _doubled(self._kinds)
        self._following[len(self._following) // 2 :] = NO_STATE


def _special_places(world: World, poses: Poses) -> NDArray[np.bool_]:
    """Places where standing, or what is in front, may matter: those of fixed things, of marks and of the goal."""
    cells = {cell for cell, thing in enumerate(world.fixed_at) if thing != NOTHING} | set(world.marks)
    if world.goal_type.agent_cells is not None:
        cells.update(world.goal_type.agent_cells(world))
    special = np.zeros(len(poses.cells), dtype=bool)
    special[[poses.place_of[cell] for cell in cells if poses.place_of[cell] >= 0]] = True
    return special


def _plain_poses(special: NDArray[np.bool_], poses: Poses) -> tuple[list[int], list[int]]:
    """The poses on bare floor that face bare floor, and those that face nothing."""
    is_open = poses.ahead >= 0
    return np.flatnonzero(~special & is_open).tolist(), np.flatnonzero(~special & ~is_open).tolist()


def _can_learn(world: World) -> bool:
    """Whether what happens on plain floor is a matter of the configuration alone.

    Where something carries things about, the agent may be in their way.
    """
    in_the_way = world.carrying and world.start.places
    local = all(entity.type.local for entity in world.entities)
    return local and world.goal_type.agent_cells is not None and not in_the_way


def _newly_placed(before: tuple[int, ...], now: tuple[int, ...]) -> bool:
    return any(cell not in (former, -1) and cell >= 0 for former, cell in zip(before, now, strict=True))


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])
