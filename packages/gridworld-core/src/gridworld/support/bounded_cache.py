"""`BoundedCache`: caches that share one budget of bytes, whatever they keep and however many there are.

Each entry is charged what it takes; when all together take more than the budget, the oldest go first, whichever cache
they are in, but those that have been used since their last turn get another one. A cache that nobody holds any more is
forgotten with its entries. Threads may use caches at once, and a process that is forked goes on with the entries of its
parent.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from functools import partial, update_wrapper
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import ref

__all__ = ["CACHE_BYTES", "BoundedCache", "bounded", "bytes_of_ints", "bytes_taken"]

CACHE_BYTES = 16 << 20
"""The bytes that all caches of a process may take together."""
BYTES_PER_ENTRY = 320
"""Bytes that an entry takes beside its key and value, as measured: its places in two dictionaries, and its size."""
BYTES_PER_INT = 32
"""Bytes of an integer that is not one of the small ones, which the interpreter shares."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")


class _Entry:
    """A key and what it is charged; not the value, which may refer to its cache and would keep that alive."""

    __slots__ = ("cache", "key", "size", "used")

    def __init__(self, cache: ref[BoundedCache[Any, Any]], key: Any, size: int) -> None:
        self.cache, self.key, self.size = cache, key, size
        self.used = False
        """Whether it has been used since it was put last in the order."""


_lock = RLock()
"""Reentrant: hashing a key, or freeing a value, may come back to a cache."""
_order: OrderedDict[_Entry, None] = OrderedDict()
"""The entries of all caches, in the order in which it is their turn to go."""
_taken = 0
_gone: deque[set[_Entry]] = deque()
"""The entries of caches that have gone, which are still in `_order`."""

if sys.platform != "win32":
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


class BoundedCache(Generic[Key, Value]):
    """Values by keys, as long as there is room for them. A copy of a cache, pickled or not, is empty.

    A key must not refer to what holds the cache.
    """

    def __init__(self) -> None:
        self._values: dict[Key, tuple[Value, _Entry]] = {}
        self._entries: set[_Entry] = set()
        self._ref: ref[BoundedCache[Key, Value]] | None = None
        """Made with the first entry, since many a cache never has any."""

    def __reduce__(self) -> tuple[type[BoundedCache[Any, Any]], tuple[()]]:
        return BoundedCache, ()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """The value of a key, which counts as used; None if there is none."""
        found = self._values.get(key)
        if found is None:
            return None
        value, entry = found
        entry.used = True  # no lock: hits are far more frequent than anything else
        return value

    def put(self, key: Key, value: Value, size: int) -> Value:
        """Keep a value, in place of others if there is no room; one that is larger than the budget is not kept.

        Args:
            key: is equal for what has the same value.
            value: anything but None.
            size: the bytes of key and value together.

        Returns:
            The value.
        """
        global _taken
        with _lock:
            _forget_gone()
            if self._ref is None:
                self._ref = ref(self, partial(_note_gone, self._entries))
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
        """Forget all."""
        with _lock:
            entries = [entry for _, entry in self._values.values()]
            self._values.clear()
            self._entries.clear()
            for entry in entries:
                _uncharge(entry)


def _evict_next() -> None:
    """Evict the first entry of the order, or put it last if it has been used."""
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


def _forget_gone() -> None:
    """Take the entries of caches that have gone out of the budget."""
    while _gone:
        for entry in _gone.popleft():
            _uncharge(entry)


def _note_gone(entries: set[_Entry], _: ref[Any]) -> None:
    """Called by the garbage collector, which may hold any lock."""
    if entries:
        _gone.append(entries)


def bytes_taken() -> int:
    """The bytes that all caches are charged now."""
    with _lock:
        _forget_gone()
        return _taken


def bounded(
    size_of: Callable[..., int],
) -> Callable[[Callable[Arguments, Value]], Callable[Arguments, Value]]:
    """Keep what a function returns, as `functools.lru_cache` does, within the budget of all caches.

    Args:
        size_of: the bytes of a value and of what else its entry keeps alive, given the value and the arguments. These
            are hashable; the function must not return None.
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
    """The bytes of a container of integers and of these, as if nobody else had them."""
    return sys.getsizeof(numbers) + BYTES_PER_INT * len(numbers)
