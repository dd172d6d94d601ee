"""Tables of states, kept in memory and on disk, so that each is made once.

On disk they are found by the hash of all that decides them: the task, the layout, the sources of the kernel and of the
plugins that the task uses. A table that is read is held against the kernel at some of its states all the same.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import FunctionType

import attrs
import numpy as np

from gridworld.actions import Action
from gridworld.solver.event_kinds import kinds_of
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import Limits
from gridworld.solver.spaces import StateSpace, timeless
from gridworld.solver.state_table import (
    DEAD,
    WON,
    NotTabulatedError,
    StateTable,
    tabulate,
)
from gridworld.solver.table_files import TableFileError, read_table, read_table_note, write_table
from gridworld.support.cache import cache_folder, package_digest
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["TABLES", "KeptTable", "find_table", "kept_tables", "table_of"]

TABLES = "tables"
"""The kind of things in the cache that tables are."""
WORTH_KEEPING = 20_000
"""Smaller tables, by their states, are made as quickly as they are read."""


@attrs.frozen
class KeptTable:
    """A table on disk."""

    path: Path
    task_id: str
    tiling: str
    states: int
    size: int
    """In bytes."""


def table_of(world: World, max_states: int, expand: Callable[[StateSpace], Expansion] = Expansion) -> StateTable:
    """The table of a task, as `tabulate` makes it, from memory or disk if it has been made before.

    Args:
        world: the compiled task.
        max_states: how many states it may have.
        expand: gives the expansion of a space of the task, as for `tabulate`.

    Raises:
        NotTabulatedError: it has more, or its goal depends on the number of steps.
    """
    return _in_memory(world, max_states).table(expand)


@attrs.define(eq=False)
class _InMemory:
    """The table of a task, or the reason why there is none, once it has been asked for."""

    world: World
    max_states: int
    _found: StateTable | tuple[str, str | None] | None = None

    def table(self, expand: Callable[[StateSpace], Expansion]) -> StateTable:
        """The table; raises NotTabulatedError."""
        if self._found is None:
            self._found = self._find(expand)
        if isinstance(self._found, tuple):
            raise NotTabulatedError(self.world, *self._found)
        return self._found

    def _find(self, expand: Callable[[StateSpace], Expansion]) -> StateTable | tuple[str, str | None]:
        try:
            return find_table(self.world, Limits(states=self.max_states), cache_folder(TABLES), expand)
        except NotTabulatedError as error:
            return error.reason, "max_states" if error.limit == "limits.states" else None


_in_memory = lru_cache(maxsize=4)(_InMemory)


def find_table(
    world: World, limits: Limits, folder: Path | None, expand: Callable[[StateSpace], Expansion] = Expansion
) -> StateTable:
    """The table of a task from a folder; if it is not there it is made, and kept there if that is worth while.

    Raises:
        NotTabulatedError: as `tabulate` does.
    """
    key = None if folder is None else _key(world)
    path = None if folder is None or key is None else folder / key
    table = None if path is None else _read(world, path)
    if table is not None:
        if len(table) > limits.states:
            raise NotTabulatedError(world, f"more than {limits.states} states", "limits.states")
        return table
    table = tabulate(world, limits, expand=expand)
    if path is not None and len(table) >= WORTH_KEEPING:
        _keep(table, path)
    return table


def kept_tables(folder: Path) -> Iterator[KeptTable]:
    """The tables in a folder, by task and tiling; what is no table is passed over."""
    found = []
    for path in folder.glob("*"):
        try:
            note = read_table_note(path)
        except TableFileError:
            continue
        size = sum(file.stat().st_size for file in path.iterdir())
        found.append(KeptTable(path, note["task"], note["tiling"], note["states"], size))
    yield from sorted(found, key=lambda table: (table.task_id, table.tiling, table.path.name))


def _read(world: World, path: Path) -> StateTable | None:
    """The table in a folder, if it is there, whole and right."""
    try:
        table = read_table(world, path)
        return table if agrees_with_kernel(table) else None
    except (TableFileError, LookupError):  # a damaged table may name configurations that there are not
        return None


def _keep(table: StateTable, path: Path) -> None:
    try:
        if path.exists():  # it was refused when it was read
            shutil.rmtree(path)
        write_table(table, path)
    except OSError:
        return  # a full or read-only disk costs time, and nothing else


def agrees_with_kernel(table: StateTable, states: int = 32) -> bool:
    """Whether a table says what the kernel says, tried on so many states, spread over it."""
    arena = timeless(table.world)
    numbers = np.linspace(0, len(table) - 1, min(states, len(table))).astype(int).tolist()
    return all(_agrees(table, arena, number, action) for number in numbers for action in Action)


def _agrees(table: StateTable, arena: World, number: int, action: Action) -> bool:
    now, events = transition(arena, table.state(number), action)
    told = (table.successor[number, action], table.events[number, action])
    return told == (_target(table, now), kinds_of(events))


def _target(table: StateTable, state: State) -> int | None:
    if state.status:
        return WON if state.status == Status.SUCCEEDED else DEAD
    try:
        return table.number(state)
    except KeyError:
        return None


def _key(world: World) -> str | None:
    """The hash of all that decides a table; None where that cannot be known, since code is not in files of its own."""
    topology, sources = world.topology, _sources(world)
    if sources is None:
        return None
    layout = [topology.name, topology.heading_count, topology.exits, topology.left, topology.right, topology.centres]
    patches = [[*position, *cells] for position, cells in sorted(topology.patches.items())]
    said = json.dumps([world.task.to_dict(), layout, patches, sources], sort_keys=True)
    return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


def _sources(world: World) -> list[str] | None:
    """Digests of the packages that say what happens in a world; None where something else does, such as a closure."""
    types = {entity.type.name: entity.type for entity in world.entities}.values()
    parts = [*attrs.astuple(world.goal_type, recurse=False)]
    parts += [part for kind in types for part in attrs.astuple(kind, recurse=False)]
    called = [part for part in parts if callable(part)]
    if not all(map(_is_of_its_module, called)):
        return None
    packages = sorted({"gridworld", *(part.__module__.partition(".")[0] for part in called)})
    digests = [package_digest(name) for name in packages]
    told = [f"{name} {digest}" for name, digest in zip(packages, digests, strict=True)]
    return None if None in digests else told


def _is_of_its_module(part: object) -> bool:
    """Whether a function or class is what its module's source says, and nothing else."""
    if isinstance(part, type):
        return "<locals>" not in part.__qualname__
    return isinstance(part, FunctionType) and not part.__closure__ and "<locals>" not in part.__qualname__
