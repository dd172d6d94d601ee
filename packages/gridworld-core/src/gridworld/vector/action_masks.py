"""`ActionMasks`: which actions could have an effect in many copies, as far as has been shown of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.belief_states import KnownMoments, portable_things
from gridworld.vector.state_rows import GrowingArray, StateRows
from gridworld.world.acts import Act
from gridworld.world.knowledge import Knowledge, Snapshot, seen_from
from gridworld.world.masks import could_have_effect
from gridworld.world.state import GONE, State
from gridworld.world.world import World

__all__ = ["ActionMasks"]

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
UNKNOWN = -1


class ActionMasks:
    """The masks of `gridworld.world.masks` for many copies; each is found out when a copy first gets there.

    Where what is known follows from the state, there is one for each row; elsewhere one for each moment.

    Args:
        rows: the rows of states.
        acts: the kernel's acts, in the order of the numbers of their actions.
        count: how many copies.
    """

    def __init__(self, rows: StateRows, acts: Sequence[Act], count: int) -> None:
        self.moments = KnownMoments(rows, count)
        self._rows, self._acts = rows, tuple(acts)
        self._masks = GrowingArray((len(self._acts),), np.bool_)
        self._number_of: dict[tuple[bool, ...], int] = {}
        self._of_row, self._of_moment = GrowingArray((), np.intp), GrowingArray((), np.intp)
        """Row, and moment, to the number of its mask, or `UNKNOWN`."""
        self._generation, self._forgotten = rows.generation, 0

    def at(self, rows: Rows) -> Flags:
        """The mask of each copy; shape (copies, actions), bool.

        Args:
            rows: where the copies are, shape (copies,), as it has been noted last in `moments`.
        """
        self._forget()
        numbers = np.empty(len(rows), dtype=np.intp)
        followed = self.moments.are_followed(rows)
        numbers[~followed] = self._at_rows(rows[~followed])
        if followed.any():
            numbers[followed] = self._at_moments(self.moments.now()[followed])
        masks: Flags = self._masks.rows[numbers]
        return masks

    def _forget(self) -> None:
        """Forget what is known of rows and moments that have been forgotten."""
        if self._generation != self._rows.generation:
            self._of_row.cut(self._rows.kept[0])
            self._generation = self._rows.generation

    def _at_rows(self, rows: Rows) -> Rows:
        self._of_row.extend(np.full(len(self._rows) - len(self._of_row), UNKNOWN))
        of_row = self._of_row.rows
        for row in np.unique(rows[of_row[rows] == UNKNOWN]).tolist():
            of_row[row] = self._number(*self._seen_at(row))
        numbers: Rows = of_row[rows]
        return numbers

    def _at_moments(self, moments: Rows) -> Rows:
        if self._forgotten != self.moments.forgotten:
            self._of_moment.cut(0)
            self._forgotten = self.moments.forgotten
        self._of_moment.extend(np.full(len(self.moments) - len(self._of_moment), UNKNOWN))
        of_moment = self._of_moment.rows
        for moment in np.unique(moments[of_moment[moments] == UNKNOWN]).tolist():
            of_moment[moment] = self._number(*self.moments.at(moment))
        numbers: Rows = of_moment[moments]
        return numbers

    def _seen_at(self, row: int) -> tuple[World, Snapshot]:
        """A moment at a row where what is known follows from the state, as far as masks depend on it."""
        world, state = self._rows.world(row), self._rows.state(row)
        return world, Snapshot(state, _known_in(world, state))

    def _number(self, world: World, snapshot: Snapshot) -> int:
        mask = could_have_effect(world, snapshot, self._acts)
        number = self._number_of.setdefault(mask, len(self._number_of))
        if number == len(self._masks):
            self._masks.extend(mask)
        return number


def _known_in(world: World, state: State) -> Knowledge:
    visible = seen_from(world, state)
    taken = frozenset(thing for thing in portable_things(world) if state.places[thing] == GONE)
    return Knowledge(visible, visible, {}, {}, taken)
