"""Reading TOML files of users."""

from __future__ import annotations

import tomllib
from typing import Any

from gridworld.errors import ArgumentError

__all__ = ["parse_toml"]


def parse_toml(content: bytes, place: str) -> dict[str, Any]:
    """What a TOML file says, with or without the byte order mark that editors on Windows write.

    Args:
        content: the bytes of the file.
        place: where they are, for messages.

    Raises:
        ArgumentError: it is not TOML, or not UTF-8; what is wrong with it is told.
    """
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except ValueError as error:  # of TOML, or of UTF-8
        raise ArgumentError(f"{place}: not a TOML file: {error}") from error
