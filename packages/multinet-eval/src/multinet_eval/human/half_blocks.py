"""Pictures in a terminal: each character shows two pixels, one above the other."""

from __future__ import annotations

from PIL import Image
from rich.color import Color
from rich.style import Style
from rich.text import Text

__all__ = ["half_blocks"]

UPPER_HALF = "▀"


def half_blocks(picture: Image.Image, columns: int, lines: int) -> Text:
    """A picture in characters, made smaller where it has to be.

    Args:
        picture: an RGB picture; it stays as it is.
        columns: how wide it may be, in characters, at least 1.
        lines: how high it may be, in characters, at least 1.
    """
    small = picture.copy()
    small.thumbnail((columns, 2 * lines), Image.Resampling.BOX)
    width, height = small.size
    padded = Image.new("RGB", (width, height + height % 2))
    padded.paste(small)
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
