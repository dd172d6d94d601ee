"""Writing tasks as drawings that `gridworld.ascii.reading` reads back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gridworld.ascii.layout import NAMES, TEXTS
from gridworld.ascii.reading import A_TARGET, HIDDEN, START, THE_GOAL, UNUSED_GOAL, WANTED, YOU
from gridworld.ascii.words import vocabulary_of
from gridworld.errors import GridworldError
from gridworld.observations.character_map import FLOOR, WALL
from gridworld.observations.labels import GOAL, every_label
from gridworld.task.catalogs import Catalogs
from gridworld.task.writing import task_to_dict
from gridworld.task_spec import Position, Rules, TaskSpecification

PROVED_ANEW = "certificate"
"""Entry of ``metadata`` that drawings omit, since an edited task invalidates it."""


def draw_task(task: TaskSpecification, catalogs: Catalogs) -> str:
    """Draw a valid task.

    Reading the drawing gives an equal task, except for the order of walls and mechanisms, listed border walls, and
    ``metadata.certificate``, which is omitted.

    Args:
        task: the task.
        catalogs: its mechanism and goal types.

    Raises:
        GridworldError: the task needs more map characters than there are.
    """
    return _Writer(task, catalogs).draw()


@attrs.frozen
class _Thing:
    """An entity or mark on a cell, as described in the legend."""

    words: str
    fields: str = ""
    """JSON of the fields that the words do not express."""
    id: str | None = None
    """Id of the mechanism; None for the start, the goal and targets."""
    alone: bool = False
    """Whether it needs its own character, because others refer to it or it has several cells."""
    target_of: str | None = None
    """Id of the block whose target it is."""

    @property
    def kind(self) -> tuple[str, str, str | None]:
        """Grouping key: entries with equal keys may share a character."""
        return (self.words, self.fields, self.target_of or (self.id if self.alone else None))


Content = tuple[_Thing, ...]


class _Writer:
    """Draws one task."""

    def __init__(self, task: TaskSpecification, catalogs: Catalogs) -> None:
        self._task = task
        self._data = task_to_dict(task)
        self._vocabulary = vocabulary_of(catalogs)
        self._controlled = self._find_controlled()
        self._undrawn: list[str] = []
        self._cells: dict[Position, list[_Thing]] = {}
        self._order: list[str] = []
        """Mechanism ids in map order."""

    def draw(self) -> str:
        """Write the drawing."""
        for name, specs in self._task.mechanisms.groups():
            for number, spec in enumerate(specs):
                self._place(name, spec, self._data["mechanisms"][name][number])
        self._place_marks()
        maze = self._task.maze
        cells = [Position(x, y) for y in range(maze.height) for x in range(maze.width)]
        contents = {cell: tuple(self._cells[cell]) for cell in cells if cell in self._cells}
        drawn_ids = (thing.id for content in contents.values() for thing in content if thing.id is not None)
        self._order = list(dict.fromkeys(drawn_ids))
        characters = self._choose_characters(contents)
        walls = maze.wall_cells()
        rows = [
            "".join(
                characters[_kinds(contents[cell])] if cell in contents else WALL if cell in walls else FLOOR
                for cell in cells[y * maze.width : (y + 1) * maze.width]
            )
            for y in range(maze.height)
        ]
        legend = self._legend(contents, characters)
        return "\n".join([*self._settings(), "", *rows, "", *legend]).rstrip() + "\n"

    def _find_controlled(self) -> set[str]:
        return {
            name
            for group in self._data.get("mechanisms", {}).values()
            for entry in group
            for name in entry.get("controls", ())
        }

    # --- What stands where ---------------------------------------------------------------------------------------

    def _place(self, name: str, spec: Any, entry: Mapping[str, Any]) -> None:
        fields = self._vocabulary.position_fields(name)
        if not fields:
            self._undrawn.append(name)
            return
        several = len(fields) > 1
        alone = several or spec.id in self._controlled or spec.id in self._targets() or bool(entry.get("controls"))
        for field in fields:
            words = self._vocabulary.describe(name, spec, field)
            meaning = self._vocabulary.find(words.split())
            if meaning is None or meaning.type_name != name:
                words, said = name, {}
            else:
                said = dict(meaning.fields)
            unsaid = self._unsaid(spec, entry, said, fields)
            if several and not self._told_by_order(name, spec, fields):
                unsaid |= {each: entry[each] for each in fields}
            prefix = [word for word, ids in ((HIDDEN, self._hidden()), (WANTED, self._wanted())) if spec.id in ids]
            thing = _Thing(" ".join([*prefix, words]), _json(unsaid) if unsaid else "", spec.id, alone)
            self._cells.setdefault(Position(*entry[field]), []).append(thing)

    def _unsaid(
        self, spec: Any, entry: Mapping[str, Any], said: Mapping[str, Any], fields: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the fields of an entry that its words do not express."""
        usual = {field.name: field.default for field in attrs.fields(type(spec))}
        told = {"id", *fields} | ({"controls"} if self._all_drawn(entry.get("controls", ())) else set())
        listed = {name: value for name, value in entry.items() if name not in told}
        return {name: value for name, value in listed.items() if value != said.get(name, _plain(usual[name]))}

    def _all_drawn(self, names: Any) -> bool:
        drawn = {
            spec.id
            for group, specs in self._task.mechanisms.groups()
            for spec in specs
            if self._vocabulary.position_fields(group)
        }
        return set(names) <= drawn

    def _told_by_order(self, name: str, spec: Any, fields: tuple[str, ...]) -> bool:
        """Whether the words, or the order on the map, determine the position field of each cell."""
        kind = self._vocabulary.type_of(name)
        if any(kind.part(spec, field) for field in fields):
            return True
        cells = [kind.positions(spec)[field] for field in fields]
        return cells == sorted(cells, key=lambda cell: (cell.y, cell.x))

    def _place_marks(self) -> None:
        maze, goal = self._task.maze, self._task.goal
        self._cells.setdefault(maze.start, []).insert(0, _Thing(YOU))
        if goal.type == "reach_position":
            target = goal.target or maze.goal
            self._cells.setdefault(target, []).append(_Thing(THE_GOAL))
            if maze.goal != target:
                self._cells.setdefault(maze.goal, []).append(_Thing(UNUSED_GOAL))
        else:
            for block, cell in self._targets().items():
                self._cells.setdefault(cell, []).append(_Thing(A_TARGET, alone=True, target_of=block))
            self._cells.setdefault(maze.goal, []).append(_Thing(UNUSED_GOAL))

    def _targets(self) -> dict[str, Position]:
        goal = self._task.goal
        return dict(zip(goal.target_ids, goal.target_positions, strict=True)) if goal.type == "push_block_to" else {}

    def _wanted(self) -> tuple[str, ...]:
        return self._task.goal.target_ids if self._task.goal.type == "collect_all" else ()

    def _hidden(self) -> tuple[str, ...]:
        return self._task.rules.hidden_mechanisms

    # --- Characters and the legend -------------------------------------------------------------------------------

    def _choose_characters(self, contents: Mapping[Position, Content]) -> dict[Any, str]:
        """Assign characters to contents of cells in reading order."""
        fixed = {(_Thing(YOU).kind,): START, (_Thing(THE_GOAL).kind,): GOAL}
        free = every_label()
        chosen: dict[Any, str] = {}
        for content in contents.values():
            kinds = _kinds(content)
            if kinds not in chosen:
                character = fixed.get(kinds) or next(free, None)
                if character is None:
                    raise GridworldError(
                        f"{self._task.task_id}: more kinds of cell contents than characters to draw them with"
                    )
                chosen[kinds] = character
        return chosen

    def _legend(self, contents: Mapping[Position, Content], characters: Mapping[Any, str]) -> Iterator[str]:
        sharing: dict[str, list[Content]] = {}
        for content in contents.values():
            sharing.setdefault(characters[_kinds(content)], []).append(content)
        known = {alike[0][0].id: character for character, alike in sharing.items() if len(alike[0]) == 1}
        known |= {thing.id: character for character, alike in sharing.items() for thing in alike[0] if thing.alone}
        for character, alike in sharing.items():
            if character not in (START, GOAL):
                said = (self._say([content[place] for content in alike], known) for place in range(len(alike[0])))
                yield f"{character} = {' and '.join(said)}"

    def _say(self, things: list[_Thing], known: Mapping[str | None, str]) -> str:
        """Write the legend text for one entry of all cells that share a character."""
        words, block = things[0].words, things[0].target_of
        if block is not None:
            return f"{words} of {known[block]}"
        ids = dict.fromkeys(thing.id for thing in things if thing.id is not None)
        controls = self._controls_of(things[0].id)
        parts = [words, *map(_json, ids)]
        if controls and self._all_drawn(controls):
            parts.append("-> " + ", ".join(known[each] if known.get(each) else _json(each) for each in controls))
        return " ".join(filter(None, [*parts, things[0].fields]))

    def _controls_of(self, name: str | None) -> list[str]:
        entries = (entry for group in self._data.get("mechanisms", {}).values() for entry in group)
        return next((list(entry.get("controls", ())) for entry in entries if entry["id"] == name), [])

    # --- Settings ------------------------------------------------------------------------------------------------

    def _settings(self) -> Iterator[str]:
        task, data = self._task, self._data
        yield _setting("task_id", task.task_id)
        for path in ("version", "description"):
            if data[path] != attrs.fields_dict(TaskSpecification)[path].default:
                yield _setting(path, data[path])
        for path in ("difficulty_tier", "seed", "max_steps"):
            yield _setting(path, data[path])
        yield _setting("goal.type", task.goal.type)
        yield from self._goal_settings()
        yield from self._rule_settings()
        for name in dict.fromkeys(self._undrawn):
            yield _setting(f"mechanisms.{name}", data["mechanisms"][name])
        metadata = {name: value for name, value in task.metadata.items() if name != PROVED_ANEW}
        for path, value in (
            *((each, data.get(each)) for each in ("dependency_chain", "distractors")),
            ("metadata", metadata),
        ):
            if value:
                yield _setting(path, value)

    def _goal_settings(self) -> Iterator[str]:
        goal, plain = self._task.goal, self._data["goal"]
        if goal.type == "reach_position":
            drawn: dict[str, Any] = {"target": list(goal.target or self._task.maze.goal)}
        elif goal.type == "collect_all":
            drawn = {"target_ids": [name for name in self._order if name in goal.target_ids]}
        else:
            pairs = sorted(self._targets().items(), key=lambda pair: (pair[1].y, pair[1].x))
            drawn = {"target_ids": [name for name, _ in pairs], "target_positions": [list(cell) for _, cell in pairs]}
        for name in dict.fromkeys((*drawn, *plain)):
            if name != "type" and plain.get(name) != (drawn.get(name) or None):
                yield _setting(f"goal.{name}", plain.get(name))

    def _rule_settings(self) -> Iterator[str]:
        usual = attrs.asdict(Rules())
        usual["hidden_mechanisms"] = [name for name in self._order if name in self._hidden()]
        for name, value in self._data["rules"].items():
            if value != usual[name]:
                yield _setting(f"rules.{name}", value)


def _kinds(content: Content) -> tuple[Any, ...]:
    return tuple(thing.kind for thing in content)


def _setting(path: str, value: Any) -> str:
    names = {field: name for name, field in NAMES.items()}
    is_text = path in TEXTS and isinstance(value, str) and value.strip() == value != ""
    unquoted = is_text and value.isprintable() and not value.startswith('"')
    return f"{names.get(path, path)}: {value if unquoted else _json(value)}"


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return text if text.isprintable() else json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise GridworldError(f"cannot be written as JSON: {error}") from error


def _plain(default: Any) -> Any:
    """Convert a default to its form in task files."""
    return list(default) if isinstance(default, tuple) else default
