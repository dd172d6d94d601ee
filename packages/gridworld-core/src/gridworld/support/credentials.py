"""Credentials that stand where none belongs: in the path of an address."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

__all__ = ["credentials_in_path"]

RANDOM = re.compile(r"(?=.*[a-z])(?=.*[0-9]).{16,}|.{32,}", re.IGNORECASE | re.DOTALL)
"""A segment that may be a credential: long, with letters and digits, or very long."""


def credentials_in_path(address: str) -> list[str]:
    """Segments of the path of a web address that look like credentials; none for any other text."""
    if not address.startswith(("http://", "https://")):
        return []
    return [segment for segment in urlsplit(address).path.split("/") if RANDOM.fullmatch(unquote(segment))]
