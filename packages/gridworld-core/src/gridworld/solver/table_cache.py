"""A cache of state tables, in memory and on disk.

On disk a table is a folder of arrays, which are memory-mapped when read. The folder is named after the hash of
everything that determines the table: the task, the layout, the sources of the kernel and of the plugins that the task
uses. As a further check, some states of each table read are compared with the kernel. Of a task with too many states,
a note with the limit is kept in place of a table.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import FunctionType

import attrs
import numpy as np

from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.solver.expansion import DEAD, WON, Expansion
from gridworld.solver.exploration import SearchLimits
from gridworld.solver.spaces import StateSpace, without_budget
from gridworld.solver.state_table import NotTabulatedError, PackedStates, StateTable, tabulate
from gridworld.support.caches import cache_folder, package_digest
from gridworld.support.files import MIB, FileError, open_plain, read_json, store_bytes
from gridworld.world.events import kinds_of
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import Always, MechanismType
from gridworld.world.owned_hooks import plain
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

TABLES = "tables"
"""Subfolder of the cache that holds the tables."""
WORTH_KEEPING = 20_000
"""Smallest number of states worth caching; below it, building a table is as fast as reading it."""
FORMAT = 1
STATES = "limits.states"
"""Limit on the states of a table, as `NotTabulatedError` names it."""
NOTE, MOST_OF_A_NOTE = "table.json", MIB
MOST_OF_AN_ARRAY = 4096 * MIB
OWN = ("successor", "events", "parent", "action")


def table_of(world: World, max_states: int, expand: Callable[[StateSpace], Expansion] = Expansion) -> StateTable:
    """Return the table of a task, from memory or disk if `tabulate` has made it before.

    Args:
        world: the compiled task.
        max_states: maximum number of states of the task.
        expand: makes or reuses the expansion of a space of the task, as for `tabulate`.

    Raises:
        NotTabulatedError: the task has too many states, or its goal depends on the step count.
    """
    return _in_memory(world, max_states).table(expand)


@attrs.define(eq=False)
class _InMemory:
    """The table of a task, or the reason why there is none, computed on request."""

    world: World
    max_states: int
    _found: StateTable | tuple[str, str | None] | None = None

    def table(self, expand: Callable[[StateSpace], Expansion]) -> StateTable:
        """Return the table; raises NotTabulatedError."""
        if self._found is None:
            self._found = self._find(expand)
        if isinstance(self._found, tuple):
            raise NotTabulatedError(self.world, *self._found)
        return self._found

    def _find(self, expand: Callable[[StateSpace], Expansion]) -> StateTable | tuple[str, str | None]:
        try:
            return find_table(self.world, SearchLimits(states=self.max_states), cache_folder(TABLES), expand)
        except NotTabulatedError as error:
            return error.reason, "max_states" if error.limit == STATES else None


_in_memory = lru_cache(maxsize=4)(_InMemory)


def find_table(
    world: World, limits: SearchLimits, folder: Path | None, expand: Callable[[StateSpace], Expansion] = Expansion
) -> StateTable:
    """Return the table of a task from a folder; a missing table is made, and stored there if it is large.

    Raises:
        NotTabulatedError: as `tabulate` does.
    """
    key = None if folder is None else _key(world)
    path = None if folder is None or key is None else folder / key
    table = None if path is None else _read(world, path)
    fewest = 0 if path is None else _fewest_states(path) if table is None else len(table)
    if fewest > limits.states:
        raise NotTabulatedError(world, f"more than {limits.states} states", STATES)
    if table is not None:
        return table
    try:
        table = tabulate(world, limits, expand=expand)
    except NotTabulatedError as error:
        if path is not None and error.limit == STATES and limits.states >= WORTH_KEEPING:
            _keep_refusal(limits.states, path)
        raise
    if path is not None and len(table) >= WORTH_KEEPING:
        _keep(table, path)
    return table


def _read(world: World, path: Path) -> StateTable | None:
    """Return the table in a folder, or None if it is missing, incomplete or wrong."""
    try:
        table = read_table(world, path)
        return table if agrees_with_kernel(table) else None
    except (TableFileError, LookupError):  # a damaged table may name configurations that do not exist
        return None


def _keep(table: StateTable, path: Path) -> None:
    try:
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.exists():  # a wrong table
            shutil.rmtree(path)
        write_table(table, path)
    except OSError:
        return  # a full or read-only disk only costs time


def _fewest_states(path: Path) -> int:
    """Return the number of states that a table is known to have at least if it was too large to be kept, or 0."""
    try:
        note = read_json(_refusal(path), MOST_OF_A_NOTE)
    except FileError:
        return 0
    fewest = note.get("fewest_states") if isinstance(note, dict) and note.get("format") == FORMAT else None
    return fewest if isinstance(fewest, int) else 0


def _keep_refusal(limit: int, path: Path) -> None:
    note = json.dumps({"format": FORMAT, "fewest_states": limit + 1}).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        store_bytes(_refusal(path), note)
    except OSError:
        return  # a full or read-only disk only costs time


def _refusal(path: Path) -> Path:
    return path.with_name(f"{path.name}.too-large.json")


def agrees_with_kernel(table: StateTable, states: int = 32) -> bool:
    """Whether a table agrees with the kernel in a sample of states spread over it."""
    world = without_budget(table.world)
    numbers = np.linspace(0, len(table) - 1, min(states, len(table))).astype(int).tolist()
    return all(_agrees(table, world, number, action) for number in numbers for action in Action)


def _agrees(table: StateTable, world: World, number: int, action: Action) -> bool:
    now, events = transition(world, table.state(number), action)
    stored = (table.successor[number, action], table.events[number, action])
    return stored == (_target(table, now), kinds_of(events))


def _target(table: StateTable, state: State) -> int | None:
    if state.status:
        return WON if state.status == Status.SUCCEEDED else DEAD
    try:
        return table.number(state)
    except KeyError:
        return None


def _key(world: World) -> str | None:
    """Hash everything that determines a table; None if part of it is code outside a module, such as a closure."""
    topology, sources = world.topology, _sources(world)
    if sources is None:
        return None
    layout = [topology.name, topology.heading_count, topology.exits, topology.left, topology.right, topology.centres]
    patches = [[*position, *cells] for position, cells in sorted(topology.patches.items())]
    said = json.dumps([world.task.to_dict(), layout, patches, sources], sort_keys=True)
    return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


def _sources(world: World) -> list[str] | None:
    """List constants and digests of the packages whose code a world runs; None if it also runs other code."""
    types = {entity.type.name: entity.type for entity in world.entities}.values()
    used: list[GoalType | MechanismType] = [world.goal_type, *types]
    parts = [plain(part) for kind in used for part in attrs.astuple(kind, recurse=False)]
    constants = [f"constant {part.value!r}" for part in parts if isinstance(part, Always)]
    called = [part for part in parts if callable(part) and not isinstance(part, Always)]
    if not all(map(_is_of_its_module, called)):
        return None
    packages = sorted({"gridworld", *(part.__module__.partition(".")[0] for part in called)})
    digests = [package_digest(name) for name in packages]
    named = [f"{name} {digest}" for name, digest in zip(packages, digests, strict=True)]
    return None if None in digests else [*named, *sorted(constants)]


def _is_of_its_module(part: object) -> bool:
    """Whether a function or class is completely determined by its module's source."""
    if isinstance(part, type):
        return "<locals>" not in part.__qualname__
    return isinstance(part, FunctionType) and not part.__closure__ and "<locals>" not in part.__qualname__


