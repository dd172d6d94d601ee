"""`CellsObserver`: what `MultiGridEnv` observes, of many copies of tasks at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.computed import of_rows
from gridworld.vector.missions import Missions
from gridworld.vector.setting_codes import setting_codes
from gridworld.vector.state_rows import StateRows
from gridworld.world import World
from gridworld.world.knowledge import seen_from
from gridworld.world.looks import CellLook
from gridworld_multigrid.codes import CODE_LENGTH, Codes
from gridworld_multigrid.task_sets import mission_of, most_cells

__all__ = ["CellsObserver"]

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]


class CellsObserver:
    """The codes of the cells of many copies as far as they may be shown, and where the agents are.

    What each copy has been shown is kept: out of view, the codes in fog are those with which cells were seen last.

    Args:
        rows: the rows of states.
        count: how many copies.
        copy: whether each observation is in an array of its own; otherwise one array is brought up to date.
    """

    def __init__(self, rows: StateRows, count: int, copy: bool) -> None:
        self._rows, self._copy = rows, copy
        cells = most_cells(rows.worlds)
        self._codes_of = {world: Codes(world, rows.worlds) for world in rows.worlds}
        self._codes = setting_codes(rows, self._encode, np.zeros((cells, CODE_LENGTH), dtype=np.uint8))
        self._visible = of_rows(rows, (cells,), np.bool_, self._visible_at)
        self._missions = Missions(rows, map(mission_of, rows.worlds))
        modes = [world.task.rules.observability for world in rows.worlds]
        self._whole = all(mode == "full" for mode in modes)
        self._remembers = np.array([mode == "fog_of_war" for mode in modes])
        self._shown = np.zeros((count, cells, CODE_LENGTH), dtype=np.uint8)
        self._settings = np.full(count, -1)
        """Those that `_shown` tells of, while all rows are as they were at `_generation`."""
        self._generation = rows.generation

    def _encode(self, world: World, look: CellLook) -> tuple[int, int, int, int]:
        return self._codes_of[world].of(look)

    def observe(self, rows: Rows, begun: Flags | None) -> dict[str, Any]:
        """``cells``, ``agent``, ``direction`` (both of shape (copies,), int64) and ``mission`` (a tuple)."""
        self._update(rows, begun)
        return {
            "agent": self._rows.cell[rows],
            "cells": self._shown.copy() if self._copy else self._read_only(),
            "direction": self._rows.heading[rows],
            "mission": self._missions.of(rows, begun),
        }

    def last(self, rows: Rows, over: Rows) -> list[dict[str, Any]]:
        """The same, as of single environments."""
        self._update(rows, None)
        ended = rows[over]
        missions = self._missions.at(ended)
        shown = zip(self._shown[over], self._rows.cell[ended], self._rows.heading[ended], missions, strict=True)
        return [{"cells": cells, "agent": at, "direction": to, "mission": mission} for cells, at, to, mission in shown]

    def _read_only(self) -> NDArray[np.uint8]:
        """The memory itself, which is not kept as another array: in a copy of this observer it would not be that."""
        shown = self._shown.view()
        shown.flags.writeable = False
        return shown

    def _update(self, rows: Rows, begun: Flags | None) -> None:
        if self._whole:
            self._update_changed(self._rows.setting[rows])
            return
        forgetting = ~self._remembers[self._rows.tasks(rows)]
        self._shown[forgetting if begun is None else forgetting | begun] = 0
        codes = self._codes.values[self._rows.setting[rows]]
        np.copyto(self._shown, codes, where=self._visible.values[rows][:, :, None])

    def _update_changed(self, settings: Rows) -> None:
        """Bring those up to date that are in another setting, where everything is shown."""
        renumbered = self._generation != self._rows.generation
        stale = np.flatnonzero((settings != self._settings) | renumbered)
        self._shown[stale] = self._codes.values[settings[stale]]
        self._settings, self._generation = settings, self._rows.generation

    def _visible_at(self, numbers: Rows) -> Flags:
        """Which cells are seen at some rows."""
        visible = np.zeros((len(numbers), self._shown.shape[1]), dtype=np.bool_)
        for seen, row in zip(visible, numbers.tolist(), strict=True):
            seen[list(seen_from(self._rows.world(row), self._rows.state(row)))] = True
        return visible
