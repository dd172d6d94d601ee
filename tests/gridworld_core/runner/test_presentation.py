"""What a model is given at each step, as a value, and how older records have it."""

from typing import Any

import pytest

from gridworld.errors import ArgumentError
from gridworld.runner.presentation import Presentation


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"history_images": -1}, "history_images: expected at least 0, got -1"),
        ({"history_text_window": -1}, "history_text_window: expected at least 0, got -1"),
        ({"image_style": "letter"}, "image_style: expected one of own, contrast, letters, got 'letter'"),
        ({"image_size": 63}, "image_size: expected at least 64 pixels, got 63"),
    ],
)
def test_values_outside_their_range_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Presentation(**options)


def test_an_observation_is_written_in_one_way() -> None:
    assert Presentation("map+image") == Presentation("image+map")
