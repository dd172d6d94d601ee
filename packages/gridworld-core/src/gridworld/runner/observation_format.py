"""`ObservationFormat`: what ``--observation`` asks for: a picture, texts of installed formats, both, or nothing."""

from __future__ import annotations

from typing import Self

import attrs

from gridworld.errors import ArgumentError
from gridworld.plugins import normal_name

__all__ = ["IMAGE", "NONE", "ObservationFormat"]

IMAGE = "image"
"""The picture."""
NONE = "none"
"""Nothing at all."""


@attrs.frozen
class ObservationFormat:
    """What a model is given of each moment."""

    image: bool
    """Whether the picture is."""
    texts: tuple[str, ...]
    """The names of formats, in the order of their texts."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read names that are joined by ``+``, such as ``image+map``; whether they are installed is not asked.

        Raises:
            ArgumentError: no name, one that is given twice, or ``none`` beside others.
        """
        names = [normal_name("observation", name) for name in text.split("+")]
        if text == NONE:
            return cls(image=False, texts=())
        wrong = next((name for name in names if not name or names.count(name) > 1 or name == NONE), None)
        if wrong is not None:
            reason = "stands alone" if wrong == NONE else "is given twice" if wrong else "is no name"
            raise ArgumentError(f"observation '{text}': '{wrong}' {reason}; expected names joined by '+', or '{NONE}'")
        return cls(image=IMAGE in names, texts=tuple(name for name in names if name != IMAGE))

    def __str__(self) -> str:
        return "+".join([*([IMAGE] if self.image else []), *self.texts]) or NONE
