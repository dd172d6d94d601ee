"""Older task files: translations into the current format.

Each translation makes one kind of change to a `Draft` and records it. Every reader applies `reading`. For an upgrade
(`gridworld.task.upgrading`), `upgrading` also adds the defaults of the earlier system, and moves fields without effect
to ``metadata.legacy``, so that the result is read without a warning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.errors import Problem, join_path

if TYPE_CHECKING:
    from gridworld.task.catalogs import Catalogs

Steps = tuple[str | int, ...]
"""Keys and indices that lead to a value in a file."""

OLDEST_VERSION = "0.1"
"""Version of the oldest files that can be upgraded."""
VERSION = "1.0"
DEFAULTS: Mapping[str, Any] = {"seed": 42, "difficulty_tier": 1, "goal": {"type": "reach_position"}, "max_steps": 100}
"""Defaults of the earlier system."""
NULLABLE = ("mechanisms", "rules", "dependency_chain", "distractors", "metadata")
CELL_FIELDS = ("position", "position_a", "position_b")
BARRIERS = ("doors", "gates")
"""Mechanism types that older files may place on a cell also listed as a wall."""


@attrs.frozen
class Change:
    """One change made by a translation."""

    path: str
    message: str
    warns: bool = False
    """Whether to issue a warning because part of the file has no effect."""

    def __str__(self) -> str:
        return str(Problem(self.path, self.message))


@attrs.define
class Draft:
    """Contents of a task file during translation, with the changes so far."""

    data: dict[str, Any]
    changes: list[Change] = attrs.field(factory=list)
    problems: list[Problem] = attrs.field(factory=list)
    put_away: dict[str, Any] = attrs.field(factory=dict)
    """Removed parts by path."""

    @classmethod
    def of(cls, data: Mapping[str, Any], translations: tuple[Translation, ...]) -> Draft:
        """Return a translated copy of contents."""
        draft = cls(_copy(data))
        for translate in translations:
            translate(draft)
        return draft

    def note(self, path: str, message: str, warns: bool = False) -> None:
        """Record a change at a place."""
        self.changes.append(Change(path, message, warns))

    def put_aside(self, steps: Steps, message: str) -> None:
        """Move a value to `put_away`, and record the reason."""
        holder: Any = self.data
        for step in steps[:-1]:
            holder = holder[step]
        path = path_of(steps)
        self.put_away[path] = holder.pop(steps[-1])
        self.note(path, f"moved to metadata.legacy: {message}", warns=True)

    def part(self, name: str) -> dict[str, Any]:
        """Return a top-level object, such as ``maze``; empty if it is missing."""
        part = self.data.get(name)
        return part if isinstance(part, dict) else {}

    def entries(self, kind: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """Yield (path, index, entry) for all well-formed entries of a mechanism type."""
        listed = self.part("mechanisms").get(kind)
        for index, entry in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(entry, dict):
                yield f"mechanisms.{kind}[{index}]", index, entry


Translation = Callable[[Draft], None]
"""Function that makes one kind of change to a draft, and records the change."""


def is_leftover(steps: Steps) -> bool:
    """Whether an unknown field may be ignored because it is a note."""
    name = str(steps[-1])
    return steps == ("$schema",) or name.startswith(("_", "x-"))


def path_of(steps: Steps) -> str:
    """Format keys and indices as a path for messages."""
    path = ""
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else join_path(path, step)
    return path


def _copy(value: Any) -> Any:
    """Copy objects and lists deeply, except inside ``metadata``."""
    if isinstance(value, Mapping):
        return {name: inner if name == "metadata" else _copy(inner) for name, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


def unwrap_task(draft: Draft) -> None:
    """Unwrap a task wrapped as ``{"TaskSpecification": {...}}``."""
    inner = draft.data.get("TaskSpecification")
    around = {name: value for name, value in draft.data.items() if name != "TaskSpecification"}
    if isinstance(inner, dict) and all(is_leftover((name,)) for name in around):
        draft.data = {**around, **inner}
        draft.note("TaskSpecification", "taken out of its wrapper")


def drop_nulls(draft: Draft) -> None:
    """Remove optional parts that are null."""
    for name in NULLABLE:
        if name in draft.data and draft.data[name] is None:
            del draft.data[name]
            draft.note(name, "null left out")


def lift_layout(draft: Draft) -> None:
    """Move the fields of ``maze.layout`` to the maze, and its mechanisms to the task."""
    maze = draft.part("maze")
    if not isinstance(maze.get("layout"), dict):
        return
    layout = maze.pop("layout")
    draft.data["maze"] = maze = {**layout, **maze}
    draft.note("maze.layout", "its fields are those of maze")
    if "mechanisms" in maze and "mechanisms" not in draft.data:
        draft.data["mechanisms"] = maze.pop("mechanisms")
        draft.note("maze.mechanisms", "moved to mechanisms")


def rename_goal_type(draft: Draft) -> None:
    """Rename ``goal.goal_type`` to ``goal.type``."""
    goal = draft.part("goal")
    if "goal_type" in goal and "type" not in goal:
        goal["type"] = goal.pop("goal_type")
        draft.note("goal.goal_type", "called type")


def use_normal_names(draft: Draft, catalogs: Catalogs) -> None:
    """Normalize names of mechanism and goal types, such as ``gridworld-core/keys``."""
    goal, mechanisms = draft.part("goal"), draft.part("mechanisms")
    if isinstance(goal.get("type"), str):
        given, goal["type"] = goal["type"], catalogs.goals.normal_name(goal["type"])
        if given != goal["type"]:
            draft.note("goal.type", f"{goal['type']} instead of {given}")
    for given in list(mechanisms):
        name = catalogs.mechanisms.normal_name(given)
        if name != given and name in mechanisms:
            draft.problems.append(Problem(f"mechanisms.{given}", f"is the same as '{name}': list them together"))
        elif name != given:
            mechanisms[name] = mechanisms.pop(given)
            draft.note(f"mechanisms.{given}", f"called {name}")


def drop_empty_conditions(draft: Draft) -> None:
    """Remove ``goal.auxiliary_conditions``, which never had an effect."""
    goal = draft.part("goal")
    if "auxiliary_conditions" in goal and goal["auxiliary_conditions"] in ([], None):
        del goal["auxiliary_conditions"]
        draft.note("goal.auxiliary_conditions", "left out: it is empty")


def drop_door_colors(draft: Draft) -> None:
    """Remove a door's ``color``, which must equal its ``requires_key``."""
    for path, _, door in draft.entries("doors"):
        if "color" not in door:
            continue
        color, key = door.pop("color"), door.get("requires_key")
        if color is None or _spelled(color) == _spelled(key):
            draft.note(f"{path}.color", "left out: it repeats requires_key, which is the door's colour", warns=True)
        else:
            draft.problems.append(
                Problem(f"{path}.color", f"{color!r} differs from requires_key, {key!r}, which is the door's colour")
            )


