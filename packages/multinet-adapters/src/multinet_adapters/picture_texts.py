"""Pictures as the texts in which requests hold them; pictures of earlier steps come again in the next requests."""

from __future__ import annotations

from base64 import b64encode
from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING

from gridworld.support.png import encode_png

if TYPE_CHECKING:
    import numpy as np

__all__ = ["picture_text"]

MOST = 256
"""How many texts are kept, of a few kilobytes each."""

_texts: OrderedDict[bytes, str] = OrderedDict()
_lock = Lock()


def picture_text(image: np.ndarray) -> str:
    """A picture as PNG in base 64.

    Args:
        image: shape (height, width, 3), uint8.
    """
    digest = blake2b(image.tobytes(), salt=str(image.shape[:2]).encode()[:16]).digest()
    with _lock:
        known = _texts.get(digest)
        if known is not None:
            _texts.move_to_end(digest)
            return known
    text = b64encode(encode_png(image)).decode("ascii")
    with _lock:
        _texts[digest] = text
        while len(_texts) > MOST:
            _texts.popitem(last=False)
    return text
