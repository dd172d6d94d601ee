"""Pictures as PNG files, with the standard library alone.

The parts are those of the PNG specification (W3C), sections "PNG signature", "Chunk layout", "IHDR Image header",
"IDAT Image data", "IEND Image trailer" and "Filter types".
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["encode_png", "is_rgb"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BIT_DEPTH, TRUECOLOUR = 8, 2
UP = b"\x02"
"""The filter type that stands before each row: bytes are told as differences to the row above, which are mostly 0."""


def is_rgb(value: Any) -> bool:
    """Whether this is a picture that `encode_png` can write."""
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return len(shape) == 3 and shape[2] == 3 and 0 not in shape and value.dtype == "uint8"


def encode_png(pixels: np.ndarray) -> bytes:
    """The contents of a PNG file.

    Args:
        pixels: an RGB picture of shape (height, width, 3), uint8, at least one pixel.

    Raises:
        ValueError: it is not such a picture.
    """
    if not is_rgb(pixels):
        raise ValueError("expected an RGB picture of shape (height, width, 3), uint8")
    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, BIT_DEPTH, TRUECOLOUR, 0, 0, 0)
    differences = pixels.copy()
    differences[1:] -= pixels[:-1]
    rows = b"".join(UP + row.tobytes() for row in differences)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
