"""Caches: in memory, within one budget of bytes for the whole process, and in a folder on disk.

A `BoundedCache` charges each entry its size. When all caches together exceed the budget, the oldest entries are evicted
first, whichever cache they belong to; an entry used since its last turn gets another one (the clock algorithm). The
entries of a cache are freed with it. Caches are thread-safe, and a forked process inherits the entries.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache, partial, update_wrapper
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import ref

import platformdirs

CACHE_BYTES = 16 << 20
"""Combined budget of all caches of a process, in bytes."""
BYTES_PER_ENTRY = 320
"""Measured overhead of an entry in bytes: its slots in two dictionaries, and its size."""
BYTES_PER_INT = 32
"""Size of an integer that the interpreter does not share, in bytes."""
CACHE_VARIABLE = "GRIDWORLD_CACHE"
"""Environment variable with an alternative folder for the disk cache; empty disables it."""

STARTED = time.time()
"""Time at which this module was imported, which is before plugins are."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")


class _Entry:
    """A key and its charge. The value is stored elsewhere, since it may refer to its cache and would keep it alive."""

    __slots__ = ("cache", "key", "size", "used")

    def __init__(self, cache: ref[BoundedCache[Any, Any]], key: Any, size: int) -> None:
        self.cache, self.key, self.size = cache, key, size
        self.used = False
        """Whether the entry has been used since it was last moved to the end of the order."""


_lock = RLock()
"""Reentrant lock, since hashing a key or freeing a value may call into a cache."""
_order: OrderedDict[_Entry, None] = OrderedDict()
"""Entries of all caches, in order of eviction."""
_taken = 0
_gone: deque[set[_Entry]] = deque()
"""Entries of deleted caches that are still in `_order`."""

if sys.platform != "win32":
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


class BoundedCache(Generic[Key, Value]):
    """A mapping that keeps its values while there is room. A copy, also by pickling, starts empty.

    A key must not refer to the owner of the cache.
    """

    def __init__(self) -> None:
        self._values: dict[Key, tuple[Value, _Entry]] = {}
        self._entries: set[_Entry] = set()
        self._ref: ref[BoundedCache[Key, Value]] | None = None
        """Weak reference to this cache, made with the first entry, since many caches never get one."""

    def __reduce__(self) -> tuple[type[BoundedCache[Any, Any]], tuple[()]]:
        return BoundedCache, ()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key and mark it as used; None if the key is not cached."""
        found = self._values.get(key)
        if found is None:
            return None
        value, entry = found
        entry.used = True  # no lock: hits are far more frequent than anything else
        return value

    def put(self, key: Key, value: Value, size: int) -> Value:
        """Store a value, evicting others if necessary; a value larger than the budget is not stored.

        Args:
            key: equal for equal values.
            value: anything but None.
            size: bytes of key and value together.

        Returns:
            The value.
        """
        global _taken
        with _lock:
            _uncharge_gone()
            if self._ref is None:
                self._ref = ref(self, partial(_note_gone, _gone, self._entries))
            entry = _Entry(self._ref, key, size + BYTES_PER_ENTRY)
            replaced = self._values.pop(key, None)
            if replaced is not None:
                self._entries.discard(replaced[1])
                _uncharge(replaced[1])
            if entry.size <= CACHE_BYTES:
                while _taken + entry.size > CACHE_BYTES:
                    _evict_next()
                self._values[key] = value, entry
                self._entries.add(entry)
                _order[entry] = None
                _taken += entry.size
        return value

    def clear(self) -> None:
        """Remove all entries."""
        with _lock:
            entries = [entry for _, entry in self._values.values()]
            self._values.clear()
            self._entries.clear()
            for entry in entries:
                _uncharge(entry)


def _evict_next() -> None:
    """Evict the first entry of the order, or move it to the end if it has been used."""
    entry = next(iter(_order))
    if entry.used:
        entry.used = False
        _order.move_to_end(entry)
        return
    _uncharge(entry)
    cache = entry.cache()
    if cache is not None:
        cache._values.pop(entry.key, None)
        cache._entries.discard(entry)


def _uncharge(entry: _Entry) -> None:
    global _taken
    if entry in _order:
        del _order[entry]
        _taken -= entry.size


def _uncharge_gone() -> None:
    while _gone:
        for entry in _gone.popleft():
            _uncharge(entry)


def _note_gone(gone: deque[set[_Entry]], entries: set[_Entry], _: ref[Any]) -> None:
    """Record the entries of a deleted cache; called by the garbage collector, which may hold any lock."""
    if entries:  # `gone` is an argument, since globals are None when the interpreter exits
        gone.append(entries)


def bytes_taken() -> int:
    """Return the number of bytes currently charged to all caches."""
    with _lock:
        _uncharge_gone()
        return _taken


def bounded(
    size_of: Callable[..., int],
) -> Callable[[Callable[Arguments, Value]], Callable[Arguments, Value]]:
    """Memoize a function as `functools.lru_cache` does, within the common budget.

    Args:
        size_of: computes the bytes that an entry keeps alive from the value and the arguments. The arguments must be
            hashable, and the function must not return None.
    """

    def decorate(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
        cache: BoundedCache[tuple[Any, ...], Value] = BoundedCache()

        def kept(*arguments: Arguments.args, **named: Arguments.kwargs) -> Value:
            key = (*arguments, *named.items()) if named else arguments
            found = cache.get(key)
            if found is None:
                found = function(*arguments, **named)
                cache.put(key, found, size_of(found, *arguments, **named))
            return found

        return update_wrapper(kept, function)

    return decorate


def bytes_of_ints(numbers: tuple[int, ...] | frozenset[int]) -> int:
    """Return the size in bytes of a container of integers, the integers included."""
    return sys.getsizeof(numbers) + BYTES_PER_INT * len(numbers)


def cache_folder(kind: str) -> Path | None:
    """Return the disk cache folder for one kind of entry, such as ``tables``; None if the disk cache is disabled."""
    named = os.environ.get(CACHE_VARIABLE)
    if named is None:
        return platformdirs.user_cache_path("multinet-gridworld") / kind
    return Path(named).expanduser() / kind if named else None


@lru_cache(maxsize=64)
def package_digest(name: str) -> str | None:
    """Return a digest of all Python files of an imported package or module; None if there are none."""
    found = sys.modules[name].__file__ if name in sys.modules else None
    if found is None:
        return None
    file = Path(found)
    files = sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
    digest = hashlib.blake2b(digest_size=16)
    for each in filter(Path.is_file, files):
        digest.update(each.read_bytes())
    return digest.hexdigest()


def code_digest(packages: Iterable[str]) -> str | None:
    """Return a digest of all files of packages and modules, which need not be imported; data in packages included.

    None if a file has changed since this process started, so that other code may be running.
    """
    digest = hashlib.blake2b(digest_size=16)
    for package in sorted(set(packages)):
        for file in sorted(filter(Path.is_file, _files_of(package))):
            if file.stat().st_mtime > STARTED:
                return None
            digest.update(file.read_bytes())
        digest.update(f"\n{package}\n".encode())
    return digest.hexdigest()


def _files_of(package: str) -> Iterator[Path]:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return
    if spec is not None and spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            yield from (path for path in Path(folder).rglob("*") if "__pycache__" not in path.parts)
    elif spec is not None and spec.origin is not None:
        yield Path(spec.origin)
