"""`Expansion`: what all actions lead to in many states at once.

The kernel alone says what an action does. Where a pose is plain, though, an agent that walks about, turns or waits does
the same in every such pose, so that it is asked once for each configuration (`gridworld.solver.plain_steps`); and from
whatever side a thing is handled, the same comes of it. Where a mechanism or the goal does not promise that, the kernel
is asked about each state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.configurations import Configurations
from gridworld.solver.dropped_things import Likeness, Likenesses
from gridworld.solver.event_kinds import kinds_of
from gridworld.solver.plain_steps import PlainSteps, can_learn, goes_on_by_itself, newly_placed, reacts
from gridworld.solver.poses import Poses
from gridworld.solver.spaces import StateSpace
from gridworld.solver.walking_regions import WalkingRegions
from gridworld.world.state import NOTHING, State, Status
from gridworld.world.traits import Trait
from gridworld.world.world import Entity, World

__all__ = ["DEAD", "NO_STATE", "WON", "Expansion", "Outcomes"]

NO_STATE = -1
"""Stands for no outcome among states."""
WON = -2
"""Stands for the end of an episode by success among states."""
DEAD = -3
"""Stands for the end of an episode by death among states."""

Outcomes = tuple[NDArray[np.int64], NDArray[np.uint32]]
"""Targets and kinds of events, each of shape (states, slots of the space)."""

REMEMBERED = 1 << 17
"""Of so many states it is kept what the kernel has said of all that are like them."""
OF_HANDLING, OF_ANSWERS = 640, 520
"""Bytes that are kept of what is known of actions on what is in front somewhere, and of what the kernel has said of all
states that are alike; both as measured."""
_Answer = tuple[int, int, int]
"""What the kernel says of an action: its slot, the target, and the kinds of events."""
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
        self._bare = ~(special | marked)
        self._stands_on_special = special[poses.here]
        self._faces_special = (poses.ahead >= 0) & (special | marked)[poses.ahead]  # nothing can be dropped on marks
        likenesses = Likenesses(space, poses, self.configurations, self._bare)
        plain = (
            PlainSteps(space, poses, self.configurations, special | marked, likenesses) if can_learn(space) else None
        )
        self._plain = plain
        self._likenesses = likenesses
        self._told: dict[Hashable, list[tuple[int, int, int, int]]] = {}
        """What the kernel says of all states that differ in where dropped things lie: the slot of an action, the
        number of the template of the configuration that it leads to, or how it ends, the pose, and the kinds of
        events."""
        self._slot_of = {action: space.slots.index(action) for action in space.slots}
        self._touches_nothing = np.array([action in TOUCHES_NOTHING for action in space.slots])
        self._handling_slots = {slot for slot, action in enumerate(space.slots) if action in HANDLING}
        self._first_slots = [self._slot_of[action] for action in space.slots]
        self._handled: dict[Hashable, _Handled] = {}
        """What decides what comes of actions on what is in front to what is known of it."""
        self._goes_on_by_itself, self._reacts = goes_on_by_itself(space), reacts(space)
        self._fixed = [world.fixed_at[cell] for cell in poses.cells]
        self._marked = marked.tolist()
        self._entered_alike = [_is_entered_alike(world, entity) for entity in world.entities]
        self._answers_hands = [bool(entity.type.on_toggle or entity.type.on_pickup) for entity in world.entities]

    @property
    def capacity(self) -> int:
        """Every index so far is smaller than this."""
        return len(self.configurations) * self.poses.count

    @property
    def memory(self) -> int:
        """Bytes that are kept of configurations, and of what the kernel has said: within a tenth, as measured."""
        learnt = 0 if self._plain is None else self._plain.memory + self._regions.memory
        said = len(self._handled) * OF_HANDLING + len(self._told) * OF_ANSWERS
        return self.configurations.memory + self._likenesses.memory + learnt + said

    @cached_property
    def _regions(self) -> WalkingRegions:
        return WalkingRegions(self.poses, self._bare)

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
        batch = self._foresee(indices)
        rows = np.flatnonzero(batch.asked.any(axis=1))
        states = zip(
            indices[rows].tolist(), batch.asked[rows].tolist(), batch.on_plain_floor[rows].tolist(), strict=True
        )
        answers = [self._handle(index, asked) if floor else self._ask(index, asked) for index, asked, floor in states]
        batch.fill(rows, answers)
        return batch.targets, batch.kinds

    def foreseen(self, indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.bool_]]:
        """The same as far as it is known without asking the kernel: targets, kinds, and where they are known.

        Each is of shape (states, slots of the space); what is not known is `NO_STATE`.
        """
        batch = self._foresee(indices)
        return batch.targets, batch.kinds, ~batch.asked

    def walked_to(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The states to which walking about and turning on bare floor leads, as far as that is foreseen.

        Nothing changes by it but the pose.
        """
        if self._plain is None:
            return indices[:0]
        configurations, poses = np.divmod(indices, self.poses.count)
        met = np.unique(configurations)
        found = [indices[:0]]
        for number in met[self._plain.changes_nothing(met)].tolist():
            taken = frozenset(self.configurations.places(number).tolist()) - {-1}
            walked = self._regions.around(poses[configurations == number], taken)
            found.append(number * self.poses.count + walked)
        return np.concatenate(found)

    def _foresee(self, indices: NDArray[np.int64]) -> _Batch:
        batch = _Batch(indices, len(self.space.slots))
        if self._plain is not None:
            self._fill_in(self._plain, batch)
        return batch

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

    def _handle(self, index: int, asked: list[bool]) -> list[_Answer]:
        """What comes of actions on plain floor; for those on what is in front the kernel is asked if that is new."""
        number, pose = divmod(index, self.poses.count)
        shared, alone = self._handled_alike(number, pose), (number, self.poses.in_front[pose])
        known = self._handled.get(alone if shared is None else shared, self._handled.get(alone))
        if known is None:
            answers = self._ask(index, asked)
            self._note_handled(number, pose, shared, answers)
            return answers
        answers = []
        for slot, configuration, kinds in known.answers:
            if asked[slot]:
                target = number if configuration == UNCHANGED else configuration
                answers.append((slot, DEAD if target == DEAD else target * self.poses.count + pose, kinds))
        for slot in known.slots:
            asked[slot] = False
        return [*answers, *self._ask(index, asked)] if any(asked) else answers

    def _note_handled(self, number: int, pose: int, shared: Hashable, answers: list[_Answer]) -> None:
        """Note what came of those actions on what is in front that change the configuration alone, or are deadly."""
        found: dict[int, list[_Answer | None]] = {}
        things = self._in_front(number, pose)
        deadly = bool(things) and all(self._entered_alike[thing] for thing in things)
        for slot, target, kinds in answers:
            of_action = found.setdefault(self._first_slots[slot], [])
            if target == DEAD and deadly and self.space.slots[slot] is Action.MOVE_FORWARD:
                of_action.append((slot, DEAD, kinds))
            else:
                of_action.append(self._handling(number, pose, slot, target, kinds))
        handled = _Handled.of(found, self.space.slots)
        everywhere = {number} if self._reacts else {number, DEAD}  # what reacts may do so in the step to death
        if shared is not None and all(configuration in everywhere for _, configuration, _ in handled.answers):
            self._handled[shared] = handled.wherever(number)
        else:
            self._handled[number, self.poses.in_front[pose]] = handled

    def _handled_alike(self, number: int, pose: int) -> Hashable:
        """What decides what comes of actions on what is in front, where that is nothing elsewhere; otherwise None."""
        if self._goes_on_by_itself:
            return None
        place = self.poses.in_front[pose]
        configuration = self.configurations[number]
        if min(configuration.places, default=0) < NOTHING:  # what has just been dropped is in front, and not there
            return None
        if place < 0:
            return configuration.carried, configuration.discovered, configuration.kept
        things = self._in_front(number, pose)
        if any(self._answers_hands[thing] for thing in things):
            return None
        values = tuple((thing, configuration.values[thing]) for thing in things)
        return configuration.carried, configuration.discovered, configuration.kept, values, self._marked[place]

    def _in_front(self, number: int, pose: int) -> list[int]:
        """The things on the place in front."""
        place = self.poses.in_front[pose]
        if place < 0:
            return []
        cell, fixed, places = self.poses.cells[place], self._fixed[place], self.configurations[number].places
        things = [thing for thing, at in enumerate(places) if at == cell] if cell in places else []
        return things if fixed == NOTHING else [*things, fixed]

    def _handling(self, number: int, pose: int, slot: int, target: int, kinds: int) -> _Answer | None:
        """What an action on what is in front leads to by configurations, if it changes nothing else."""
        configuration, reached = divmod(target, self.poses.count)
        if slot not in self._handling_slots or target < 0 or reached != pose:
            return None
        before, now = self.configurations[number].places, self.configurations[configuration].places
        return None if newly_placed(before, now) else (slot, configuration, kinds)

    def _ask(self, index: int, asked: list[bool]) -> list[_Answer]:
        """The outcomes of a state that are not known, from the kernel unless it has told them of one that is alike."""
        number, pose = divmod(index, self.poses.count)
        likeness = self._likenesses.of(number)
        if likeness is None or self.poses.in_front[pose] in likeness.minded:
            return self._ask_kernel(index, asked)
        alike = (likeness.template_number, pose, *asked)
        if alike not in self._told:
            answers = self._ask_kernel(index, asked)
            self._note_told(alike, likeness, answers)
            return answers
        return [
            (slot, end if end < 0 else self._likenesses.filled_in(number, end) * self.poses.count + reached, kinds)
            for slot, end, reached, kinds in self._told[alike]
        ]

    def _note_told(self, alike: Hashable, likeness: Likeness, answers: list[_Answer]) -> None:
        told: list[tuple[int, int, int, int]] = []
        for slot, target, kinds in answers:
            if target < 0:
                told.append((slot, target, 0, kinds))
                continue
            configuration, pose = divmod(target, self.poses.count)
            template = likeness.template_of(self.configurations[configuration])
            if template is None:
                return
            told.append((slot, self._likenesses.template_number(template), pose, kinds))
        if len(self._told) < REMEMBERED:
            self._told[alike] = told

    def _ask_kernel(self, index: int, asked: list[bool]) -> list[_Answer]:
        state, kept = self.state(index)
        number = index // self.poses.count
        return [
            (place, self._target(number, state, kept, now, following), kinds_of(events))
            for action, slot in self._slot_of.items()
            if asked[slot]
            for place, (now, following, events) in enumerate(self.space.steps(state, kept, action), slot)
        ]

    def _target(self, number: int, before: State, kept: Hashable, now: State, following: Hashable) -> int:
        """What a step leads to from a state with a configuration of this number."""
        if now.status:
            return WON if now.status == Status.SUCCEEDED else DEAD
        if following == kept and _is_the_same_but_for_the_pose(before, now):
            return number * self.poses.count + self.poses.number(now.cell, now.heading)
        return self.index(now, following)


