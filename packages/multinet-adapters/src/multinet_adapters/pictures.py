"""Pictures of prompts as they are sent: PNG in base 64, kept for requests that repeat them."""

from __future__ import annotations

from base64 import b64encode
from collections import OrderedDict
from threading import Lock

from gridworld.model_interface import Picture
from gridworld.support.png import encode_png

MOST = 256
"""Maximum number of encoded pictures in the cache, a few kilobytes each."""

_texts: OrderedDict[str, str] = OrderedDict()
_lock = Lock()


def picture_text(picture: Picture) -> str:
    """Encode a picture as PNG in base 64."""
    with _lock:
        known = _texts.get(picture.digest)
        if known is not None:
            _texts.move_to_end(picture.digest)
            return known
    text = b64encode(encode_png(picture.pixels)).decode("ascii")
    with _lock:
        _texts[picture.digest] = text
        while len(_texts) > MOST:
            _texts.popitem(last=False)
    return text
