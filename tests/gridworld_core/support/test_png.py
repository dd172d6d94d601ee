"""PNG files: what was drawn is what any reader of PNG files gets."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from gridworld.support.png import encode_png, is_rgb

pictures = st.tuples(st.integers(1, 20), st.integers(1, 20)).flatmap(lambda size: arrays(np.uint8, (*size, 3)))


def decoded(data: bytes) -> np.ndarray:
    """The pixels, read by Pillow, which also checks the checksums."""
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.mode) == ("PNG", "RGB")
    return np.asarray(image)


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


@given(pictures)
def test_a_picture_read_back_has_the_same_pixels(pixels: np.ndarray) -> None:
    assert np.array_equal(decoded(encode_png(pixels)), pixels)


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 977), (977, 1), (13, 7), (640, 641)])
def test_pictures_of_any_size_are_written(height: int, width: int) -> None:
    pixels = noise(height, width, 3)
    assert np.array_equal(decoded(encode_png(pixels)), pixels)


@pytest.mark.parametrize(
    "view",
    [np.s_[::-1], np.s_[:, ::-1], np.s_[::2, 1::3], np.s_[:, :, ::-1]],
    ids=["upside down", "mirrored", "thinned out", "BGR"],
)
def test_a_view_into_another_picture_is_written_as_it_looks(view: Any) -> None:
    pixels = noise(10, 12, 3)[view]
    assert np.array_equal(decoded(encode_png(pixels)), pixels)


def test_a_picture_of_one_colour_takes_little_room() -> None:
    assert len(encode_png(np.zeros((320, 320, 3), dtype=np.uint8))) < 320 * 320 * 3 / 100


@pytest.mark.parametrize(
    "value",
    [
        None,
        "picture",
        {"image": noise(2, 2, 3)},
        noise(4, 4),
        noise(4, 4, 4),
        noise(1, 4, 4, 3),
        noise(0, 4, 3),
        noise(4, 0, 3),
        noise(4, 4, 3).astype(np.float32),
        noise(4, 4, 3).astype(np.int64),
        [[[0, 0, 0]]],
    ],
    ids=lambda value: f"{type(value).__name__}{getattr(value, 'shape', '')}{getattr(value, 'dtype', '')}",
)
def test_anything_but_an_rgb_picture_is_refused(value: Any) -> None:
    assert not is_rgb(value)
    with pytest.raises(ValueError, match=r"\(height, width, 3\), uint8"):
        encode_png(value)