# --- Files -----------------------------------------------------------------------------------------------------------


class TableFileError(GridworldError):
    """A folder has no table, or an incomplete one."""


def write_table(table: StateTable, path: Path) -> None:
    """Write a table into a new folder atomically; an existing folder is kept.

    Raises:
        OSError: the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.mkdir(parents=True)
    try:
        for name in OWN:
            np.save(temporary / f"{name}.npy", getattr(table, name))
        for name, array in table.states.to_arrays().items():
            np.save(temporary / f"states.{name}.npy", array)
        (temporary / NOTE).write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
        if not path.exists():
            temporary.rename(path)
    finally:
        if temporary.exists():
            shutil.rmtree(temporary)


def read_table(world: World, path: Path) -> StateTable:
    """Read the table of a compiled task from a folder, with memory-mapped arrays.

    Raises:
        TableFileError: the folder has no table, or an incomplete one.
    """
    _check_note(path)
    try:
        arrays = {file.stem: _read_array(file) for file in sorted(path.glob("*.npy"))}
        packed = {name.removeprefix("states."): array for name, array in arrays.items() if name.startswith("states.")}
        own = {name: arrays[name] for name in OWN}
        table = StateTable(world=world, states=PackedStates.from_arrays(packed), **own)
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise TableFileError(f"{path}: {error}") from error
    if not _is_whole(table):
        raise TableFileError(f"{path}: its arrays are inconsistent")
    return table


def _read_array(file: Path) -> np.ndarray:
    try:
        open_plain(file, MOST_OF_AN_ARRAY).close()
        array: np.ndarray = np.load(file, mmap_mode="r")
    except FileError as error:
        raise TableFileError(str(error)) from error
    except Exception as error:  # of any kind, for a damaged header
        raise TableFileError(f"{file}: {error}") from error
    return array


def _is_whole(table: StateTable) -> bool:
    """Whether all arrays have the right dtypes and shapes, and refer only to existing states."""
    count = len(table.states.index)
    right = {
        "successor": (np.int32, (count, len(Action))),
        "events": (np.uint32, (count, len(Action))),
        "parent": (np.int32, (count,)),
        "action": (np.uint8, (count,)),
    }
    arrays = {name: getattr(table, name) for name in OWN}
    fitting = all((arrays[name].dtype, arrays[name].shape) == (dtype, shape) for name, (dtype, shape) in right.items())
    return fitting and all(
        arrays[name].min() >= DEAD and arrays[name].max() < count for name in ("successor", "parent")
    )


def _check_note(path: Path) -> None:
    """Check that a folder is no link and has a table in this format; raises TableFileError if not."""
    if path.is_symlink():
        raise TableFileError(f"{path}: it is a link, expected a folder")
    try:
        note = read_json(path / NOTE, MOST_OF_A_NOTE)
    except FileError as error:
        raise TableFileError(str(error)) from error
    if not isinstance(note, dict) or note.get("format") != FORMAT:
        raise TableFileError(f"{path}: a table of another version")
