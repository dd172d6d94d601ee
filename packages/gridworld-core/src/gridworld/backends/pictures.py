"""`PictureSettings`: size, coordinates and style of pictures, in addition to a backend's own arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.wording import nearest_hint

PictureStyle = Literal["own", "contrast", "letters"]
"""The backend's own style; bright entities and white walls on black ground; the own style with the letters of character
maps."""
SMALLEST_PICTURE = 64
"""Minimum length of the longest side, in pixels."""


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
    """Settings of pictures.

    Raises:
        ArgumentError: a value is outside its range.
    """

    size: int | None = attrs.field(default=None, validator=_large_enough)
    """Exact length of the longest side in pixels, at least 64; None for the backend's own size."""
    coordinates: bool = False
    """Whether column and row numbers, from 0, are in a margin above and to the left."""
    style: PictureStyle = attrs.field(default="own", validator=_known_style)

    def check_size(self, max_side: int) -> None:
        """Check the size against a backend's limit.

        Raises:
            ArgumentError: the size is too large.
        """
        if self.size is not None and self.size > max_side:
            raise ArgumentError(f"image_size: {self.size} pixels are more than the backend's max_side, {max_side}")

    def wishes(self) -> Iterator[str]:
        """Yield the settings that differ from a backend's own pictures, in words."""
        if self.size is not None:
            yield f"the size {self.size}"
        if self.coordinates:
            yield "coordinates"
        if self.style != "own":
            yield f"the style '{self.style}'"


OWN_PICTURES = PictureSettings()
"""A backend's own pictures."""
