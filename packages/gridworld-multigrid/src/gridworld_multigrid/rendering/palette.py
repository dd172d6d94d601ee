"""The colours of pictures. All are RGB, 0 to 255.

The six named colours are told apart from each other and from the floor by people with and without red-green colour
blindness: they differ in lightness as well as in hue. Each keeps a contrast of 3:1 with the dark rims and plates around
it (`gridworld.drawing.contrast`).
"""

from collections.abc import Mapping

import attrs

from gridworld.backends.pictures import PictureStyle
from gridworld.drawing.contrast import DISTINCT, HIGH_CONTRAST
from gridworld.drawing.glyphs import RGB

PALETTE = DISTINCT
"""The name of a colour to its RGB."""

BACKGROUND: RGB = (255, 255, 255)
"""Around the tiling."""
FLOOR: RGB = (240, 240, 236)
"""Floor in sight."""
WALL: RGB = (62, 66, 76)
"""Walls and sealed seams."""
OUTLINE: RGB = (172, 175, 182)
"""The thin lines between cells."""
UNSEEN: tuple[RGB, RGB] = ((28, 28, 48), (92, 88, 136))
"""The stripes of cells that may not be shown, like nothing else in a picture."""
GOAL: RGB = (140, 225, 140)
"""The patch that the agent has to reach."""
MARKER: RGB = (165, 210, 248)
"""Other patches that the goal marks."""
SIGN: RGB = (10, 90, 40)
"""The hem of the goal."""
HALO: RGB = (10, 10, 14)
"""The rim of things, which sets light colours off from the floor."""
AGENT: RGB = (20, 20, 24)
"""The arrow that is the agent."""
AGENT_RIM: RGB = (255, 255, 255)
"""The outline of that arrow, so that it shows on any ground."""
REMEMBERED_TINT: RGB = (4, 6, 36)
"""Added to remembered cells, dark enough that colours keep standing out from it."""


@attrs.frozen(eq=False)
class Colors:
    """The colours of one style of pictures; each is what its constant in this module is for `OWN`."""

    named: Mapping[str, RGB]
    background: RGB
    floor: RGB
    wall: RGB
    outline: RGB
    unseen: tuple[RGB, RGB]
    remembered_tint: RGB
    goal: RGB
    marker: RGB
    sign: RGB
    agent: RGB
    agent_rim: RGB


OWN = Colors(
    named=PALETTE,
    background=BACKGROUND,
    floor=FLOOR,
    wall=WALL,
    outline=OUTLINE,
    unseen=UNSEEN,
    remembered_tint=REMEMBERED_TINT,
    goal=GOAL,
    marker=MARKER,
    sign=SIGN,
    agent=AGENT,
    agent_rim=AGENT_RIM,
)
"""Those of the backend's own style."""
BLACK: RGB = (0, 0, 0)
WHITE: RGB = (255, 255, 255)
CONTRAST = Colors(
    named=HIGH_CONTRAST,
    background=BLACK,
    floor=BLACK,
    wall=WHITE,
    outline=(100, 100, 100),
    unseen=((30, 30, 80), (120, 110, 200)),
    remembered_tint=(0, 0, 70),
    goal=(0, 225, 60),
    marker=(120, 200, 255),
    sign=BLACK,
    agent=WHITE,
    agent_rim=BLACK,
)
COLORS_OF: dict[PictureStyle, Colors] = {"own": OWN, "contrast": CONTRAST, "letters": OWN}
"""Style of pictures to its colours."""
