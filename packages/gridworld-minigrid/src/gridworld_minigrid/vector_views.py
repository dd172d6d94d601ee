"""MiniGrid's symbolic observations of a batch of environments, looked up in arrays computed once per state."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from minigrid.core.constants import COLOR_TO_IDX, OBJECT_TO_IDX
from numpy.typing import NDArray

from gridworld.support.caches import bounded
from gridworld.vector.cell_codes import setting_codes
from gridworld.vector.observers import BatchMissions
from gridworld.vector.state_rows import Setting, StateRows, of_rows, of_settings
from gridworld.world import World
from gridworld.world.looks import CellLook, held_look
from gridworld.world.square import Cone, cone
from gridworld_minigrid.objects import EMPTY, OUTSIDE, Code, code_of, make_object

AGENT = (OBJECT_TO_IDX["agent"], COLOR_TO_IDX["red"])
Numbers = NDArray[np.intp]
Rows = NDArray[np.intp]
Image = NDArray[np.uint8]


class SymbolicViews(Protocol):
    """Symbolic images by row."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of one image: (columns, rows, 3)."""
        ...

    def of(self, rows: Rows, out: Image | None = None) -> Image:
        """Return the images at the given rows; shape (rows, *shape), uint8.

        Args:
            rows: the rows.
            out: array to fill and return, if given.
        """
        ...


class FieldViews:
    """MiniGrid's symbolic views, equal to those of `CustomMiniGridEnv.gen_obs`.

    Args:
        rows: the rows of states.
        view_sizes: cells along a side of the view, by task.
        image_size: cells along a side of the image; smaller views are padded with unseen cells.
    """

    def __init__(self, rows: StateRows, view_sizes: Sequence[int], image_size: int) -> None:
        self._rows, self._view_sizes, self._image_size = rows, tuple(view_sizes), image_size
        cells = max(world.topology.cell_count for world in rows.worlds)
        self._outside, self._unseen = cells, cells + 1
        template = np.zeros((cells + 2, 3), dtype=np.uint8)
        template[self._outside] = OUTSIDE
        self._codes = setting_codes(rows, encode_look, template)
        self._opaque = of_settings(rows, (cells + 1,), np.bool_, self._opaque_in)
        self._hands = of_settings(rows, (3,), np.uint8, self._hands_in)
        self._windows = [_Windows(world, size, cells) for world, size in zip(rows.worlds, view_sizes, strict=True)]
        self._views = of_rows(rows, self.shape, np.uint8, self._compute)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of one image."""
        return self._image_size, self._image_size, 3

    def of(self, rows: Rows, out: Image | None = None) -> Image:
        """Return the views at the given rows."""
        images: Image = np.take(self._views.values, rows, axis=0, out=out, mode="clip")
        return images

    def _compute(self, numbers: Numbers) -> Image:
        images = np.zeros((len(numbers), *self.shape), dtype=np.uint8)
        tasks = self._rows.tasks(numbers)
        for task in np.unique(tasks).tolist():
            size = self._view_sizes[task]
            above = self._image_size - size
            beside = slice(above // 2, above // 2 + size)
            images[tasks == task, beside, above:] = self._of_task(task, numbers[tasks == task])
        return images

    def _of_task(self, task: int, numbers: Numbers) -> Image:
        rows, size = self._rows, self._view_sizes[task]
        setting = rows.setting[numbers]
        window = self._windows[task].of(rows.cell[numbers], rows.heading[numbers])
        seen = _seen(size, self._opaque.values[setting[:, None], window])
        image = self._codes.values[setting[:, None], np.where(seen, window, self._unseen)].reshape(-1, size, size, 3)
        image[:, size // 2, size - 1] = self._hands.values[setting]
        return image

    def _opaque_in(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Return a mask of the cells that block sight in some settings, including cells outside the grid."""
        opaque = np.zeros((len(numbers), self._outside + 1), dtype=np.bool_)
        opaque[:, self._outside] = True
        for blocked, setting in zip(opaque, self._settings(numbers), strict=True):
            blocked[list(self._rows.worlds[setting.task].opaque_cells(setting.state))] = True
        return opaque

    def _hands_in(self, numbers: Numbers) -> Image:
        """Return the codes of carried objects in some settings."""
        codes: list[Code] = []
        for setting in self._settings(numbers):
            world = self._rows.worlds[setting.task]
            look = held_look(world, setting.state, setting.met)
            codes.append(EMPTY if look is None else encode_look(world, look))
        return np.array(codes, dtype=np.uint8)

    def _settings(self, numbers: Numbers) -> list[Setting]:
        return [self._rows.settings[number] for number in numbers.tolist()]


