"""Reading a folder that somebody else may have made: plain files only, under names that stay inside it."""

from __future__ import annotations

import errno
import os
import re
import stat
from hashlib import blake2b
from pathlib import Path

__all__ = ["checked_digest", "read_kept", "read_plain", "refuse_special_files"]

DIGEST = re.compile(r"[0-9a-f]{16,64}")
DEPTH = 2
"""Levels of folders in which anything of a record stands: its own, and those in it."""


def refuse_special_files(folder: Path, depth: int = DEPTH) -> None:
    """Make sure that a folder holds nothing but files and folders: no links, pipes, sockets or devices.

    The folder itself may be a link.

    Raises:
        OSError: it holds something else, or cannot be read; the entry is named.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth > 1:
                    refuse_special_files(Path(entry.path), depth - 1)
            elif not entry.is_file(follow_symlinks=False) and os.path.lexists(entry.path):
                raise _not_plain(entry.path, entry.is_symlink())


def read_plain(path: Path) -> bytes:
    """Content of a file; a link is not followed, and a pipe is not waited for.

    Raises:
        OSError: it is no plain file, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _not_plain(str(path), is_link=True) from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _not_plain(str(path), is_link=False)
        return file.read()


def read_kept(folder: Path, digest: object, suffix: str) -> bytes:
    """Content of the file that is named by the digest of its content.

    Args:
        folder: where it is kept.
        digest: BLAKE2b with 8 bytes, in hexadecimal digits.
        suffix: the ending of its name.

    Raises:
        OSError: there is no such file, it cannot be read, or it holds something else.
        ValueError: the digest is none, but a path for instance.
    """
    path = folder / f"{checked_digest(digest)}{suffix}"
    content = read_plain(path)
    if blake2b(content, digest_size=8).hexdigest() != digest:
        raise OSError(errno.EIO, "its content has been changed", str(path))
    return content


def checked_digest(digest: object) -> str:
    """The digest, which is safe as the name of a file.

    Raises:
        ValueError: it is no digest.
    """
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise ValueError(f"expected a digest in hexadecimal digits, got {str(digest)[:80]!r}")
    return digest


def _not_plain(path: str, is_link: bool) -> OSError:
    kind = "a link" if is_link else "no plain file"
    return OSError(errno.EINVAL, f"it is {kind}, expected a file: replace it by one, or remove it", path)
