"""Caches that share one budget of bytes."""

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from gridworld.support import caches as module
from gridworld.support.caches import BoundedCache, bounded, bytes_taken

SIZE = 1000
CHARGED = SIZE + module.BYTES_PER_ENTRY


@pytest.fixture(autouse=True)
def room_for_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CACHE_BYTES", 3 * CHARGED)


def filled(*keys: str) -> BoundedCache[str, str]:
    cache: BoundedCache[str, str] = BoundedCache()
    for key in keys:
        cache.put(key, key.upper(), SIZE)
    return cache


def test_the_least_recently_used_go_first_whichever_cache_they_are_in() -> None:
    one, other = filled("a", "b"), filled("c")
    assert one.get("a") == "A"
    other.put("d", "D", SIZE)
    assert one.get("b") is None
    assert (one.get("a"), other.get("c"), other.get("d")) == ("A", "C", "D")
    assert bytes_taken() == 3 * CHARGED


def test_what_is_larger_than_the_budget_is_returned_and_not_kept() -> None:
    cache = filled("a")
    assert cache.put("b", "B", 3 * CHARGED) == "B"
    assert (cache.get("b"), cache.get("a")) == (None, "A")


def test_what_is_put_again_is_charged_once() -> None:
    cache = filled("a", "a", "a", "a")
    assert len(cache) == 1
    cache.put("b", "B", SIZE)
    cache.put("c", "C", SIZE)
    assert [cache.get(key) for key in "abc"] == ["A", "B", "C"]


def test_a_cache_that_nobody_holds_takes_nothing() -> None:
    before = filled("a")
    kept = bytes_taken()
    gone = filled("b", "c")
    assert bytes_taken() == 3 * CHARGED
    del gone
    gc.collect()
    assert bytes_taken() <= kept
    before.clear()
    assert (len(before), before.get("a")) == (0, None)


def test_values_that_refer_to_their_cache_do_not_keep_it() -> None:
    cache: BoundedCache[str, object] = BoundedCache()
    cache.put("itself", cache, SIZE)
    del cache
    gc.collect()
    assert bytes_taken() < CHARGED


def test_a_copy_is_empty() -> None:
    cache = filled("a")
    assert [len(each) for each in (pickle.loads(pickle.dumps(cache)), copy.deepcopy(cache))] == [0, 0]


def test_a_function_is_called_again_only_for_what_has_been_forgotten() -> None:
    asked = []

    @bounded(lambda value, number, shift=0: SIZE)
    def double(number: int, shift: int = 0) -> int:
        asked.append(number)
        return 2 * number + shift

    assert [double(number) for number in (1, 2, 1, 3, 4, 1, 2)] == [2, 4, 2, 6, 8, 2, 4]
    assert asked == [1, 2, 3, 4, 2]
    assert (double(2, shift=1), double(2)) == (5, 4)


def test_threads_use_caches_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CACHE_BYTES", 20 * CHARGED)
    caches: list[BoundedCache[int, int]] = [BoundedCache() for _ in range(3)]

    def use(thread: int) -> bool:
        right = True
        for number in range(3000):
            key, cache = number * (thread + 1) % 37, caches[number % 3]
            found = cache.get(key)
            right &= found is None or found == key
            cache.put(key, key, SIZE)
        return right

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(use, range(4)))
    assert bytes_taken() <= 20 * CHARGED
    assert sum(map(len, caches)) == bytes_taken() // CHARGED