class GridViews:
    """The whole grid, as in `minigrid.wrappers.FullyObsWrapper`; smaller grids are padded with unseen cells.

    Args:
        rows: the rows of states.
    """

    def __init__(self, rows: StateRows) -> None:
        self._rows = rows
        topologies = [world.topology for world in rows.worlds]
        self._size = max(each.width for each in topologies), max(each.height for each in topologies)
        self._widths = np.array([each.width for each in topologies], dtype=np.intp)
        template = np.zeros((max(each.cell_count for each in topologies), 3), dtype=np.uint8)
        self._codes = setting_codes(rows, encode_look, template)
        self._grids = of_settings(rows, self.shape, np.uint8, self._grids_in)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of one image."""
        return *self._size, 3

    def of(self, rows: Rows, out: Image | None = None) -> Image:
        """Return the grids at the given rows."""
        images: Image = np.take(self._grids.values, self._rows.setting[rows], axis=0, out=out, mode="clip")
        y, x = np.divmod(self._rows.cell[rows], self._widths[self._rows.tasks(rows)])
        every = np.arange(len(rows))
        images[every, x, y, :2] = AGENT
        images[every, x, y, 2] = self._rows.heading[rows]
        return images

    def _grids_in(self, numbers: Numbers) -> Image:
        grids = np.zeros((len(numbers), *self.shape), dtype=np.uint8)
        for grid, number in zip(grids, numbers.tolist(), strict=True):
            topology = self._rows.worlds[self._rows.settings[number].task].topology
            codes = self._codes.values[number, : topology.cell_count]
            grid[: topology.width, : topology.height] = codes.reshape(topology.height, topology.width, 3).swapaxes(0, 1)
        return grids


class _Windows:
    """Cells in the view windows of a task's poses (`Cone.window`)."""

    def __init__(self, world: World, view_size: int, outside: int) -> None:
        self._width, self._height, self._outside = world.topology.width, world.topology.height, outside
        side = 2 * view_size + 1  # of a grid in whose middle no window is cut off
        middle = side * side // 2
        windows = [cone(side, side, middle, heading, view_size).window for heading in range(world.headings)]
        self._down, self._right = np.divmod(np.array(windows), side) - np.array(view_size)

    def of(self, cells: Numbers, headings: Numbers) -> Numbers:
        """Return the windows of some poses, with `outside` for cells outside the grid; shape (poses, cells)."""
        y, x = np.divmod(cells[:, None], self._width)
        y, x = y + self._down[headings], x + self._right[headings]
        inside = (y >= 0) & (y < self._height) & (x >= 0) & (x < self._width)
        return np.where(inside, y * self._width + x, self._outside)


def _seen(view_size: int, blocked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the visible window cells, given a mask of those that block sight; shape (windows, cells)."""
    patterns = np.packbits(blocked, axis=1)
    _, first, numbers = np.unique(patterns.view(f"S{patterns.shape[1]}")[:, 0], return_index=True, return_inverse=True)
    masks = b"".join(_mask(view_size, patterns[row].tobytes()) for row in first.tolist())
    packed = np.frombuffer(masks, dtype=np.uint8).reshape(len(first), -1)
    return np.unpackbits(packed, axis=1, count=view_size**2).view(np.bool_)[numbers]


@bounded(lambda mask, _, pattern: sys.getsizeof(mask) + sys.getsizeof(pattern))
def _mask(view_size: int, pattern: bytes) -> bytes:
    """Return `Cone.mask` of a window as packed bits, given its blocked cells as packed bits."""
    places = view_size**2
    blocked = np.flatnonzero(np.unpackbits(np.frombuffer(pattern, dtype=np.uint8), count=places))
    mask = Cone(view_size, tuple(range(places))).mask(frozenset(blocked.tolist()))
    return np.packbits(np.frombuffer(mask, dtype=np.bool_)).tobytes()


def encode_look(world: World, look: CellLook) -> Code:
    """Return MiniGrid's symbolic encoding of a look."""
    return code_of(make_object(world, look))


class ImageObserver:
    """Observes symbolic images, directions and missions.

    Args:
        rows: the rows of states.
        views: the images.
        out: array to fill in every step, shape (num_envs, *shape of an image), uint8; None for new arrays.
    """

    def __init__(self, rows: StateRows, views: SymbolicViews, out: Image | None = None) -> None:
        self._rows, self._views, self._out = rows, views, out
        self._missions = BatchMissions(rows, rows.worlds)

    def observe(self, rows: Rows, begun: NDArray[np.bool_] | None) -> dict[str, Any]:
        """Return ``image``, ``direction`` (shape (num_envs,), int64) and ``mission`` (a tuple)."""
        return {
            "direction": self._rows.heading[rows],
            "image": self._views.of(rows, self._out),
            "mission": self._missions.of(rows, begun),
        }

    def last(self, rows: Rows, over: Rows) -> list[dict[str, Any]]:
        """Return the last observations of finished episodes, in the form of single environments."""
        ended = rows[over]
        headings, images, missions = self._rows.heading[ended], self._views.of(ended), self._missions.at(ended)
        shown = zip(headings.tolist(), images, missions, strict=True)
        return [{"image": image, "direction": heading, "mission": mission} for heading, image, mission in shown]
