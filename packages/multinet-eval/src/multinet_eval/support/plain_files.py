"""Safe reading of a folder from others: plain files only, under names that stay inside it."""

from __future__ import annotations

import errno
import os
import re
import stat
from hashlib import blake2b
from pathlib import Path

DIGEST = re.compile(r"[0-9a-f]{16,64}")
DEPTH = 2
"""Levels of folders of a record: its own, and those in it."""


def refuse_special_files(folder: Path, depth: int = DEPTH) -> None:
    """Refuse links, pipes, sockets and devices in a folder.

    The folder itself may be a link.

    Raises:
        OSError: it holds one, or cannot be read; the entry is named.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth > 1:
                    refuse_special_files(Path(entry.path), depth - 1)
            elif not entry.is_file(follow_symlinks=False) and os.path.lexists(entry.path):
                raise _not_plain(entry.path, entry.is_symlink())


def read_plain(path: Path) -> bytes:
    """Read a file; do not follow a link or wait for a pipe.

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
    """Read a file that is named by the digest of its content.

    Args:
        folder: its folder.
        digest: BLAKE2b with 8 bytes, in hexadecimal digits.
        suffix: the ending of its name.

    Raises:
        OSError: there is no such file, it cannot be read, or it holds something else.
        ValueError: the digest is something else, such as a path.
    """
    path = folder / f"{checked_digest(digest)}{suffix}"
    content = read_plain(path)
    if blake2b(content, digest_size=8).hexdigest() != digest:
        raise OSError(errno.EIO, "its content has been changed", str(path))
    return content


def checked_digest(digest: object) -> str:
    """Return a digest, which is safe as the name of a file.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise ValueError(f"expected a digest in hexadecimal digits, got {str(digest)[:80]!r}")
    return digest


def _not_plain(path: str, is_link: bool) -> OSError:
    kind = "a link" if is_link else "no plain file"
    return OSError(errno.EINVAL, f"it is {kind}, expected a file: replace it by one, or remove it", path)
