"""`PictureSettings`: size, coordinates and style of pictures, in addition to a backend's own arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.wording import nearest_hint

PictureStyle = Literal["own", "contrast", "letters"]
"""Style of pictures.

``own`` is the backend's own, ``contrast`` has bright entities and white walls on black, and ``letters`` adds the
letters of character maps to the backend's own style.
"""
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
    """Size, coordinates and style of pictures.

    Raises:
        ArgumentError: a value is out of range.
    """

    size: int | None = attrs.field(default=None, validator=_large_enough)
    """Exact length of the longest side in pixels, at least 64; None for the backend's own size."""
    coordinates: bool = False
    """Whether a margin above and to the left shows column and row numbers, counted from 0."""
    style: PictureStyle = attrs.field(default="own", validator=_known_style)

    def check_size(self, max_side: int) -> None:
        """Check the size against a backend's limit.

        Raises:
            ArgumentError: the size is too large.
        """
        if self.size is not None and self.size > max_side:
            raise ArgumentError(f"image_size: {self.size} pixels are more than the backend's max_side, {max_side}")

    def wishes(self) -> Iterator[str]:
        """Describe the settings that differ from a backend's own pictures, as in ``the size 512``."""
        if self.size is not None:
            yield f"the size {self.size}"
        if self.coordinates:
            yield "coordinates"
        if self.style != "own":
            yield f"the style '{self.style}'"


OWN_PICTURES = PictureSettings()
"""The settings of a backend's own pictures."""
