"""`PictureSettings`: what can be asked of a backend's pictures, beside its own arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.wording import nearest_hint

__all__ = ["OWN_PICTURES", "SMALLEST_PICTURE", "PictureSettings", "PictureStyle"]

PictureStyle = Literal["own", "contrast", "letters"]
"""The backend's own way of drawing; bright things and white walls on black ground; its own with a letter on each thing,
the one that a character map has for it."""
SMALLEST_PICTURE = 64
"""The least that can be asked of the longest side, in pixels."""


def _known_style(settings: PictureSettings, attribute: attrs.Attribute[str], value: str) -> None:
    styles = get_args(PictureStyle)
    if value not in styles:
        hint = nearest_hint(str(value), styles)
        raise ArgumentError(f"image_style: expected one of {', '.join(styles)}, got {value!r}{hint}")


def _large_enough(settings: PictureSettings, attribute: attrs.Attribute[int | None], value: int | None) -> None:
    if value is not None and value < SMALLEST_PICTURE:
        raise ArgumentError(f"image_size: expected at least {SMALLEST_PICTURE} pixels, got {value}")


@attrs.frozen
class PictureSettings:
    """How pictures are drawn.

    Raises:
        ArgumentError: a value outside its range.
    """

    size: int | None = attrs.field(default=None, validator=_large_enough)
    """The exact length of the longest side in pixels, at least 64; None for as large as the backend draws anyway."""
    coordinates: bool = False
    """Whether columns and rows of the lattice have their numbers, from 0, in a margin above and to the left."""
    style: PictureStyle = attrs.field(default="own", validator=_known_style)

    def check_size(self, max_side: int) -> None:
        """Make sure that a backend with such an argument may draw as large as is asked for.

        Raises:
            ArgumentError: it may not.
        """
        if self.size is not None and self.size > max_side:
            raise ArgumentError(f"image_size: {self.size} pixels are more than the backend's max_side, {max_side}")

    def wishes(self) -> Iterator[str]:
        """What is asked for beyond a backend's own pictures, in words."""
        if self.size is not None:
            yield f"the size {self.size}"
        if self.coordinates:
            yield "coordinates"
        if self.style != "own":
            yield f"the style '{self.style}'"


OWN_PICTURES = PictureSettings()
"""Nothing beyond what a backend draws anyway."""