@attrs.frozen
class _Handled:
    """What is known of actions on what is in front."""

    slots: list[int]
    """Those of the actions of which all outcomes are known."""
    answers: list[_Answer]
    """With configurations for targets: `UNCHANGED`, a number, or `DEAD`."""

    @classmethod
    def of(cls, found: Mapping[int, list[_Answer | None]], slots: tuple[Action, ...]) -> _Handled:
        """Those of some actions, by their first slots, whose outcomes are all regular."""
        known: list[int] = []
        answers: list[_Answer] = []
        for first, of_action in found.items():
            regular = [answer for answer in of_action if answer is not None]
            if len(regular) == len(of_action):
                known += range(first, first + slots.count(slots[first]))
                answers += regular
        return cls(known, answers)

    def wherever(self, number: int) -> _Handled:
        """The same for other configurations than the one with this number, which is not changed."""
        unchanged = [(slot, DEAD if target == DEAD else UNCHANGED, kinds) for slot, target, kinds in self.answers]
        return _Handled(self.slots, unchanged)


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

    def fill(self, rows: NDArray[np.int64], answers: list[list[_Answer]]) -> None:
        """What was asked for is known: some answers for each of some rows."""
        told = [answer for of_row in answers for answer in of_row]
        if told:
            row = np.repeat(rows, [len(of_row) for of_row in answers])
            slot, target, kinds = np.array(told, dtype=np.int64).T
            self.targets[row, slot], self.kinds[row, slot] = target, kinds
        self.asked[rows] = False


def _is_the_same_but_for_the_pose(before: State, now: State) -> bool:
    return before[2:6] == now[2:6] and before.discovered == now.discovered


def _is_entered_alike(world: World, entity: Entity) -> bool:
    """Whether it makes no difference from which side an agent walks into it: where it is pushed to may."""
    return entity.type.is_inert and not any(traits & Trait.PUSHABLE for traits in world.traits[entity.index])


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
