"""`KnownMoments`: what each of many copies knows, where that does not follow from the state but from the way to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridworld.errors import NotResetError
from gridworld.vector.state_rows import GrowingArray, StateRows
from gridworld.world.knowledge import Knowledge, Snapshot, first_snapshot, observe
from gridworld.world.mechanism_type import Trait
from gridworld.world.world import World

__all__ = ["KnownMoments", "depends_on_the_way", "portable_things"]

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]

EVERYTHING_SHOWN, REMEMBERED = "full", "fog_of_war"
UNKNOWN = -1
KEPT_BYTES, BYTES_PER_CELL = 256 << 20, 64
"""Moments are forgotten when they take more than so many bytes, and how many they take for each cell of a task."""
LEAST_KEPT = 1024
NOTED_BYTES, BYTES_PER_NOTE = 64 << 20, 9
"""Where copies have been is noted in so many bytes at most, and how many a step of a copy takes."""


class KnownMoments:
    """What copies know, as numbers of moments: states with what is known in them, as far as action masks depend on it.

    The kernel's own `observe` says what is known after a step; it is asked once for each step from a moment. It is not
    asked before somebody wants to know: until then it is only noted where the copies have been in their episodes, as
    long as there is room for that.

    Args:
        rows: the rows of states.
        count: how many copies.
    """

    def __init__(self, rows: StateRows, count: int) -> None:
        self._rows = rows
        self._followed = np.array([depends_on_the_way(world) for world in rows.worlds])
        """Task to whether it is followed."""
        followed = [world for world in rows.worlds if depends_on_the_way(world)]
        self._follows = bool(followed)
        cells = max((world.topology.cell_count for world in followed), default=1)
        self._most = max(LEAST_KEPT, KEPT_BYTES // (BYTES_PER_CELL * cells))
        longest = 1 + max((world.max_steps for world in followed), default=0)
        self._noted: deque[_Noted] = deque(maxlen=max(1, min(longest, NOTED_BYTES // (BYTES_PER_NOTE * count))))
        """No more than an episode can have: what was before is of episodes that have ended."""
        self._lost = False
        """Whether there was more to be noted since it was asked last."""
        self._asked = False
        self._of_copy, self._none = np.full(count, UNKNOWN), np.zeros(count, dtype=np.bool_)
        self._generation = rows.generation
        self._moments: list[tuple[World, Snapshot]] = []
        self._row_of = GrowingArray((), np.intp)
        """Moment to its row, or `UNKNOWN` where rows have been forgotten since."""
        self._number_of: dict[Hashable, int] = {}
        self._following: dict[tuple[int, int], int] = {}
        """Moment and row to the moment that a step to the row leads to."""
        self.forgotten = 0
        """Is counted up when moments get other numbers."""

    def __len__(self) -> int:
        return len(self._moments)

    def are_followed(self, rows: Rows) -> Flags:
        """Whether what is known at rows depends on the way to them; of the same shape."""
        followed: Flags = self._followed[self._rows.tasks(rows)]
        return followed

    def note_step(self, rows: Rows, begun: Flags | None) -> None:
        """Take note of where a step has led.

        Args:
            rows: where the copies are; shape (copies,). It must not be changed later.
            begun: whose episodes have begun with it, shape (copies,); None for none.
        """
        if self._follows:
            self._lost |= len(self._noted) == self._noted.maxlen
            self._noted.append(_Noted(rows, self._none if begun is None else begun))

    def note_reset(self, rows: Rows, begun: Flags) -> None:
        """Take note of a reset, which is no step of the copies that do not begin anew; the arguments are the same."""
        not_begun_yet = self._none if self._lost else self._of_copy == UNKNOWN
        begun_before = self._noted.pop().begun if self._noted else not_begun_yet
        self.note_step(rows, begun_before | begun)

    def forget_rows(self) -> None:
        """Take note that rows will be forgotten with the next step."""
        if self._asked and not self._misses_starts(self._starts()):
            self.now()
        self._lost = self._lost or bool(self._noted)
        self._noted.clear()

    def at(self, moment: int) -> tuple[World, Snapshot]:
        """The task of a moment; its state, and what is known in it."""
        return self._moments[moment]

    def now(self) -> Rows:
        """The moment of each copy, shape (copies,); of copies of other tasks it says nothing.

        Raises:
            NotResetError: there was no room to note all that has happened in an episode since it was asked last.
        """
        self._asked = True
        self._forget_if_too_many()
        begun_last = self._starts()
        if self._misses_starts(begun_last):
            raise NotResetError(
                "too much has happened since reset() to say what has been seen; reset, and ask for masks from then on"
            )
        for number, (rows, _) in enumerate(self._noted):
            followed = self.are_followed(rows)
            for copy in np.flatnonzero(followed & (begun_last == number)).tolist():
                self._of_copy[copy] = self._first(int(rows[copy]))
            self._go_on(np.flatnonzero(followed & (begun_last < number)), rows)
        self._noted.clear()
        self._lost = False
        return self._of_copy

    def _starts(self) -> Rows:
        """The note with which the latest episode of each copy has begun, or `UNKNOWN` where it was before all notes."""
        begun_last = np.full(len(self._of_copy), UNKNOWN)
        for number, (_, begun) in enumerate(self._noted):
            begun_last[begun] = number
        return begun_last

    def _misses_starts(self, begun_last: Rows) -> bool:
        """Whether notes that were lost are of episodes that still go on: those of ended episodes are not missed."""
        if not self._lost or not self._noted:
            return self._lost
        return bool((self.are_followed(self._noted[-1].rows) & (begun_last == UNKNOWN)).any())

    def _go_on(self, copies: Rows, rows: Rows) -> None:
        moved = copies[self._row_of.rows[self._of_copy[copies]] != rows[copies]]
        if not moved.size:
            return
        steps, places = np.unique(self._of_copy[moved] * len(self._rows) + rows[moved], return_inverse=True)
        reached = [self._after(*divmod(step, len(self._rows))) for step in steps.tolist()]
        self._of_copy[moved] = np.array(reached)[places]

    def _first(self, row: int) -> int:
        world = self._rows.world(row)
        return self._number(row, world, first_snapshot(world))

    def _after(self, moment: int, row: int) -> int:
        number = self._following.get((moment, row))
        if number is None:
            (world, before), state = self._moments[moment], self._rows.state(row)
            snapshot = Snapshot(state, observe(world, before, state))
            number = self._following[moment, row] = self._number(row, world, snapshot)
        return number

    def _number(self, row: int, world: World, snapshot: Snapshot) -> int:
        number = self._number_of.setdefault((row, _relevant(world, snapshot.knowledge)), len(self))
        if number == len(self):
            self._moments.append((world, snapshot))
            self._row_of.extend(row)
        return number

    def _forget_if_too_many(self) -> None:
        """Forget all moments but those of the copies, if there are too many, or if rows have been forgotten."""
        renumbered = self._generation != self._rows.generation
        if not renumbered and len(self) <= self._most + len(self._of_copy):
            return
        followed = np.flatnonzero(self._of_copy != UNKNOWN)
        kept, places = np.unique(self._of_copy[followed], return_inverse=True)
        rows = np.full(len(kept), UNKNOWN) if renumbered else self._row_of.rows[kept]
        self._moments = [self._moments[moment] for moment in kept.tolist()]
        self._row_of.cut(0)
        self._row_of.extend(rows)
        self._number_of.clear()
        self._following.clear()
        self._of_copy[followed] = places
        self._generation = self._rows.generation
        self.forgotten += 1


class _Noted(NamedTuple):
    """Where the copies were."""

    rows: Rows
    begun: Flags
    """Whose episodes began there."""


def depends_on_the_way(world: World) -> bool:
    """Whether action masks depend on more of what is known than follows from the state.

    In fog they depend on what has been seen. With a cone they depend on what has been in the hand, too, where that may
    have changed with it. Where everything is shown, all is known.
    """
    mode = world.task.rules.observability
    if mode == EVERYTHING_SHOWN:
        return False
    return mode == REMEMBERED or any(len(world.traits[thing]) > 1 for thing in portable_things(world))


def portable_things(world: World) -> list[int]:
    """The things that can be picked up, in some state of theirs."""
    return [thing for thing, traits in enumerate(world.traits) if any(Trait.PORTABLE & each for each in traits)]


def _relevant(world: World, knowledge: Knowledge) -> Hashable:
    """What masks depend on."""
    if world.task.rules.observability != REMEMBERED:
        return knowledge.handled
    looks, last_seen = frozenset(knowledge.remembered.items()), frozenset(knowledge.last_seen.items())
    return knowledge.explored, looks, last_seen, knowledge.handled