def _spelled(color: object) -> object:
    return "grey" if color == "gray" else color


def note_gate_colors(draft: Draft) -> None:
    """Record that a gate's ``color`` affects pictures only."""
    for path, _, gate in draft.entries("gates"):
        if gate.get("color") is not None:
            draft.note(f"{path}.color", "has no effect but on pictures: gates have no colour of their own", warns=True)


def let_barriers_replace_walls(draft: Draft) -> None:
    """Remove walls from cells that have a door or gate."""
    walls = draft.part("maze").get("walls")
    if not isinstance(walls, list):
        return
    barriers = (entry.get("position") for kind in BARRIERS for _, _, entry in draft.entries(kind))
    replaced = {_cell(position) for position in barriers} - {None}
    for index, wall in enumerate(walls):
        if replaced and _cell(wall) in replaced:
            draft.note(f"maze.walls[{index}]", "left out: a door or gate takes its place")
    draft.part("maze")["walls"] = [wall for wall in walls if not replaced or _cell(wall) not in replaced]


def _cell(value: object) -> tuple[int, int] | None:
    """Convert a position in a file to a pair; None if it is not a position."""
    pair = (value.get("x"), value.get("y")) if isinstance(value, Mapping) else value
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        return None
    x, y = pair
    return (x, y) if type(x) is int and type(y) is int else None


