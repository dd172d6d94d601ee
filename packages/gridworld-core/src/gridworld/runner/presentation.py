"""`Presentation`: what a model is given at each step beside its mission, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import attrs

from gridworld.errors import ArgumentError

__all__ = ["ObservationMode", "Presentation", "gather_presentation"]

ObservationMode = Literal["image", "text", "image+text"]
"""What a model is given of each step."""


def _one_of(words: tuple[str, ...]) -> attrs._ValidatorType[str]:
    def check(given: Presentation, attribute: attrs.Attribute[str], value: str) -> None:
        if value not in words:
            raise ArgumentError(f"{attribute.name}: expected one of {', '.join(words)}, got {value!r}")

    return check


def _not_negative(given: Presentation, attribute: attrs.Attribute[int], value: int) -> None:
    if value < 0:
        raise ArgumentError(f"{attribute.name}: expected at least 0, got {value}")


@attrs.frozen
class Presentation:
    """What a model is given at each step, beside the mission and the action space.

    Raises:
        ArgumentError: a value outside its range.
    """

    observation: ObservationMode = attrs.field(default="image", validator=_one_of(get_args(ObservationMode)))
    history_images: int = attrs.field(default=0, validator=_not_negative)
    """How many earlier observations are given."""
    history_text_window: int = attrs.field(default=0, validator=_not_negative)
    """How many steps the text history describes; 0 for no text."""


OLDER = ("observation", "history_images", "history_text_window")


def gather_presentation(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A JSON object with its presentation in one place, where an older record has the settings among others."""
    found = {name: data[name] for name in OLDER if name in data}
    if not found:
        return data
    return {**{name: value for name, value in data.items() if name not in OLDER}, "presentation": found}
