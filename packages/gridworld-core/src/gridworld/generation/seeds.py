"""Seeds that follow from others."""

from __future__ import annotations

import hashlib

__all__ = ["SEED_BITS", "derive_seed"]

SEED_BITS = 48
"""Of derived seeds, so that they are exact wherever JSON is read."""


def derive_seed(*parts: str | int) -> int:
    """A number from 0 to 2**48 - 1 that is as good as random, and always the same for the same parts (SHA-256)."""
    text = "\0".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[: SEED_BITS // 8], "big")
