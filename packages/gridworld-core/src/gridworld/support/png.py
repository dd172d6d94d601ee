"""PNG files, written with the standard library alone.

Follows the PNG specification (W3C), sections "PNG signature", "Chunk layout", "IHDR Image header", "IDAT Image data",
"IEND Image trailer" and "Filter types".
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BIT_DEPTH, TRUECOLOUR = 8, 2
UP = b"\x02"
"""Filter type of each row: bytes are differences to the row above, which are mostly 0."""


def is_rgb(value: Any) -> bool:
    """Whether `encode_png` can write this picture."""
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return len(shape) == 3 and shape[2] == 3 and 0 not in shape and value.dtype == "uint8"


def encode_png(pixels: np.ndarray) -> bytes:
    """Encode an RGB picture of shape (height, width, 3), uint8, as a PNG file; raises ValueError for anything else."""
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
