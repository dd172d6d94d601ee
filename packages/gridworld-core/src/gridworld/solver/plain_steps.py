"""`PlainSteps`: what the kernel says of one plain pose of a configuration, kept for all of them.

A pose is plain if the agent stands on bare floor and faces bare floor, or nothing that can be entered. That what
happens there is a matter of the configuration alone is what mechanisms promise with `MechanismType.local` and goals
with `GoalType.agent_cells`.
"""

from __future__ import annotations

from collections.abc import Hashable

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.configurations import Configurations, doubled
from gridworld.solver.dropped_things import Likenesses
from gridworld.solver.event_kinds import kinds_of
from gridworld.solver.poses import Poses, Way
from gridworld.solver.spaces import StateSpace, Step
from gridworld.world.state import NOTHING

__all__ = ["PlainSteps", "can_learn", "goes_on_by_itself", "newly_placed", "reacts"]

EXPECTED = {Action.TURN_LEFT: (Way.LEFT,), Action.TURN_RIGHT: (Way.RIGHT,), Action.MOVE_FORWARD: (Way.AHEAD, Way.STAY)}
"""The ways that an action may change the pose on plain floor, other than by staying; no others are learned."""
WALKING = (
    (Action.TURN_LEFT, Way.LEFT, 0),
    (Action.TURN_LEFT, Way.LEFT, 1),
    (Action.TURN_RIGHT, Way.RIGHT, 0),
    (Action.TURN_RIGHT, Way.RIGHT, 1),
    (Action.MOVE_FORWARD, Way.AHEAD, 0),
)
"""Actions, what they do to the pose, and with what in front: 0 for bare floor, 1 for nothing."""


def can_learn(space: StateSpace) -> bool:
    """Whether what happens in plain poses is a matter of the configuration alone.

    Where something carries things about, the agent may be in their way.
    """
    world = space.arena
    in_the_way = world.carrying and world.start.places
    local = all(entity.type.local for entity in world.entities)
    return local and world.goal_type.agent_cells is not None and not in_the_way and not space.regards_agent


