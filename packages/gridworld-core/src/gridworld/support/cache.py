"""Where on disk is kept what takes long to make, and what it is found by."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from functools import lru_cache
from pathlib import Path

import platformdirs

__all__ = ["CACHE_VARIABLE", "cache_folder", "clear_cache", "package_digest"]

CACHE_VARIABLE = "GRIDWORLD_CACHE"
"""The variable that names another folder for the cache; empty for none."""
ENTRY_NAME = re.compile(r"[0-9a-f]{32}|\.[0-9a-f]{32}\..*")
"""Of the folder of an entry, or of one that was not written to its end."""


def cache_folder(kind: str) -> Path | None:
    """Where things of a kind are kept on disk, such as ``tables``; None where nothing is to be kept."""
    named = os.environ.get(CACHE_VARIABLE)
    if named is None:
        return platformdirs.user_cache_path("multinet-gridworld") / kind
    return Path(named).expanduser() / kind if named else None


def clear_cache(folder: Path) -> None:
    """Remove all entries from a folder, damaged ones and those of other versions too; raises OSError if that fails."""
    for path in sorted(folder.glob("*")):
        if ENTRY_NAME.fullmatch(path.name):
            shutil.rmtree(path)


@lru_cache(maxsize=64)
def package_digest(name: str) -> str | None:
    """The digest of all Python files of an imported package, or of a module that is one file; None without files."""
    found = sys.modules[name].__file__ if name in sys.modules else None
    if found is None:
        return None
    file = Path(found)
    files = sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
    digest = hashlib.blake2b(digest_size=16)
    for each in files:
        digest.update(each.read_bytes())
    return digest.hexdigest()
