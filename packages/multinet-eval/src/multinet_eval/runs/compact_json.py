"""`compact_json`: data as JSON in one line, quickly."""

from __future__ import annotations

import json
from collections.abc import Callable
from json import encoder
from typing import Any

__all__ = ["compact_json"]


def _make_encode() -> Callable[[Any], str]:
    plain = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
    make: Any = encoder.c_make_encoder  # type: ignore[attr-defined]
    if make is None:
        return plain.encode
    # `JSONEncoder.encode` makes this object anew in every call, which takes as long as encoding a line.
    chunks = make(None, plain.default, encoder.encode_basestring, None, ":", ",", False, False, True)
    return lambda data: "".join(chunks(data, 0))


compact_json = _make_encode()
"""From JSON-ready data to its text without spaces; what is no ASCII stays as it is."""