def move_gate_colors(draft: Draft) -> None:
    """Put a gate's ``color`` aside."""
    for _, index, gate in draft.entries("gates"):
        if "color" in gate:
            draft.put_aside(("mechanisms", "gates", index, "color"), "gates have no colour of their own")


def list_positions(draft: Draft) -> None:
    """Convert positions such as ``{"x": 1, "y": 2}`` to lists."""
    maze, goal = draft.part("maze"), draft.part("goal")
    holders = [("maze", maze, ("start", "goal")), ("goal", goal, ("target",))]
    for kind in draft.part("mechanisms"):
        holders += [(path, entry, CELL_FIELDS) for path, _, entry in draft.entries(kind)]
    for path, holder, fields in holders:
        for field in fields:
            _list_position(draft, path, holder, field)
    for path, holder, field in (
        ("maze", maze, "walls"),
        ("maze", maze, "floor"),
        ("goal", goal, "target_positions"),
    ):
        _list_all_positions(draft, path, holder, field)


def _list_position(draft: Draft, path: str, holder: dict[str, Any], field: str) -> None:
    cell = _cell(holder.get(field))
    if cell is not None and isinstance(holder[field], Mapping):
        holder[field] = list(cell)
        draft.note(f"{path}.{field}", f"written as {list(cell)}")


def _list_all_positions(draft: Draft, path: str, holder: dict[str, Any], field: str) -> None:
    listed = holder.get(field)
    if not isinstance(listed, list):
        return
    cells = {index: _cell(each) for index, each in enumerate(listed) if isinstance(each, Mapping)}
    written = {index: list(cell) for index, cell in cells.items() if cell is not None}
    if written:
        holder[field] = [written.get(index, each) for index, each in enumerate(listed)]
        draft.note(f"{path}.{field}", f"{len(written)} positions written as [x, y]")


def complete(draft: Draft) -> None:
    """Add required fields that were optional in the earlier system."""
    for name, value in DEFAULTS.items():
        if name not in draft.data:
            draft.data[name] = _copy(value)
            draft.note(name, f"added: {json.dumps(value)}, the default of the earlier system")
    goal = draft.part("goal")
    if goal and "type" not in goal:
        goal["type"] = DEFAULTS["goal"]["type"]
        draft.note("goal.type", f"added: {json.dumps(goal['type'])}, the default of the earlier system")


def renew_version(draft: Draft) -> None:
    """Update the version number of the oldest files."""
    if draft.data.get("version") == OLDEST_VERSION:
        draft.data["version"] = VERSION
        draft.note("version", f"{VERSION} instead of {OLDEST_VERSION}")


def _common(catalogs: Catalogs) -> tuple[Translation, ...]:
    return (
        unwrap_task,
        drop_nulls,
        lift_layout,
        rename_goal_type,
        partial(use_normal_names, catalogs=catalogs),
        drop_empty_conditions,
        drop_door_colors,
        let_barriers_replace_walls,
    )


def reading(catalogs: Catalogs) -> tuple[Translation, ...]:
    """Return the translations that every reader applies."""
    return (*_common(catalogs), note_gate_colors)


def upgrading(catalogs: Catalogs) -> tuple[Translation, ...]:
    """Return the translations that an upgrade applies."""
    return (*_common(catalogs), move_gate_colors, list_positions, complete, renew_version)
