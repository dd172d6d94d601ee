"""Pieces of data in a page: each compressed on its own, so that a browser unpacks what is looked at and no more."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

__all__ = ["Blocks"]

LEVEL = 9
"""Of compression."""


class Blocks:
    """Blocks by their names, in the order in which they were added."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Name and content of each: the base 64 of a zlib stream."""
        return iter(self._texts.items())

    def add_json(self, name: str, value: Any) -> None:
        """Add data that can be written as JSON, without NaN; halves of characters are escaped in it."""
        self.add(name, json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii"))

    def add(self, name: str, content: bytes) -> None:
        """Add bytes; what has this name already stays."""
        if name not in self._texts:
            self._texts[name] = b64encode(zlib.compress(content, LEVEL)).decode("ascii")
