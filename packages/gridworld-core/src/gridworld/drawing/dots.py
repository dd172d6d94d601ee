"""Dots as on a die, by which one sees what belongs together: a block and its target, both ends of a teleporter."""

from gridworld.drawing.contrast import DARK
from gridworld.drawing.glyphs import RGB, Circle, Shape

__all__ = ["DOT", "PLATE", "dots"]

PLATE: RGB = DARK
"""The disc below the dots."""
DOT: RGB = (255, 255, 255)
"""The colour of dots."""
PLATE_RADIUS = 0.28
RADIUS, SMALL_RADIUS = {1: 0.11, 2: 0.1, 3: 0.09, 4: 0.085}, 0.058
"""Of each dot, by how many there are; the small one for five and more."""
STEP, SMALL_STEP = {2: 0.115, 3: 0.12, 4: 0.115}, 0.15
"""From one place of a dot to the next."""

FACES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, 1), (0, -1), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
    7: ((-1, -1), (-1, 0), (-1, 1), (0, 0), (1, -1), (1, 0), (1, 1)),
    8: ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)),
    9: tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)),
}
"""Number to the places of its dots, in steps from the middle."""


def dots(number: int, middle: float = 0.5, scale: float = 1.0) -> tuple[Shape, ...]:
    """A plate with so many dots, 1 to 9; nothing for 0.

    Args:
        number: how many.
        middle: where its middle is, across and down; in the middle of the unit cell unless told otherwise.
        scale: how large it is, compared with its usual size.
    """
    if number == 0:
        return ()
    radius, step = scale * RADIUS.get(number, SMALL_RADIUS), scale * STEP.get(number, SMALL_STEP)
    circles = (Circle(middle + step * x, middle + step * y, radius, DOT) for x, y in FACES[number])
    return (Circle(middle, middle, scale * PLATE_RADIUS, PLATE), *circles)
