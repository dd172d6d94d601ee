"""`ActionMasks`: the action masks of a batch of environments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.belief_states import BeliefStates, portable_entities
from gridworld.vector.state_rows import GrowingArray, StateRows
from gridworld.world.acts import Act
from gridworld.world.knowledge import Knowledge, Snapshot, seen_from
from gridworld.world.masks import could_have_effect
from gridworld.world.state import GONE
from gridworld.world.world import World

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
UNKNOWN = -1


class ActionMasks:
    """Action masks of a batch, each computed by `gridworld.world.masks` when an environment first needs it.

    There is one mask per row if knowledge follows from the state; otherwise one per belief.

    Args:
        rows: the rows of states.
        acts: the kernel's acts, by action number.
        count: number of environments.
    """

    def __init__(self, rows: StateRows, acts: Sequence[Act], count: int) -> None:
        self.beliefs = BeliefStates(rows, count)
        self._rows, self._acts = rows, tuple(acts)
        self._masks = GrowingArray((len(self._acts),), np.bool_)
        self._number_of: dict[tuple[bool, ...], int] = {}
        self._of_row, self._of_belief = GrowingArray((), np.intp), GrowingArray((), np.intp)
        """Mask number by row, and by belief, or `UNKNOWN`."""
        self._generation, self._evictions = rows.generation, 0

    def at(self, rows: Rows) -> Flags:
        """Return the mask of each environment; shape (num_envs, actions), bool.

        Args:
            rows: the row of each environment, shape (num_envs,), as last recorded in `beliefs`.
        """
        if self._generation != self._rows.generation:
            self._of_row.cut(self._rows.kept[0])
            self._generation = self._rows.generation
        numbers = np.empty(len(rows), dtype=np.intp)
        followed = self.beliefs.are_followed(rows)
        numbers[~followed] = self._at_rows(rows[~followed])
        if followed.any():
            numbers[followed] = self._at_beliefs(self.beliefs.current()[followed])
        masks: Flags = self._masks.rows[numbers]
        return masks

    def _at_rows(self, rows: Rows) -> Rows:
        self._of_row.extend(np.full(len(self._rows) - len(self._of_row), UNKNOWN))
        of_row = self._of_row.rows
        for row in np.unique(rows[of_row[rows] == UNKNOWN]).tolist():
            of_row[row] = self._number(*self._seen_at(row))
        numbers: Rows = of_row[rows]
        return numbers

    def _at_beliefs(self, beliefs: Rows) -> Rows:
        if self._evictions != self.beliefs.evictions:
            self._of_belief.cut(0)
            self._evictions = self.beliefs.evictions
        self._of_belief.extend(np.full(len(self.beliefs) - len(self._of_belief), UNKNOWN))
        of_belief = self._of_belief.rows
        for belief in np.unique(beliefs[of_belief[beliefs] == UNKNOWN]).tolist():
            of_belief[belief] = self._number(*self.beliefs.at(belief))
        numbers: Rows = of_belief[beliefs]
        return numbers

    def _seen_at(self, row: int) -> tuple[World, Snapshot]:
        """Return a snapshot of a row whose knowledge follows from the state, reduced to what masks depend on."""
        world, state = self._rows.world(row), self._rows.state(row)
        visible = seen_from(world, state)
        taken = frozenset(entity for entity in portable_entities(world) if state.places[entity] == GONE)
        return world, Snapshot(state, Knowledge(visible, visible, {}, {}, taken))

    def _number(self, world: World, snapshot: Snapshot) -> int:
        mask = could_have_effect(world, snapshot, self._acts)
        number = self._number_of.setdefault(mask, len(self._number_of))
        if number == len(self._masks):
            self._masks.extend(mask)
        return number
