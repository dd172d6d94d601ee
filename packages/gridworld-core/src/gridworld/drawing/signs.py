"""Signs drawn onto entities: dots as on a die, and capital letters and digits made of strokes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gridworld.drawing.contrast import DARK
from gridworld.drawing.glyphs import RGB, Circle, Color, Line, Shape

PLATE: RGB = DARK
"""Colour of the disc below dots and letters."""
DOT: RGB = (255, 255, 255)
"""Colour of the dots."""
PLATE_RADIUS = 0.28
RADIUS, SMALL_RADIUS = {1: 0.11, 2: 0.1, 3: 0.09, 4: 0.085}, 0.058
"""Radius of each dot by number of dots, and the smaller radius for five and more."""
STEP, SMALL_STEP = {2: 0.115, 3: 0.12, 4: 0.115}, 0.15
"""Distance between adjacent dots by number of dots, and the distance for five and more."""

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
"""Positions of the dots by number of dots, in steps from the centre."""


def dots(number: int, middle: float = 0.5, scale: float = 1.0) -> tuple[Shape, ...]:
    """Draw a plate with 1 to 9 dots; nothing for 0.

    Args:
        number: the number of dots.
        middle: centre of the plate, both across and down, as a fraction of the cell.
        scale: size relative to the default.
    """
    if number == 0:
        return ()
    radius, step = scale * RADIUS.get(number, SMALL_RADIUS), scale * STEP.get(number, SMALL_STEP)
    circles = (Circle(middle + step * x, middle + step * y, radius, DOT) for x, y in FACES[number])
    return (Circle(middle, middle, scale * PLATE_RADIUS, PLATE), *circles)


STROKES = {
    "A": "06 20 46|14 34",
    "B": "00 06|00 30 41 42 33 03|33 44 45 36 06",
    "C": "41 30 10 01 05 16 36 45",
    "D": "00 06 26 44 42 20 00",
    "E": "40 00 06 46|03 33",
    "F": "40 00 06|03 33",
    "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06|40 46|03 43",
    "I": "10 30|20 26|16 36",
    "J": "40 45 36 16 05",
    "K": "00 06|40 03 46",
    "L": "00 06 46",
    "M": "06 00 23 40 46",
    "N": "06 00 46 40",
    "O": "10 30 41 45 36 16 05 01 10",
    "P": "06 00 30 41 42 33 03",
    "Q": "10 30 41 45 36 16 05 01 10|24 46",
    "R": "06 00 30 41 42 33 03|23 46",
    "S": "41 30 10 01 02 13 33 44 45 36 16 05",
    "T": "00 40|20 26",
    "U": "00 05 16 36 45 40",
    "V": "00 26 40",
    "W": "00 16 23 36 40",
    "X": "00 46|40 06",
    "Y": "00 23 40|23 26",
    "Z": "00 40 06 46",
    "0": "10 30 41 45 36 16 05 01 10|14 32",
    "1": "11 20 26|16 36",
    "2": "01 10 30 41 42 06 46",
    "3": "01 10 30 41 42 33 44 45 36 16 05|13 33",
    "4": "36 30 04 44",
    "5": "40 00 02 32 43 45 36 16 05",
    "6": "41 30 10 01 05 16 36 45 44 33 03",
    "7": "00 40 16",
    "8": "10 30 41 42 33 44 45 36 16 05 04 13 02 01 10|13 33",
    "9": "05 16 36 45 41 30 10 01 02 13 43",
    "*": "21 25|02 44|42 04",
}
"""Strokes of characters; each corner is a column from 0 to 4 and a row from 0 to 6."""
CHARACTERS = "".join(STROKES)
"""All available characters."""
WIDTH, HEIGHT = 4, 6
STROKE = 1.0
"""Width of strokes in columns."""
ADVANCE = (WIDTH + STROKE + 1) / (HEIGHT + STROKE)
"""Distance between adjacent characters as a fraction of their height."""


def written(text: str, x: float, y: float, height: float, color: Color) -> tuple[Shape, ...]:
    """Draw a line of text centred at (`x`, `y`); lengths are fractions of the cell.

    Args:
        text: text made of `CHARACTERS`.
        x: centre, from the left.
        y: centre, from the top.
        height: height of characters, including strokes.
        color: colour of the text.

    Raises:
        KeyError: a character is not available.
    """
    first = x - ADVANCE * height * (len(text) - 1) / 2
    return tuple(
        line
        for place, character in enumerate(text)
        for line in _strokes(character, first + ADVANCE * height * place, y, height, color)
    )


def _strokes(character: str, x: float, y: float, height: float, color: Color) -> Iterator[Line]:
    unit = height / (HEIGHT + STROKE)
    for stroke in STROKES[character].split("|"):
        places = (divmod(int(corner), 10) for corner in stroke.split())
        corners = [(x + unit * (column - WIDTH / 2), y + unit * (row - HEIGHT / 2)) for column, row in places]
        for (x0, y0), (x1, y1) in pairwise(corners):
            yield Line(x0, y0, x1, y1, unit * STROKE / 2, color)
