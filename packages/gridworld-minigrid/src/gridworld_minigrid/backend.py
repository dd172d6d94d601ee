"""`MiniGridBackend`: tasks on square cells, drawn with MiniGrid's tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import attrs
import numpy as np

from gridworld.backends.kernel import LETTERED, DrawnBackend, GroundWords
from gridworld.backends.pictures import PictureStyle
from gridworld.drawing.frames import Frame, Reserve, make_frame, no_reserve, reserve
from gridworld.drawing.glyphs import RGB
from gridworld.errors import InvalidTaskError, Problem
from gridworld.support.checks import check_int
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, World, square_topology
from gridworld.world.knowledge import in_sight
from gridworld.world.looks import CellLook
from gridworld_minigrid.task_sets import MAX_SIDE, fitting_tile_size

if TYPE_CHECKING:
    from gridworld_minigrid.env import CustomMiniGridEnv
    from gridworld_minigrid.grid_pictures import GridPictureWithHand

BLACK: RGB = (0, 0, 0)
WHITE: RGB = (255, 255, 255)
SMALLEST_TILE = 8
"""Minimum `tile_size` in pixels."""
SMALLEST_SIDE = 64
"""Minimum `max_side` in pixels."""


OWN_WORDS = GroundWords(
    wall="plain grey",
    floor="black, with thin grey lines between cells",
    agent="a red triangle, whose tip points where the agent faces",
    goal="plain green",
    target="a frame around its cell, in the colour of the block that belongs there and with its dots; where no block "
    "belongs, green with a cross, or with a tick once it has been visited",
    unseen="dark grey diagonal stripes",
    remembered="darker and bluish, as last seen",
    held="in a white frame in the top left corner of the maze",
)
WORDS: dict[PictureStyle, GroundWords] = {
    "own": OWN_WORDS,
    "contrast": attrs.evolve(
        OWN_WORDS,
        wall="plain white",
        agent="a white triangle, whose tip points where the agent faces",
        unseen="dark blue and violet diagonal stripes",
    ),
    "letters": attrs.evolve(OWN_WORDS, things=LETTERED),
}
"""Descriptions of the parts of pictures that no plugin draws, by picture style."""


class MiniGridBackend(DrawnBackend):
    """Shows tasks as pictures made of MiniGrid's tiles.

    MiniGrid is imported on first use; episodes without pictures (`unseen`) do not import it.

    The observation is an RGB frame of shape (height * tile_size, width * tile_size, 3), uint8; the held object is shown
    in a white frame in the top left corner. ``env.gen_obs()`` makes MiniGrid's own symbolic observation.

    Args:
        render_mode: ``rgb_array``, or None for observations of None; frames are then drawn only by `render`.
        tile_size: width of a cell in pixels, at least 8; reduced if the frame would exceed `max_side`.
        highlight: whether frames lighten the agent's field of view.
        max_side: largest width and height of frames in pixels, at least 64; a cell has at least one pixel.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        render_mode: Literal["rgb_array"] | None = "rgb_array",
        tile_size: int = 32,
        highlight: bool = False,
        max_side: int = MAX_SIDE,
    ) -> None:
        super().__init__(render_mode, check_int("max_side", max_side, SMALLEST_SIDE, "pixels"), WORDS)
        self._tile_size = check_int("tile_size", tile_size, SMALLEST_TILE, "pixels")
        self._highlight = highlight
        self._frame: Frame | None = None
        self._picture: GridPictureWithHand | None = None
        self._env: CustomMiniGridEnv | None = None

    @property
    def name(self) -> str:
        """The backend's name: ``minigrid``."""
        return "minigrid"

    @property
    def tiling(self) -> str:
        """The tiling's name: ``square``."""
        return "square"

    @property
    def env(self) -> CustomMiniGridEnv:
        """The current state as a MiniGrid environment, which shares the backend's episode.

        Raises:
            NotResetError: called before `configure` and `reset`.
        """
        from gridworld_minigrid.env import CustomMiniGridEnv

        if self._env is None:
            self._env = CustomMiniGridEnv(self.episode)
        self._env.sync()
        return self._env

    def draw_tile(self, world: World, look: CellLook | None, heading: int | None = None) -> np.ndarray:
        """Draw a tile of `tile_size` pixels without a letter, whatever the size of the maze."""
        from gridworld_minigrid.objects import make_bright_object, make_object
        from gridworld_minigrid.tiles import STYLES, Shade, draw_tile, draw_unseen_tile

        style = STYLES[self._pictures.style]
        if look is None:
            return draw_unseen_tile(self._tile_size, style)
        make = make_bright_object if self._pictures.style == "contrast" else make_object
        return draw_tile(make(world, look), heading, Shade.PLAIN, self._tile_size, style)

    def make_topology(self, task: TaskSpecification) -> Topology:
        """Return the square tiling of the task's lattice.

        Raises:
            InvalidTaskError: the requested picture size has less than a pixel per cell.
        """
        columns, rows = task.maze.dimensions
        if self._pictures.size is not None and self._fit(columns, rows)[0] < 1:
            reason = f"{columns} x {rows} cells do not fit into pictures of {self._pictures.size} pixels"
            raise InvalidTaskError([Problem("maze.dimensions", reason)], task.task_id)
        return square_topology(columns, rows)

    def on_configure(self) -> None:
        """Drop the environment of the previous task; the next one is made on first use."""
        self._env, self._picture, self._frame = None, None, None

    def _make_picture(self) -> GridPictureWithHand:
        from gridworld_minigrid.grid_pictures import GridPictureWithHand

        tile_size, _ = self._fit(self.world.topology.width, self.world.topology.height)
        return GridPictureWithHand(self.episode, tile_size, self._pictures.style)

    def _make_frame(self) -> Frame:
        """Make the frame around the task's pictures."""
        from gridworld_minigrid.tiles import draw_sign

        columns, rows = self.world.topology.width, self.world.topology.height
        tile_size, room = self._fit(columns, rows)
        middles = [(place + 0.5) * tile_size for place in range(max(columns, rows))]
        inside = (columns * tile_size, rows * tile_size)
        return make_frame(inside, self._pictures.size, room, middles[:columns], middles[:rows], BLACK, WHITE, draw_sign)

    def _fit(self, columns: int, rows: int) -> tuple[int, Reserve]:
        """Return the width of a cell in pixels, 0 if there is no room, and the space reserved for coordinates."""
        longest, room = self._pictures.size, no_reserve()
        if self._pictures.coordinates:
            spacing = self._tile_size if longest is None else longest / max(columns, rows)
            room = reserve(columns, rows, spacing)
        if longest is not None:
            return min((longest - room.left) // columns, (longest - room.top) // rows), room
        return fitting_tile_size(self._tile_size, columns, rows, self._max_side - max(room.left, room.top)), room

    def render(self) -> np.ndarray:
        """Draw a frame of the current state, whatever the `render_mode`.

        Raises:
            NotResetError: called before `configure` and `reset`.
        """
        picture = self._picture
        if picture is None:
            picture = self._picture = self._make_picture()
        world, state = self.world, self.episode.state
        picture.draw(in_sight(world, state, world.task.rules.view_size) if self._highlight else frozenset())
        if not self._pictures.coordinates and self._pictures.size is None:
            return picture.copy()
        if self._frame is None:
            self._frame = self._make_frame()
        return self._frame.around(picture.pixels)

    def close(self) -> None:
        """Close the environment."""
        if self._env is not None:
            self._env.close()
        self._env, self._picture = None, None
        super().close()
