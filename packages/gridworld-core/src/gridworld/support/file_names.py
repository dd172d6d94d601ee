"""File names for ids that people choose freely."""

import re
from collections.abc import Iterable
from hashlib import sha256

__all__ = ["MAX_LENGTH", "safe_file_name", "unique_file_names"]

MAX_LENGTH = 100
"""The length of the longest name that `safe_file_name` gives, in characters."""
HASH_DIGITS = 8
UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
UNSAFE_OR_DOT = re.compile(r"[^A-Za-z0-9_-]")
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, with whatever ending."""


def safe_file_name(name: str, keep_dots: bool = True) -> str:
    """A name for a file or folder that every common file system takes, always the same one for the same `name`.

    It has ASCII letters, digits, ``_``, ``-`` and ``.`` only, and never begins or ends with a dot. A `name` that is
    such a file name already is returned as it is; any other ends with a hash of `name`, so that two of them differ.

    Args:
        name: any text, the empty one included.
        keep_dots: whether the file name may have dots.
    """
    cleaned = (UNSAFE if keep_dots else UNSAFE_OR_DOT).sub("_", name)
    if not cleaned or cleaned.startswith(".") or DEVICE.match(cleaned):
        cleaned = f"_{cleaned}"
    if cleaned == name and len(name) <= MAX_LENGTH and not name.endswith("."):
        return name
    # Lone surrogates, which JSON can hold, have no other UTF-8 form.
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
    return f"{cleaned[: MAX_LENGTH - HASH_DIGITS - 1]}-{digest}"


def unique_file_names(names: Iterable[str]) -> list[str]:
    """A `safe_file_name` for each name, all different, also where upper and lower case are the same.

    One that is taken already gets a number: ``x``, ``x-2``, ``x-3``.
    """
    taken: set[str] = set()
    found = []
    for name in names:
        safe = candidate = safe_file_name(name)
        number = 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{safe}-{number}"
        taken.add(candidate.lower())
        found.append(candidate)
    return found
