"""Pictures in a terminal: each character shows two pixels, one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image
from rich.color import Color
from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    import numpy as np

__all__ = ["half_blocks"]

UPPER_HALF = "▀"


def half_blocks(pixels: np.ndarray, columns: int, lines: int) -> Text:
    """A picture in characters, made smaller where it has to be.

    Args:
        pixels: an RGB picture of shape (height, width, 3), uint8.
        columns: how wide it may be, in characters, at least 1.
        lines: how high it may be, in characters, at least 1.
    """
    picture = Image.fromarray(pixels)
    picture.thumbnail((columns, 2 * lines), Image.Resampling.BOX)
    width, height = picture.size
    padded = Image.new("RGB", (width, height + height % 2))
    padded.paste(picture)
    text = Text(no_wrap=True)
    for y in range(0, padded.height, 2):
        for x in range(width):
            text.append(UPPER_HALF, Style(color=_color(padded, x, y), bgcolor=_color(padded, x, y + 1)))
        text.append("\n")
    return text


def _color(picture: Image.Image, x: int, y: int) -> Color:
    pixel = picture.getpixel((x, y))
    assert isinstance(pixel, tuple)
    red, green, blue = pixel
    return Color.from_rgb(red, green, blue)
