"""A picture is encoded as it is, whatever array it comes in, and not once more while it is known."""

import io
from base64 import b64decode

import numpy as np
from PIL import Image

from gridworld.model_interface import Picture
from multinet_adapters import picture_text


def decoded(text: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(b64decode(text))))


def test_an_array_that_is_painted_over_is_another_picture() -> None:
    image = np.zeros((4, 6, 3), dtype=np.uint8)
    first = picture_text(Picture(image))
    image[1, 2] = (9, 8, 7)
    assert (decoded(picture_text(Picture(image))) == image).all()
    assert not decoded(first).any()


def test_the_same_bytes_in_another_shape_are_another_picture() -> None:
    pixels = np.arange(72, dtype=np.uint8)
    for shape in ((4, 6, 3), (6, 4, 3), (2, 12, 3)):
        assert decoded(picture_text(Picture(pixels.reshape(shape)))).shape == shape
