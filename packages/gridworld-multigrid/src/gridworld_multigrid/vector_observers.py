"""Observers of a batch of environments on a tiling: cell codes, and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.thing_glyphs import NOT_SHOWN, LookNumbers
from gridworld.vector.cell_codes import ShownLooks, setting_codes
from gridworld.vector.observers import BatchMissions, KeptPictures, one_size
from gridworld.vector.state_rows import StateRows, of_rows, of_settings
from gridworld.world import World
from gridworld.world.knowledge import seen_from
from gridworld.world.looks import CellLook, held_look
from gridworld_multigrid.codes import CODE_LENGTH, Codes
from gridworld_multigrid.rendering.layout import lay_out
from gridworld_multigrid.rendering.palette import OWN
from gridworld_multigrid.rendering.pane_pictures import NOBODY, PanePictures
from gridworld_multigrid.task_sets import most_cells

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]


class CellsObserver:
    """Observes the codes of shown cells, poses and missions.

    Tracks the history of each environment: a cell in fog has the code with which it was last seen.

    Args:
        rows: the rows of states.
        count: number of environments.
        copy: whether each observation is a new array.
    """

    def __init__(self, rows: StateRows, count: int, copy: bool) -> None:
        self._rows, self._copy = rows, copy
        cells = most_cells(rows.worlds)
        self._codes_of = {world: Codes(world, rows.worlds) for world in rows.worlds}
        self._codes = setting_codes(rows, self._encode, np.zeros((cells, CODE_LENGTH), dtype=np.uint8))
        self._visible = of_rows(rows, (cells,), np.bool_, self._visible_at)
        self._missions = BatchMissions(rows, rows.worlds)
        modes = [world.task.rules.observability for world in rows.worlds]
        self._whole = all(mode == "full" for mode in modes)
        self._remembers = np.array([mode == "fog_of_war" for mode in modes])
        self._shown = np.zeros((count, cells, CODE_LENGTH), dtype=np.uint8)
        self._settings = np.full(count, -1)
        """Settings of the codes in `_shown`, valid while row numbers are those of `_generation`."""
        self._generation = rows.generation

    def _encode(self, world: World, look: CellLook) -> tuple[int, int, int, int]:
        return self._codes_of[world].of(look)

    def observe(self, rows: Rows, begun: Flags | None) -> dict[str, Any]:
        """Return ``cells``, ``agent``, ``direction`` (both of shape (num_envs,), int64) and ``mission`` (a tuple)."""
        self._update(rows, begun)
        shown = self._shown.copy() if self._copy else self._shown.view()  # not kept: deep copies have their own memory
        shown.flags.writeable = self._copy
        return {
            "agent": self._rows.cell[rows],
            "cells": shown,
            "direction": self._rows.heading[rows],
            "mission": self._missions.of(rows, begun),
        }

    def last(self, rows: Rows, over: Rows) -> list[dict[str, Any]]:
        """Return the last observations of finished episodes, each as a single environment would return it."""
        self._update(rows, None)
        ended = rows[over]
        missions = self._missions.at(ended)
        shown = zip(self._shown[over], self._rows.cell[ended], self._rows.heading[ended], missions, strict=True)
        return [{"cells": cells, "agent": at, "direction": to, "mission": mission} for cells, at, to, mission in shown]

    def _update(self, rows: Rows, begun: Flags | None) -> None:
        if self._whole:
            self._update_changed(self._rows.setting[rows])
            return
        forgetting = ~self._remembers[self._rows.tasks(rows)]
        self._shown[forgetting if begun is None else forgetting | begun] = 0
        codes = self._codes.values[self._rows.setting[rows]]
        np.copyto(self._shown, codes, where=self._visible.values[rows][:, :, None])

    def _update_changed(self, settings: Rows) -> None:
        """Update environments whose setting has changed, under full observability."""
        renumbered = self._generation != self._rows.generation
        stale = np.flatnonzero((settings != self._settings) | renumbered)
        self._shown[stale] = self._codes.values[settings[stale]]
        self._settings, self._generation = settings, self._rows.generation

    def _visible_at(self, numbers: Rows) -> Flags:
        """Return a mask of the cells seen at some rows."""
        visible = np.zeros((len(numbers), self._shown.shape[1]), dtype=np.bool_)
        for seen, row in zip(visible, numbers.tolist(), strict=True):
            seen[list(seen_from(self._rows.world(row), self._rows.state(row)))] = True
        return visible


Pictures = NDArray[np.uint8]


class PicturesObserver(KeptPictures):
    """Observes pictures, redrawing only what changes.

    Args:
        rows: the rows of states.
        count: number of environments.
        size: maximum width and height of a picture, in pixels.
        copy: whether each observation is a new array.

    Raises:
        ArgumentError: the tasks differ in size, or the pictures need too much memory.
    """

    def __init__(self, rows: StateRows, count: int, size: tuple[int, int], copy: bool) -> None:
        super().__init__(copy)
        one_size(rows.worlds)
        self._rows = rows
        topology, self._numbers = rows.worlds[0].topology, LookNumbers()
        self._pictures = PanePictures(count, topology, lay_out(topology, size), OWN, self._numbers)
        self._looks = ShownLooks(rows, count, self._numbers)
        self._held_in = of_settings(rows, (), np.intp, self._compute_held)
        grid = self._pictures.grid
        self._cells, self._headings, self._held = (np.zeros(count, dtype=np.intp) for _ in range(3))
        self._agents = np.full((count, grid.count + 1), NOBODY)
        self._hands = np.full((count, grid.count + 1), NOT_SHOWN)
        """Agent and held object in each pane, as in `PanePictures.redraw`; shape (num_envs, panes + 1)."""
        self._stale = np.ones((count, grid.count + 1), dtype=np.bool_)

    @property
    def pictures(self) -> Pictures:
        """The kept pictures, shape (num_envs, height, width, 3); read-only."""
        return self._pictures.pictures

    def update(self, rows: Rows, begun: Flags | None) -> None:
        """Redraw the pictures where they have changed."""
        stale, grid, numbers = self._stale, self._pictures.grid, self._pictures.numbers
        shown = self._looks.at(rows, begun)
        envs, cells = np.nonzero(shown != numbers[:, :-1])
        stale[envs[:, None], grid.of_cell[cells]] = True
        numbers[:, :-1] = shown
        self._move_agents(self._rows.cell[rows], self._rows.heading[rows])
        self._change_hands(self._held_in.values[self._rows.setting[rows]])
        envs, panes = np.nonzero(stale[:, :-1])
        self._pictures.redraw(envs, panes, self._agents[envs, panes], self._hands[envs, panes])
        stale[envs, panes] = False

    def _move_agents(self, cells: Rows, headings: Rows) -> None:
        grid, moved = self._pictures.grid, np.flatnonzero((cells != self._cells) | (headings != self._headings))
        left = moved[:, None], grid.of_arrow[self._cells[moved]]
        entered = moved[:, None], grid.of_arrow[cells[moved]]
        self._agents[left] = NOBODY
        self._agents[entered] = (1 + cells * self._rows.worlds[0].headings + headings)[moved, None]
        self._stale[left] = self._stale[entered] = True
        self._cells, self._headings = cells, headings

    def _change_hands(self, held: Rows) -> None:
        changed, of_hand = np.flatnonzero(held != self._held)[:, None], self._pictures.grid.of_hand
        self._hands[changed, of_hand] = held[changed]
        self._stale[changed, of_hand] = True
        self._held = held

    def _compute_held(self, numbers: Rows) -> Rows:
        """Return the look numbers of held objects in some settings."""
        held = np.full(len(numbers), NOT_SHOWN, dtype=np.intp)
        for place, number in enumerate(numbers.tolist()):
            setting = self._rows.settings[number]
            world = self._rows.worlds[setting.task]
            look = held_look(world, setting.state, setting.met)
            if look is not None:
                held[place] = self._numbers.in_view(world, look)
        return held
