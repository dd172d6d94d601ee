"""Colours of pictures; all are RGB, 0 to 255.

People with and without red-green colour blindness can distinguish the six named colours from each other and from the
floor: they differ in lightness as well as in hue. Each has a contrast of at least 3:1 with the dark rims and plates
around it (`gridworld.drawing.contrast`).
"""

from collections.abc import Mapping

import attrs

from gridworld.backends.pictures import PictureStyle
from gridworld.drawing.contrast import DISTINCT, HIGH_CONTRAST
from gridworld.drawing.glyphs import RGB

PALETTE = DISTINCT
"""Named colours."""

BACKGROUND: RGB = (255, 255, 255)
"""Colour around the tiling."""
FLOOR: RGB = (240, 240, 236)
"""Colour of floor in sight."""
WALL: RGB = (62, 66, 76)
"""Colour of walls and sealed seams."""
OUTLINE: RGB = (172, 175, 182)
"""Colour of thin lines between cells."""
UNSEEN: tuple[RGB, RGB] = ((28, 28, 48), (92, 88, 136))
"""Colours of the stripes on unseen cells, which occur nowhere else in a picture."""
GOAL: RGB = (140, 225, 140)
"""Colour of a patch that the agent must reach."""
MARKER: RGB = (165, 210, 248)
"""Colour of other marked patches."""
SIGN: RGB = (10, 90, 40)
"""Colour of the goal's hem."""
HALO: RGB = (10, 10, 14)
"""Colour of the rim of glyphs, which separates light colours from the floor."""
AGENT: RGB = (20, 20, 24)
"""Colour of the agent's arrow."""
AGENT_RIM: RGB = (255, 255, 255)
"""Colour of the arrow's outline, which keeps the arrow visible on any background."""
REMEMBERED_TINT: RGB = (4, 6, 36)
"""Colour added to remembered cells; dark, so that other colours still stand out."""


@attrs.frozen(eq=False)
class Colors:
    """Colours of one picture style; `OWN` uses the constants of the same names."""

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
"""Colours of the backend's own style."""
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
"""Colours by picture style."""
