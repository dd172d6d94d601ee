"""Cached tables: found again if nothing has changed, and never wrong."""

import os
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

from gridworld.solver import table_cache
from gridworld.solver.exploration import SearchLimits
from gridworld.solver.state_table import NotTabulatedError, StateTable, tabulate
from gridworld.solver.table_cache import (
    TABLES,
    TableFileError,
    find_table,
    read_table,
    table_of,
    write_table,
)
from gridworld.support.caches import CACHE_VARIABLE, cache_folder
from gridworld.world import World, compile_world
from support.sample_plugins import with_remembering
from support.tilings import make_topology
from support.worlds import block, compiled, corridor, door, draw, key

TASK = draw("######\n#@.k.#\n#.b..#\n#..DG#\n######", k=key(), b=block(), D=door("red"))


@pytest.fixture(autouse=True)
def _keep_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "WORTH_KEEPING", 1)


def find(world: World, folder: Path | None) -> StateTable:
    return find_table(world, SearchLimits(), folder)


def made_again(monkeypatch: pytest.MonkeyPatch) -> list[World]:
    """The worlds tabulated from now on."""
    made: list[World] = []

    def tabulated(world: World, *arguments: object, **options: object) -> StateTable:
        made.append(world)
        return tabulate(world)

    monkeypatch.setattr(table_cache, "tabulate", tabulated)
    return made


def assert_same(one: StateTable, other: StateTable) -> None:
    for name in ("successor", "events", "parent", "action", "distance", "optimal"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for number in range(0, len(one), 7):
        state = one.state(number)
        assert other.state(number) == state
        assert other.number(state) == number


def test_a_table_is_made_once_and_then_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_again(monkeypatch)
    first = find(compiled(TASK), tmp_path)
    again = find(compiled(TASK), tmp_path)
    assert len(made) == 1
    assert isinstance(again.successor, np.memmap)
    assert_same(first, again)


def test_goal_memory_survives_the_cache(tmp_path: Path) -> None:
    with with_remembering():
        world = compiled(corridor("k@l.G", goal={"type": "fetch_all"}, k=key("red"), l=key("blue")))
        assert_same(find(world, tmp_path), find(world, tmp_path))


def test_without_a_folder_nothing_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_again(monkeypatch)
    find(compiled(TASK), None)
    find(compiled(TASK), None)
    assert len(made) == 2


def test_small_tables_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "WORTH_KEEPING", 10**6)
    find(compiled(TASK), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == []


def test_too_many_states_are_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, states = SearchLimits(states=10), len(tabulate(compiled(TASK)))
    with pytest.raises(NotTabulatedError) as first:
        find_table(compiled(TASK), few, tmp_path)
    made = made_again(monkeypatch)
    for limits in (few, SearchLimits(states=9)):
        with pytest.raises(NotTabulatedError, match=f"more than {limits.states} states") as again:
            find_table(compiled(TASK), limits, tmp_path)
        assert again.value.limit == first.value.limit
    assert made == []
    assert len(find_table(compiled(TASK), SearchLimits(states=states), tmp_path)) == states


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": 0, "fewest_states": 11}', '{"format": 1, "fewest_states": "x"}']
)
def test_a_damaged_note_on_too_many_states_is_replaced(tmp_path: Path, content: str) -> None:
    few = SearchLimits(states=10)
    for _ in range(2):
        with pytest.raises(NotTabulatedError):
            find_table(compiled(TASK), few, tmp_path)
        (note,) = tmp_path.iterdir()
        assert note.read_text() != content
        note.write_text(content)


def test_task_tiling_and_sources_make_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_again(monkeypatch)
    find(compiled(TASK), tmp_path)
    find(compiled(attrs.evolve(TASK, max_steps=TASK.max_steps + 1)), tmp_path)
    find(compile_world(TASK, make_topology("hex", TASK.maze.dimensions)), tmp_path)
    monkeypatch.setattr(table_cache, "package_digest", lambda name: "changed")
    find(compiled(TASK), tmp_path)
    assert len(made) == 4


def test_a_table_that_contradicts_the_kernel_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find(compiled(TASK), tmp_path)
    (kept,) = tmp_path.iterdir()
    array = np.load(kept / "successor.npy")
    np.save(kept / "successor.npy", np.roll(array, 1, axis=0))
    made = made_again(monkeypatch)
    assert_same(find(compiled(TASK), tmp_path), tabulate(compiled(TASK)))
    assert len(made) >= 1


def _lead_away(table: Path) -> None:
    outside = table.rename(table.parents[1] / f"{table.parent.name}-outside")
    table.symlink_to(outside)


DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "truncated": lambda array, note: array.write_bytes(array.read_bytes()[:200]),
    "header cut": lambda array, note: array.write_bytes(array.read_bytes().replace(b"}", b" ", 1)),
    "missing": lambda array, note: array.unlink(),
    "FIFO": lambda array, note: (array.unlink(), os.mkfifo(array)),
    "link": lambda array, note: (array.rename(array.parents[1] / "array"), array.symlink_to("../array")),
    "linked folder": lambda array, note: _lead_away(array.parent),
    "sparse": lambda array, note: os.truncate(array, 10 * 2**30),
    "broken note": lambda array, note: note.write_text("{"),
    "note nested 100,000 times": lambda array, note: note.write_text("[" * 100_000),
    "sparse note": lambda array, note: os.truncate(note, 10 * 2**30),
    "other format": lambda array, note: note.write_text('{"format": 0}'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_replaced(tmp_path: Path, damage: str) -> None:
    world = compiled(TASK)
    find(world, tmp_path)
    (kept,) = tmp_path.iterdir()
    DAMAGES[damage](kept / "successor.npy", kept / "table.json")
    with pytest.raises(TableFileError):
        read_table(world, kept)
    assert_same(find(world, tmp_path), tabulate(world))
    assert_same(read_table(world, kept), tabulate(world))


def test_the_limit_applies_to_cached_tables(tmp_path: Path) -> None:
    world = compiled(TASK)
    size = len(find(world, tmp_path))
    with pytest.raises(NotTabulatedError, match=f"more than {size - 1} states; raise limits.states$"):
        find_table(world, SearchLimits(states=size - 1), tmp_path)
    with pytest.raises(NotTabulatedError, match=f"more than {size - 1} states; raise max_states$"):
        table_of(world, size - 1)


def test_an_unwritable_folder_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert len(find(compiled(TASK), tmp_path / "file")) > 1


def test_an_existing_table_stays(tmp_path: Path) -> None:
    table = tabulate(compiled(TASK))
    write_table(table, tmp_path / "t")
    written = (tmp_path / "t" / "table.json").stat().st_mtime_ns
    write_table(table, tmp_path / "t")
    assert (tmp_path / "t" / "table.json").stat().st_mtime_ns == written
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_cache_folder_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert cache_folder(TABLES) == tmp_path / "tables"
    monkeypatch.setenv(CACHE_VARIABLE, "")
    assert cache_folder(TABLES) is None
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = cache_folder(TABLES)
    assert folder is not None
    assert folder.name == "tables"


def test_a_cached_refusal_raises_new_errors() -> None:
    world, refused = compiled(corridor("@...G")), []
    for _ in range(3):
        with pytest.raises(NotTabulatedError, match="max_states") as raised:
            table_of(world, 1)
        refused.append(raised.value)
    assert len(set(map(id, refused))) == 3
    assert len({str(error) for error in refused}) == 1


def test_a_table_is_cached_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, "")
    world = compiled(TASK)
    assert table_of(world, 10_000) is table_of(world, 10_000)
