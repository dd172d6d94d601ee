"""Transitions on bare floor: one kernel call per configuration instead of one per state.

A pose is plain if the agent stands on bare floor and faces bare floor, or a cell that cannot be entered. Mechanisms
declare with `MechanismType.local`, and goals with `GoalType.agent_cells`, that an action there depends only on the
configuration: `LocalTransitionCache` calls the kernel in one plain pose and applies the outcome to all others. If
walking and turning change only the pose, `ConnectedComponents` gives all reachable poses at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Set

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.spaces import Bools, Configurations, Ints, PoseChange, Poses, StateSpace, Step, doubled
from gridworld.world.events import kinds_of
from gridworld.world.state import NOTHING

EXPECTED = {
    Action.TURN_LEFT: (PoseChange.LEFT,),
    Action.TURN_RIGHT: (PoseChange.RIGHT,),
    Action.MOVE_FORWARD: (PoseChange.AHEAD, PoseChange.STAY),
}
"""Possible pose changes of an action on plain floor, other than staying; only these are cached."""
WALKING = (
    (Action.TURN_LEFT, PoseChange.LEFT, 0),
    (Action.TURN_LEFT, PoseChange.LEFT, 1),
    (Action.TURN_RIGHT, PoseChange.RIGHT, 0),
    (Action.TURN_RIGHT, PoseChange.RIGHT, 1),
    (Action.MOVE_FORWARD, PoseChange.AHEAD, 0),
)
"""Actions, their pose changes, and the cell in front: 0 for bare floor, 1 for a cell that cannot be entered."""
CACHED_POSES = 1 << 22
"""Number of poses whose components are cached, counted separately for each arrangement of entities."""
BYTES_PER_ARRANGEMENT = 180
"""Measured memory of one arrangement of entities without its components, in bytes."""
NO_COMPONENT = -1


def can_cache(space: StateSpace) -> bool:
    """Whether outcomes in plain poses depend only on the configuration.

    They do not if movable entities are carried along, since the agent may be in their way.
    """
    world = space.world
    in_the_way = world.carrying and world.start.places
    local = all(entity.type.local for entity in world.entities)
    return local and world.goal_type.agent_cells is not None and not in_the_way and not space.depends_on_agent


def is_reactive(space: StateSpace) -> bool:
    """Whether an action can have effects away from the agent."""
    world = space.world
    has_autonomous_dynamics = bool(world.carrying or world.ticking) or world.remember is not None
    return world.reactive or has_autonomous_dynamics or space.depends_on_entities


@attrs.define
class _Transitions:
    """Transitions by configuration, cell in front (0 bare floor, 1 cannot be entered) and slot."""

    known: Bools
    """Whether the outcome is known, and depends only on the configuration."""
    following: NDArray[np.int32]
    """Number of the next configuration; -1 for no outcome."""
    changes: NDArray[np.uint8]
    """The `PoseChange`."""
    kinds: NDArray[np.uint32]
    """Kinds of the events."""

    @classmethod
    def of(cls, slots: int) -> _Transitions:
        shape = (16, 2, slots)
        return cls(*(np.zeros(shape, dtype=dtype) for dtype in (bool, np.int32, np.uint8, np.uint32)))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.known.nbytes + self.following.nbytes + self.changes.nbytes + self.kinds.nbytes

    def grow(self) -> None:
        self.known, self.following = doubled(self.known), doubled(self.following)
        self.changes, self.kinds = doubled(self.changes), doubled(self.kinds)


class LocalTransitionCache:
    """Transitions in plain poses, computed in a single plain pose per configuration.

    Args:
        space: the space.
        poses: poses of its world.
        configurations: the configurations met so far; new ones are added.
        special: mask of floor cells that may hold a fixed entity, or matter to the goal; shape (places,).
    """

    def __init__(self, space: StateSpace, poses: Poses, configurations: Configurations, special: Bools) -> None:
        self._space, self._poses, self._configurations = space, poses, configurations
        is_open = poses.ahead >= 0
        plain = ~special[poses.here] & ~(is_open & special[poses.ahead])
        self._examples = np.flatnonzero(plain & is_open).tolist(), np.flatnonzero(plain & ~is_open).tolist()
        """Poses that are plain unless a movable entity is there: facing bare floor, and facing a cell that cannot be
        entered.
        """
        self._slot_of = {action: space.slots.index(action) for action in space.slots}
        self._steps = _Transitions.of(len(space.slots))
        self._computed = np.zeros(16, dtype=bool)
        self._reactive = is_reactive(space)
        self._known_of_class: dict[Hashable, int] = {}
        """A known configuration for each equivalence class, in worlds that are not reactive."""

    @property
    def memory(self) -> int:
        """Estimated bytes."""
        return self._steps.nbytes + self._computed.nbytes

    def lookup(self, configurations: Ints, poses: Ints) -> tuple[Bools, Ints, NDArray[np.uint32]]:
        """Return the outcomes of actions in plain poses.

        Args:
            configurations: numbers, shape (states,).
            poses: numbers, shape (states,).

        Returns:
            Whether each outcome is known, the indices of the next states (-1 for no outcome), and the event kinds; each
            of shape (states, slots). Outcomes that depend on the pose, such as a drop, are unknown.
        """
        self._compute(configurations)
        steps, front = self._steps, (self._poses.ahead[poses] < 0).astype(np.int64)
        following = steps.following[configurations, front].astype(np.int64)
        reached = self._poses.after[steps.changes[configurations, front], poses[:, None]]
        indices = np.where(following >= 0, following * self._poses.count + reached, -1)
        return steps.known[configurations, front], indices, steps.kinds[configurations, front]

    def walking_changes_pose_alone(self, configurations: Ints) -> Bools:
        """Whether walking and turning are known to change only the pose, as expected; shape (states,)."""
        self._compute(configurations)
        steps, numbers = self._steps, configurations[:, None]
        slots = [self._slot_of[action] for action, _, _ in WALKING]
        _, changes, fronts = zip(*WALKING, strict=True)
        as_expected = steps.known[numbers, fronts, slots] & (steps.changes[numbers, fronts, slots] == changes)
        unchanged: Bools = (as_expected & (steps.following[numbers, fronts, slots] == numbers)).all(axis=1)
        return unchanged

    def _compute(self, configurations: Ints) -> None:
        """Call the kernel for new configurations."""
        while len(self._configurations) > len(self._computed):
            self._computed = doubled(self._computed)
            self._steps.grow()
        if self._computed[configurations].all():
            return
        new = np.zeros(len(self._computed), dtype=bool)
        new[configurations] = True
        new &= ~self._computed
        self._computed |= new
        for number in np.flatnonzero(new).tolist():
            if self._reactive or not self._copy_from_equivalent(number):
                self._compute_in(number)

    def _compute_in(self, number: int) -> None:
        taken = set(self._configurations.places(number).tolist()) - {-1}
        here, ahead = self._poses.here, self._poses.ahead
        for front, poses in enumerate(self._examples):
            free = (pose for pose in poses if here[pose] not in taken and ahead[pose] not in taken)
            pose = next(free, None)
            if pose is not None:
                self._compute_at(number, front, pose)

    def _compute_at(self, number: int, front: int, pose: int) -> None:
        space, steps = self._space, self._steps
        state, kept = space.state(self._configurations[number], *self._poses.cell_and_heading(pose))
        for action, slot in self._slot_of.items():
            found = [self._local_step(number, pose, action, step) for step in space.steps(state, kept, action)]
            if None in found:
                continue
            last = slot + space.slots.count(action)
            steps.known[number, front, slot:last] = True
            steps.following[number, front, slot:last] = -1
            for place, step in enumerate(found, slot):
                assert step is not None
                steps.following[number, front, place], steps.changes[number, front, place] = step[:2]
                steps.kinds[number, front, place] = step[2]

    def _local_step(self, number: int, pose: int, action: Action, step: Step) -> tuple[int, int, int] | None:
        """Return the configuration after a step, its pose change and its event kinds.

        None if the outcome depends on more than the configuration, as with a drop.
        """
        now, kept, events = step
        if now.status:
            return None
        configuration = self._space.configuration(now, kept)
        before = self._configurations[number].places
        after = configuration.places
        if any(cell not in (former, -1) and cell >= 0 for former, cell in zip(before, after, strict=True)):
            return None
        reached = self._poses.number(now.cell, now.heading)
        changes = EXPECTED.get(action, (PoseChange.STAY,))
        change = next((change for change in changes if self._poses.after[change, pose] == reached), None)
        return None if change is None else (self._configurations.number(configuration), change, kinds_of(events))

    def _copy_from_equivalent(self, number: int) -> bool:
        """Copy the transitions of an equivalent configuration, if any: entities elsewhere do not matter."""
        carried, _, places, _, _, kept = self._configurations[number]
        equivalence_class = (carried, kept, tuple(place for place in places if place < NOTHING))
        known = self._known_of_class.setdefault(equivalence_class, number)
        steps = self._steps
        stays = steps.known[known] & (steps.following[known] == known)
        if known == number or not (stays | ~steps.known[known] | (steps.following[known] < 0)).all():
            return False
        steps.known[number], steps.changes[number] = steps.known[known], steps.changes[known]
        steps.kinds[number] = steps.kinds[known]
        steps.following[number] = np.where(stays, number, -1)
        return True


class ConnectedComponents:
    """Connected components of the poses on bare floor, under walking and turning around movable entities.

    Args:
        poses: poses of the world.
        bare: mask of floor cells that are always bare, shape (places,).
    """

    def __init__(self, poses: Poses, bare: Bools) -> None:
        self._poses = poses
        turned, returns = _turning_orbits(poses)
        bare = bare[poses.here] & returns
        ahead = np.flatnonzero(bare & (poses.ahead >= 0))
        ahead = ahead[bare[poses.after[PoseChange.AHEAD, ahead]]]
        steps = np.unique(np.stack([turned[ahead], turned[poses.after[PoseChange.AHEAD, ahead]]], axis=1), axis=0)
        self._turned, self._bare = turned, bare
        self._place_of: dict[int, int] = dict(zip(turned[bare].tolist(), poses.here[bare].tolist(), strict=True))
        """Floor cell of each turning orbit on bare floor."""
        self._neighbours: dict[int, list[int]] = {orbit: [] for orbit in self._place_of}
        for orbit, other in steps.tolist():
            self._neighbours[orbit].append(other)
        self._symmetric = all(orbit in self._neighbours[other] for orbit, other in steps.tolist())
        """Whether every step can be reversed; if not, components are not used."""
        self._components: dict[Set[int], Ints] = {}

    @property
    def memory(self) -> int:
        """Estimated memory of the cached components in bytes."""
        return len(self._components) * (self._poses.count * 8 + BYTES_PER_ARRANGEMENT)

    def containing(self, poses: Ints, taken: Set[int]) -> Ints:
        """Return all poses in the components of the given poses.

        Args:
            poses: shape (poses,); poses off bare floor belong to no component.
            taken: floor cells occupied by movable entities.

        Returns:
            Shape (poses,), in ascending order.
        """
        if not self._symmetric:
            return poses[:0]
        components = self._components.get(taken)
        if components is None:
            if len(self._components) * self._poses.count > CACHED_POSES:
                self._components.clear()
            components = self._components[taken] = self._find_components(taken)
        begun = set(components[poses].tolist()) - {NO_COMPONENT}
        if len(begun) == 1:
            return np.flatnonzero(components == begun.pop())
        return np.flatnonzero(np.isin(components, sorted(begun))) if begun else poses[:0]

    def _find_components(self, taken: Set[int]) -> Ints:
        """Return the component number of each pose, or `NO_COMPONENT`."""
        component_of = np.full(self._poses.count, NO_COMPONENT, dtype=np.int64)
        closed = {orbit for orbit, place in self._place_of.items() if place in taken}
        for first in self._place_of:
            if first in closed:
                continue
            closed.add(first)
            frontier = [first]
            for orbit in frontier:  # the list grows while it is walked through
                component_of[orbit] = first
                for other in self._neighbours[orbit]:
                    if other not in closed:
                        closed.add(other)
                        frontier.append(other)
        return np.where(self._bare, component_of[self._turned], NO_COMPONENT)


def _turning_orbits(poses: Poses) -> tuple[Ints, Bools]:
    """Return the lowest pose in each pose's turning orbit, and whether turning returns to the pose itself.

    It does not return for headings at which the cell has no edge.
    """
    same = np.arange(poses.count)
    least, returns, following = same, np.zeros(poses.count, dtype=bool), same
    for _ in range(poses.headings):
        following = poses.after[PoseChange.LEFT, following]
        least, returns = np.minimum(least, following), returns | (following == same)
    return least, returns
