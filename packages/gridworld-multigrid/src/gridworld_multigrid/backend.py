"""`MultiGridBackend`: tasks on any installed tiling, all drawn in the same style."""

from __future__ import annotations

from typing import Literal

import attrs

from gridworld.backends.kernel import LETTERED, DrawnBackend, GroundWords
from gridworld.backends.pictures import PictureStyle
from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, World
from gridworld.world.looks import CellLook
from gridworld_multigrid.rendering.layout import MAX_SIDE, picture_size
from gridworld_multigrid.rendering.palette import COLORS_OF
from gridworld_multigrid.rendering.raster import Picture
from gridworld_multigrid.rendering.renderer import Renderer, draw_patch

OWN_WORDS = GroundWords(
    wall="dark grey",
    floor="off-white, with thin grey lines between cells",
    agent="a black arrow with a white outline, whose tip points where the agent faces",
    goal="light green, with a dark green flag",
    target="a frame around its cell, in the colour of the block that belongs there and with its dots; where no block "
    "belongs, light blue and green with a cross, or with a tick once it has been visited",
    unseen="dark blue and violet diagonal stripes",
    remembered="darker and bluish, as last seen",
    held="in a dark frame in the top left corner of the maze",
)
WORDS: dict[PictureStyle, GroundWords] = {
    "own": OWN_WORDS,
    "contrast": attrs.evolve(
        OWN_WORDS,
        wall="white",
        floor="black, with thin grey lines between cells",
        agent="a white arrow with a black outline, whose tip points where the agent faces",
        goal="bright green, with a black flag",
    ),
    "letters": attrs.evolve(OWN_WORDS, things=LETTERED),
}
"""Descriptions of the parts of pictures that no plugin draws, by picture style."""


class MultiGridBackend(DrawnBackend):
    """Shows tasks on any tiling.

    The observation is an RGB picture of shape (height, width, 3), uint8.

    Args:
        tiling: name of an installed tiling.
        render_mode: ``rgb_array``, or None for observations of None; pictures are then drawn only by `render`.
        image_size: maximum width and height of the picture in pixels, a pair or one number for both, each at least 64.
            The picture keeps the proportions of the maze and is as large as fits.
        max_side: upper limit of both, at least 64 pixels.

    Raises:
        UnknownNameError: no installed plugin provides the tiling.
        AmbiguousNameError: more than one installed plugin provides the tiling.
        ValueError: another argument is out of range.
    """

    def __init__(
        self,
        tiling: str = "square",
        render_mode: Literal["rgb_array"] | None = "rgb_array",
        image_size: int | tuple[int, int] = 640,
        max_side: int = MAX_SIDE,
    ) -> None:
        super().__init__(render_mode, max_side, WORDS)
        self._tiling = find_tiling(tiling)
        self._image_size = picture_size(image_size, max_side)
        self._renderer: Renderer | None = None

    @property
    def name(self) -> str:
        """The backend's name: ``multigrid``."""
        return "multigrid"

    @property
    def tiling(self) -> str:
        """The name of the tiling."""
        return self._tiling.name

    def draw_tile(self, world: World, look: CellLook | None, heading: int | None = None) -> Picture:
        """Draw one lattice cell without a letter, at a scale independent of the maze."""
        return draw_patch(world, look, heading, COLORS_OF[self._pictures.style])

    def make_topology(self, task: TaskSpecification) -> Topology:
        """Return the tiling of the task's lattice."""
        return lay_out(self._tiling, task)

    def on_configure(self) -> None:
        """Drop the pictures of the previous task."""
        self._renderer = None

    def render(self) -> Picture:
        """Draw the current state, whatever the `render_mode`.

        Raises:
            NotResetError: called before `configure` and `reset`.
        """
        if self._renderer is None:
            self._renderer = Renderer(self.episode, self._image_size, self._pictures)
        return self._renderer.render()

    def close(self) -> None:
        """Release the task and its pictures."""
        self._renderer = None
        super().close()
