"""Ownership: whether content in a folder that may come from other people was written by this user on this machine.

Own content carries a message authentication code (MAC), HMAC-SHA256 by a key in the user's state folder. The key is
made when it is first needed, and it is never recorded. Without a valid key nothing is own, and nothing fails.
"""

import hmac
import os
import secrets
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import platformdirs

from gridworld.support.files import FileError, MissingFileError, expand_user, open_plain, rename_new

STATE_VARIABLE = "MULTINET_STATE"
"""Environment variable with an alternative state folder; empty for none."""
KEY = "ownership.key"
"""Name of the file with the key."""
KEY_BYTES = 32
ONLY_OWNER = stat.S_IRUSR | stat.S_IWUSR
MOST_BYTES = 1 << 16
"""Limit for a file in place of the key, so that its size can be named."""


def sign(content: bytes | bytearray, label: str) -> str | None:
    """Return the MAC of some content; None if the key can be neither read nor made.

    Args:
        content: the content without its MAC.
        label: the kind of content; a MAC is valid for its own label only.
    """
    with suppress(FileError):
        return _mac(_key(make=True), content, label)
    return None


def is_own(content: bytes, mac: object, label: str) -> bool:
    """Whether a MAC, of any type, is the one that `sign` returns to this user for the content and label."""
    if isinstance(mac, str) and mac.isascii():
        with suppress(FileError):
            return hmac.compare_digest(_mac(_key(), content, label), mac)
    return False


def key_problem() -> str | None:
    """Say why nothing is recognised as one's own; None if the key is valid."""
    try:
        _key()
    except MissingFileError as error:
        return f"{error.path}: there is no key"
    except FileError as error:
        return str(error)
    return None


def state_folder() -> Path | None:
    """Return the user's state folder, which need not exist: ``$MULTINET_STATE``, or that of the platform.

    None if the variable is empty, or if the user has no home folder.
    """
    named = os.environ.get(STATE_VARIABLE)
    if named is not None:
        return Path(expand_user(named)).absolute() if named else None
    path = platformdirs.user_state_path("multinet-gridworld")
    return path if path.is_absolute() else None  # a relative one could lie in a received folder


def _mac(key: bytes, content: bytes | bytearray, label: str) -> str:
    code = hmac.new(key, label.encode() + b"\0", sha256)
    code.update(content)
    return code.hexdigest()


def _key(make: bool = False) -> bytes:
    """Read the key, making it first if it is missing and `make` is true; raises FileError."""
    folder = state_folder()
    if folder is None:
        raise FileError(KEY, f"there is no folder for it; set {STATE_VARIABLE} to one")
    path = folder / KEY
    try:
        return _read_key(path)
    except MissingFileError:
        if not make:
            raise
    try:
        _make_key(path)
    except OSError as error:
        raise FileError(path, f"it cannot be written: {error.strerror}") from error
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    with open_plain(path, MOST_BYTES) as file:
        status = os.fstat(file.fileno())
        mode = stat.S_IMODE(status.st_mode)
        if status.st_uid != os.geteuid():
            raise FileError(path, "it belongs to another user; remove it")
        if mode & ~ONLY_OWNER:
            raise FileError(path, f"its mode is {mode:04o}, expected {ONLY_OWNER:04o}; remove it if others know it")
        try:
            key = file.read(KEY_BYTES + 1)
        except OSError as error:
            raise FileError(path, f"it cannot be read: {error.strerror}") from error
    if len(key) != KEY_BYTES:
        raise FileError(path, f"it has {status.st_size} bytes, expected {KEY_BYTES}; remove it")
    return key


def _make_key(path: Path) -> None:
    """Write a new key unless there is one: of several processes, one succeeds; raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f".{KEY}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, ONLY_OWNER), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            rename_new(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
