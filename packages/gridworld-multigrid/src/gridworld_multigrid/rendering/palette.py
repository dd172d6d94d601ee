"""The colours of pictures. All are RGB, 0 to 255.

The six named colours are told apart from each other and from the floor by people with and without red-green colour
blindness: they differ in lightness as well as in hue. Each keeps a contrast of 3:1 with the dark rims and plates around
it (`gridworld.drawing.contrast`).
"""

from gridworld.drawing.glyphs import RGB

__all__ = [
    "AGENT",
    "AGENT_RIM",
    "BACKGROUND",
    "FLOOR",
    "GOAL",
    "HALO",
    "MARKER",
    "OUTLINE",
    "PALETTE",
    "SIGN",
    "UNSEEN",
    "WALL",
]

PALETTE: dict[str, RGB] = {
    "red": (235, 30, 20),
    "green": (0, 200, 110),
    "blue": (0, 75, 245),
    "purple": (155, 85, 200),
    "yellow": (245, 222, 30),
    "grey": (118, 118, 118),
}
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