def newly_placed(before: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Whether a thing is on a cell on which it was not before."""
    return any(cell not in (former, -1) and cell >= 0 for former, cell in zip(before, now, strict=True))


@attrs.define
class _Steps:
    """Steps by configuration, what is in front (bare floor, or nothing), and slot."""

    regular: NDArray[np.bool_]
    """Whether it is known."""
    following: NDArray[np.int32]
    """The configuration that it leads to, -1 for no outcome."""
    ways: NDArray[np.uint8]
    """How it changes the pose, a `Way`."""
    kinds: NDArray[np.uint32]
    """Of its events."""

    @classmethod
    def of(cls, slots: int) -> _Steps:
        shape = (16, 2, slots)
        return cls(*(np.zeros(shape, dtype=dtype) for dtype in (bool, np.int32, np.uint8, np.uint32)))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.regular.nbytes + self.following.nbytes + self.ways.nbytes + self.kinds.nbytes

    def grow(self) -> None:
        self.regular, self.following = doubled(self.regular), doubled(self.following)
        self.ways, self.kinds = doubled(self.ways), doubled(self.kinds)


class PlainSteps:
    """Asks the kernel about one plain pose of each configuration.

    Args:
        space: the space.
        poses: those of its world.
        configurations: those that have been met; what is led to is added.
        special: the places where things are at any time, or where it matters to the goal that the agent stands.
        likenesses: those of the configurations.
    """

    def __init__(
        self,
        space: StateSpace,
        poses: Poses,
        configurations: Configurations,
        special: NDArray[np.bool_],
        likenesses: Likenesses,
    ) -> None:
        self._space, self._poses, self._configurations = space, poses, configurations
        self._likenesses = likenesses
        is_open = poses.ahead >= 0
        plain = ~special[poses.here] & ~(is_open & special[poses.ahead])
        self._examples = np.flatnonzero(plain & is_open).tolist(), np.flatnonzero(plain & ~is_open).tolist()
        """Poses that are plain unless a movable thing is there: with bare floor in front, and with nothing."""
        self._slot_of = {action: space.slots.index(action) for action in space.slots}
        self._steps = _Steps.of(len(space.slots))
        self._asked = np.zeros(16, dtype=bool)
        self._reacts = reacts(space)
        self._alike: dict[Hashable, int] = {}
        """What decides what happens on plain floor where nothing reacts, to a configuration of which it is known."""

    @property
    def memory(self) -> int:
        """Bytes of what is known."""
        return self._steps.nbytes + self._asked.nbytes

    def of(
        self, configurations: NDArray[np.int64], poses: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.uint32]]:
        """What actions do in plain poses.

        Args:
            configurations: numbers, shape (states,).
            poses: numbers, shape (states,).

        Returns:
            Whether it is known, the indices of the states that they lead to (-1 for no outcome), and the kinds of
            events; each of shape (states, slots). What depends on the pose, as dropping something does, is unknown.
        """
        self._learn(configurations)
        steps, front = self._steps, (self._poses.ahead[poses] < 0).astype(np.int64)
        following = steps.following[configurations, front].astype(np.int64)
        reached = following * self._poses.count + self._poses.after[steps.ways[configurations, front], poses[:, None]]
        indices = np.where(following >= 0, reached, -1)
        return steps.regular[configurations, front], indices, steps.kinds[configurations, front]

    def changes_nothing(self, configurations: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether walking on and turning are known to change nothing but the pose, as they do; shape (states,)."""
        self._learn(configurations)
        steps, numbers = self._steps, configurations[:, None]
        slots = [self._slot_of[action] for action, _, _ in WALKING]
        _, ways, fronts = zip(*WALKING, strict=True)
        as_expected = steps.regular[numbers, fronts, slots] & (steps.ways[numbers, fronts, slots] == ways)
        unchanged: NDArray[np.bool_] = (as_expected & (steps.following[numbers, fronts, slots] == numbers)).all(axis=1)
        return unchanged

    def _learn(self, configurations: NDArray[np.int64]) -> None:
        """Ask the kernel what actions do in those configurations that are new."""
        while len(self._configurations) > len(self._asked):
            self._make_room()
        if self._asked[configurations].all():
            return
        new = np.zeros(len(self._asked), dtype=bool)
        new[configurations] = True
        new &= ~self._asked
        self._asked |= new
        for number in np.flatnonzero(new).tolist():
            if not self._resembles(number):
                self._learn_in(number)

    def _make_room(self) -> None:
        self._asked = doubled(self._asked)
        self._steps.grow()

    def _learn_in(self, number: int) -> None:
        taken = set(self._configurations.places(number).tolist())
        for front, poses in enumerate(self._examples):
            pose = next((pose for pose in poses if not self._touches(pose, taken)), None)
            if pose is not None:
                self._learn_at(number, front, pose)

    def _touches(self, pose: int, places: set[int]) -> bool:
        return int(self._poses.here[pose]) in places or self._poses.in_front[pose] in places - {-1}

    def _learn_at(self, number: int, front: int, pose: int) -> None:
        space, steps = self._space, self._steps
        state, kept = space.state(self._configurations[number], *self._poses.cell_and_heading(pose))
        for action, slot in self._slot_of.items():
            found = [self._regular_step(number, pose, action, step) for step in space.steps(state, kept, action)]
            if None in found:
                continue
            last = slot + space.slots.count(action)
            steps.regular[number, front, slot:last] = True
            steps.following[number, front, slot:last] = -1
            for place, step in enumerate(found, slot):
                assert step is not None
                steps.following[number, front, place], steps.ways[number, front, place] = step[:2]
                steps.kinds[number, front, place] = step[2]

    def _regular_step(self, number: int, pose: int, action: Action, step: Step) -> tuple[int, int, int] | None:
        """The configuration after a step, the way that the pose changes, and the kinds of the events.

        None for a step whose outcome is no matter of the configuration alone, as that of dropping something somewhere.
        """
        now, kept, events = step
        if now.status:
            return None
        configuration = self._space.configuration(now, kept)
        if newly_placed(self._configurations[number].places, configuration.places):
            return None
        reached = self._poses.number(now.cell, now.heading)
        ways = EXPECTED.get(action, (Way.STAY,))
        way = next((way for way in ways if self._poses.after[way, pose] == reached), None)
        return None if way is None else (self._configurations.number(configuration), way, kinds_of(events))

    def _resembles(self, number: int) -> bool:
        """Whether what is known of another configuration holds for this one, too; then it is taken on.

        Where nothing reacts, what lies elsewhere makes no difference to an agent on plain floor.
        """
        if self._reacts:
            return self._is_like_another(number)
        carried, _, places, _, _, kept = self._configurations[number]
        likeness = (carried, kept, tuple(place for place in places if place < NOTHING))
        known = self._alike.setdefault(likeness, number)
        steps = self._steps
        stays = steps.regular[known] & (steps.following[known] == known)
        if known == number or not (stays | ~steps.regular[known] | (steps.following[known] < 0)).all():
            return False
        steps.regular[number], steps.ways[number] = steps.regular[known], steps.ways[known]
        steps.kinds[number] = steps.kinds[known]
        steps.following[number] = np.where(stays, number, -1)
        return True

    def _is_like_another(self, number: int) -> bool:
        """The same for one that differs from another in where dropped things lie."""
        likeness = self._likenesses.of(number)
        if likeness is None:
            return False
        known = self._alike.setdefault(likeness.template, number)
        other = self._likenesses.of(known)
        if known == number or other is None:
            return False
        steps = self._steps
        following = steps.following[known].copy()
        for reached in sorted(set(following[steps.regular[known] & (following >= 0)].tolist())):
            template = other.template_of(self._configurations[reached])
            if template is None:
                return False
            own = self._likenesses.filled_in(number, self._likenesses.template_number(template))
            following[steps.following[known] == reached] = own
        while len(self._configurations) > len(self._asked):
            self._make_room()
        steps.regular[number], steps.ways[number] = steps.regular[known], steps.ways[known]
        steps.kinds[number], steps.following[number] = steps.kinds[known], following
        return True


def goes_on_by_itself(space: StateSpace) -> bool:
    """Whether anything can happen though an action changes nothing.

    What senses and derives does so only where something has changed.
    """
    world = space.arena
    return bool(world.carrying or world.ticking) or world.remember is not None or space.regards_things


def reacts(space: StateSpace) -> bool:
    """Whether anything can happen elsewhere than where the agent acts."""
    return space.arena.reactive or goes_on_by_itself(space)
