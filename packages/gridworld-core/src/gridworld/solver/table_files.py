"""A `StateTable` on disk: a folder of arrays, which are mapped into memory when they are read."""

from __future__ import annotations

import json
import secrets
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.solver.packed_states import PackedStates
from gridworld.solver.state_table import DEAD, StateTable
from gridworld.world.world import World

__all__ = ["TableFileError", "read_table", "read_table_note", "write_table"]

FORMAT = 1
NOTE = "table.json"
OWN = ("successor", "events", "parent", "action")


class TableFileError(GridworldError):
    """A folder holds no table, or not a whole one."""


def write_table(table: StateTable, path: Path) -> None:
    """Write a table into a new folder, whole or not at all; one that is there stays.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.mkdir(parents=True)
    try:
        for name in OWN:
            np.save(temporary / f"{name}.npy", getattr(table, name))
        for name, array in table.states.to_arrays().items():
            np.save(temporary / f"states.{name}.npy", array)
        world = table.world
        note = {"format": FORMAT, "task": world.task.task_id, "tiling": world.topology.name, "states": len(table)}
        (temporary / NOTE).write_text(json.dumps(note), encoding="utf-8")
        if not path.exists():
            temporary.rename(path)
    finally:
        if temporary.exists():
            shutil.rmtree(temporary)


def read_table(world: World, path: Path) -> StateTable:
    """The table in a folder, its arrays mapped into memory.

    Args:
        world: the task that it is of.
        path: the folder.

    Raises:
        TableFileError: there is no whole table.
    """
    read_table_note(path)
    try:
        arrays = {file.stem: np.load(file, mmap_mode="r") for file in sorted(path.glob("*.npy"))}
        packed = {name.removeprefix("states."): array for name, array in arrays.items() if name.startswith("states.")}
        own = {name: arrays[name] for name in OWN}
        table = StateTable(world=world, states=PackedStates.from_arrays(packed), **own)
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise TableFileError(f"{path}: {error}") from error
    if not _is_whole(table):
        raise TableFileError(f"{path}: its arrays do not fit together")
    return table


def _is_whole(table: StateTable) -> bool:
    """Whether the arrays are of the right types and shapes, and name no states but those that there are."""
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


def read_table_note(path: Path) -> dict[str, Any]:
    """Of what the table in a folder is: ``task``, ``tiling`` and ``states``.

    Raises:
        TableFileError: there is no table.
    """
    try:
        note = json.loads((path / NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TableFileError(f"{path}: {error}") from error
    if not isinstance(note, dict) or note.get("format") != FORMAT:
        raise TableFileError(f"{path}: a table of another version")
    return note
