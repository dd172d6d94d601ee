"""Reading drawings into a `TaskSpecification`; problems are reported by line and column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import attrs

from gridworld.ascii.layout import Layout, LegendEntry, LegendLine, TextPlace, Word, read_layout
from gridworld.ascii.words import Vocabulary, WordMeaning, vocabulary_of
from gridworld.errors import Problem, TaskError
from gridworld.observations.character_map import FLOOR, REMEMBERED_FLOOR, UNSEEN, WALL
from gridworld.observations.labels import GOAL, TARGET, UNLABELLED
from gridworld.support.wording import nearest_hint
from gridworld.task.catalogs import Catalogs
from gridworld.task.colors import ANY_COLORS, COLOR_NAMES
from gridworld.task.reading import read_task
from gridworld.task.validation import find_problems
from gridworld.task_spec import Position, TaskSpecification

START = ">"
"""Map character of the agent."""
YOU = "you"
"""Legend word for the agent."""
THE_GOAL = "goal"
"""Legend word for the cell to reach."""
A_TARGET = "target"
"""Legend word for a cell onto which a block must be pushed."""
UNUSED_GOAL = "unused goal"
"""Legend words for the cell ``maze.goal`` when the task's goal is not to reach it."""
A_WALL, A_FLOOR = "wall", "floor"
HIDDEN = "hidden"
"""Legend prefix for mechanisms in ``rules.hidden_mechanisms``."""
WANTED = "wanted"
"""Legend prefix for mechanisms in ``goal.target_ids``."""
BUDGET_FOR_A_CELL = 4
"""Default ``max_steps`` per map cell."""
USUAL = {
    character: LegendLine(TextPlace(1, 1), (LegendEntry(1, [Word(words, 1)]),))
    for character, words in {
        **{WALL: A_WALL, FLOOR: A_FLOOR, REMEMBERED_FLOOR: A_FLOOR, " ": A_FLOOR},
        **{GOAL: THE_GOAL, TARGET: A_TARGET, START: YOU},
    }.items()
}
"""Meanings of map characters that need no legend."""
UNTOLD = {
    UNSEEN: "an unseen cell; a drawing has to show all of them",
    UNLABELLED: "a thing that the map does not tell; a drawing needs a character of its own for it",
    **dict.fromkeys("v<^", f"not explained; agents start facing right, as '{START}'"),
}
"""Error messages for characters that are ambiguous in drawings."""


class DrawingError(TaskError):
    """A drawing is not a valid task; each problem has line and column."""

    headline = "is not a drawing of a task"


def read_drawing(text: str, catalogs: Catalogs, name: str = "drawing", source: str = "") -> TaskSpecification:
    """Read a drawing.

    Args:
        text: the drawing.
        catalogs: the available mechanism and goal types.
        name: default task id.
        source: name of the drawing in error messages.

    Raises:
        DrawingError: the drawing is invalid; lists every problem.
    """
    layout = read_layout(text)
    draft = _Draft(layout, vocabulary_of(catalogs), name)
    if not layout.problems:
        draft.fill()
    if layout.problems:
        raise DrawingError(layout.problems, source)
    try:
        task = read_task(draft.data, catalogs, source).task
    except TaskError as error:
        raise DrawingError(draft.placed(error.problems), source) from error
    problems = find_problems(task, catalogs)
    if problems:
        raise DrawingError(draft.placed(problems), source)
    return task


@attrs.define
class _Drawn:
    """A mechanism on the map."""

    meaning: WordMeaning
    said: LegendEntry
    line: LegendLine
    cells: list[tuple[Position, str | None]] = attrs.Factory(list)
    """The mechanism's cells, each with its position field if the words name one."""
    id: str = ""

    @property
    def place(self) -> TextPlace:
        """Place of the mechanism's entry in the legend."""
        return self.line.place_of(self.said.column)


@attrs.frozen
class _Mark:
    """A cell marked as the start, the goal or a target."""

    cell: Position
    said: LegendEntry
    line: LegendLine


class _Draft:
    """Task file data under construction from a drawing."""

    def __init__(self, layout: Layout, vocabulary: Vocabulary, name: str) -> None:
        self._layout = layout
        self._vocabulary = vocabulary
        self._marks: dict[str, list[_Mark]] = {}
        self._drawn: dict[Any, _Drawn] = {}
        """Mechanisms in map order, by a key shared by all cells of a mechanism."""
        self._characters: dict[str, list[_Drawn]] = {}
        self._where: dict[str, TextPlace] = {"maze": layout.first_row}
        self._unexplained: set[str] = set()
        self._reported: set[int] = set()
        """`id` of each legend entry that already has a reported problem."""
        self.data: dict[str, Any] = {"task_id": name, "seed": 0, "difficulty_tier": 1}

    def placed(self, problems: Iterable[Problem]) -> list[Problem]:
        """Translate field paths in a task's problems to places in the drawing."""
        return [Problem(str(self._place_of(each.path)), f"{each.path}: {each.message}") for each in problems]

    def _place_of(self, path: str) -> TextPlace:
        while path not in self._where and path:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self._where.get(path, self._layout.first_row)

    def fill(self) -> None:
        """Fill `data` from the map, the legend and the settings, collecting problems."""
        for y, row in enumerate(self._layout.rows):
            for x, character in enumerate(row):
                self._read_cell(Position(x, y), character)
        if self._layout.problems:
            return
        self._name_things()
        self._fill_maze()
        self._fill_mechanisms()
        self._fill_goal()
        self._fill_settings()

    # --- The map -------------------------------------------------------------------------------------------------

    def _read_cell(self, cell: Position, character: str) -> None:
        line = self._layout.legend.get(character) or USUAL.get(character)
        if line is None:
            reason = UNTOLD.get(character, f"not explained in the legend, as by '{character} = red key'")
            if character not in self._unexplained:
                self._unexplained.add(character)
                self._layout.report(self._layout.place_of(cell), f"'{character}' is {reason}")
            return
        for said in line.things:
            self._read_thing(cell, character, said, line)
        width, height = len(self._layout.rows[0]), len(self._layout.rows)
        on_border = cell.x in (0, width - 1) or cell.y in (0, height - 1)
        if on_border and [said.texts for said in line.things] != [[A_WALL]]:
            self._layout.report(self._layout.place_of(cell), f"expected a wall '{WALL}', as all along the border")

    def _read_thing(self, cell: Position, character: str, said: LegendEntry, line: LegendLine) -> None:
        mark = _mark_of(said)
        if mark is not None:
            self._marks.setdefault(mark, []).append(_Mark(cell, said, line))
            return
        words = [text for text in said.texts if text not in (HIDDEN, WANTED)]
        meaning = self._vocabulary.find(words)
        if meaning is None:
            self._report_once(said, line, self._unknown(words))
        elif not self._vocabulary.position_fields(meaning.type_name):
            self._report_once(said, line, f"{meaning.type_name} cannot be drawn; set mechanisms.{meaning.type_name}")
        else:
            drawn = self._drawn.setdefault(self._key(cell, character, said, meaning), _Drawn(meaning, said, line))
            drawn.cells.append((cell, meaning.part))
            if drawn not in self._characters.setdefault(character, []):
                self._characters[character].append(drawn)

    def _key(self, cell: Position, character: str, said: LegendEntry, meaning: WordMeaning) -> Any:
        """Return the key shared by all cells of a mechanism."""
        if len(self._vocabulary.position_fields(meaning.type_name)) == 1:
            return cell
        if said.ids:
            return said.ids[0].text
        return said.dots or character

    def _unknown(self, words: list[str]) -> str:
        known = [*self._vocabulary.phrases(), YOU, THE_GOAL, A_TARGET, UNUSED_GOAL]
        uncolored = " ".join(word for word in words if word not in ANY_COLORS)
        hint = nearest_hint(uncolored, known) or "; expected words such as 'red key' or 'closed gate'"
        return f"unknown name '{' '.join(words)}'{hint}"

    def _report_once(self, said: LegendEntry, line: LegendLine, message: str) -> None:
        if id(said) not in self._reported:
            self._reported.add(id(said))
            self._layout.report(line.place_of(said.column), message)

    # --- The maze and the things in it ---------------------------------------------------------------------------

    def _name_things(self) -> None:
        """Assign ids: the legend's ids in reading order, otherwise numbered ones."""
        taken = {word.text for line in self._layout.legend.values() for said in line.things for word in said.ids}
        counts: Counter[str] = Counter()
        for things in self._characters.values():
            by_line: Counter[int] = Counter()
            for drawn in things:
                place = by_line[id(drawn.said)]
                by_line[id(drawn.said)] += 1
                if place < len(drawn.said.ids):
                    drawn.id = drawn.said.ids[place].text
            self._refuse_spare_ids(things, by_line)
        for drawn in self._drawn.values():
            while not drawn.id:
                noun = self._vocabulary.type_of(drawn.meaning.type_name).noun
                counts[noun] += 1
                candidate = f"{noun}_{counts[noun]}"
                drawn.id = "" if candidate in taken else candidate

    def _refuse_spare_ids(self, things: list[_Drawn], counts: Counter[int]) -> None:
        for drawn in things:
            count, ids = counts[id(drawn.said)], drawn.said.ids
            if ids and count != len(ids):
                message = f"{len(ids)} ids for {count} things; expected one for each, or none"
                self._report_once(drawn.said, drawn.line, message)

    def _fill_maze(self) -> None:
        rows = self._layout.rows
        width, height = len(rows[0]), len(rows)
        inside = [mark.cell for mark in self._marks.get(A_WALL, ())]
        walls = [cell for cell in inside if 0 < cell.x < width - 1 and 0 < cell.y < height - 1]
        start = self._only(YOU, f"where the agent starts, '{START}'")
        goal = self._at_most_one(UNUSED_GOAL) or self._at_most_one(THE_GOAL)
        if goal is None:  # other goal types still need a `maze.goal`
            goal = next((mark.cell for mark in self._marks.get(A_FLOOR, ())), start)
        self._where |= {"maze.start": self._layout.place_of(start), "maze.goal": self._layout.place_of(goal)}
        self.data["maze"] = {"dimensions": [width, height], "walls": walls, "start": start, "goal": goal}
        self.data["max_steps"] = BUDGET_FOR_A_CELL * width * height

    def _only(self, mark: str, expected: str) -> Position:
        found = self._at_most_one(mark)
        if found is None:
            self._layout.report(self._layout.first_row, f"the map does not show {expected}")
        return found or Position(0, 0)

    def _at_most_one(self, mark: str) -> Position | None:
        marks = self._marks.get(mark, [])
        for other in marks[1:]:
            self._layout.report(self._layout.place_of(other.cell), f"a second '{mark}', expected one")
        return marks[0].cell if marks else None

    def _fill_mechanisms(self) -> None:
        groups: dict[str, list[dict[str, Any]]] = {}
        for drawn in sorted(self._drawn.values(), key=lambda each: (each.line.place.line, each.cells[0][0][::-1])):
            group = groups.setdefault(drawn.meaning.type_name, [])
            path = f"mechanisms.{drawn.meaning.type_name}[{len(group)}]"
            group.append(self._entry(drawn, path))
            self._where[path] = drawn.place
        self.data["mechanisms"] = groups

    def _entry(self, drawn: _Drawn, path: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"id": drawn.id, **self._positions(drawn, path), **drawn.meaning.fields}
        if drawn.said.controls:
            entry["controls"] = [name for word in drawn.said.controls for name in self._controlled(drawn, word)]
        return entry | drawn.said.fields

    def _positions(self, drawn: _Drawn, path: str) -> dict[str, list[int]]:
        fields = self._vocabulary.position_fields(drawn.meaning.type_name)
        if len(drawn.cells) != len(fields):
            first = self._layout.place_of(drawn.cells[0][0])
            self._layout.report(first, f"on {len(drawn.cells)} cells, expected {len(fields)} for each of its kind")
            return {}
        free = [field for field in fields if all(field != part for _, part in drawn.cells)]
        found = {part or free.pop(0): list(cell) for cell, part in drawn.cells if part or free}
        for field, cell in found.items():
            self._where[f"{path}.{field}"] = self._layout.place_of(Position(*cell))
        return found

    def _controlled(self, drawn: _Drawn, word: Word) -> list[str]:
        """Resolve a word after ``->``, a map character or an id, to mechanism ids."""
        if word.text in self._characters:
            return [each.id for each in self._characters[word.text]]
        ids = [each.id for each in self._drawn.values()]
        if word.text not in ids:
            hint = nearest_hint(word.text, [*self._characters, *ids])
            message = f"nothing on the map is '{word.text}'{hint}; expected a character of the legend, or an id"
            if id(word) not in self._reported:
                self._reported.add(id(word))
                self._layout.report(drawn.line.place_of(word.column), message)
        return [word.text]

    # --- The goal and the settings -------------------------------------------------------------------------------

    def _fill_goal(self) -> None:
        hidden = [each.id for each in self._drawn.values() if HIDDEN in each.said.texts]
        wanted = [each.id for each in self._drawn.values() if WANTED in each.said.texts]
        self.data["rules"] = {"hidden_mechanisms": hidden} if hidden else {}
        goal = self._at_most_one(THE_GOAL)
        targets = self._marks.get(A_TARGET, [])
        if targets:
            pairs = [(self._block_for(mark), list(mark.cell)) for mark in targets]
            self.data["goal"] = {
                "type": "push_block_to",
                "target_ids": [block for block, _ in pairs],
                "target_positions": [cell for _, cell in pairs],
            }
            self._where |= {
                f"goal.{field}[{number}]": mark.line.place_of(mark.said.column)
                for number, mark in enumerate(targets)
                for field in ("target_ids", "target_positions")
            }
        elif wanted:
            self.data["goal"] = {"type": "collect_all", "target_ids": wanted}
        elif goal is not None:
            self.data["goal"] = {"type": "reach_position", "target": list(goal)}
            self._where["goal.target"] = self._layout.place_of(goal)
        else:
            self.data["goal"] = {}

    def _block_for(self, mark: _Mark) -> str:
        """Find the id of the block that belongs on a target."""
        texts = mark.said.texts
        if "of" in texts:
            return self._named_for(mark, mark.said.words[texts.index("of") + 1 :] or [Word("", mark.said.column)])
        color = [text for text in texts if text != A_TARGET]
        alike = [
            each.id
            for each in self._drawn.values()
            if each.said.dots == mark.said.dots
            and set(color) <= {value for value in each.meaning.fields.values() if isinstance(value, str)}
            and each.meaning.fields.get("pushable")
        ]
        if len(alike) != 1:
            found = "none is" if not alike else f"{len(alike)} are"
            message = f"expected one block like the target, but {found}; say which, as by 'target of B'"
            self._report_once(mark.said, mark.line, message)
        return alike[0] if alike else ""

    def _named_for(self, mark: _Mark, words: list[Word]) -> str:
        named = [each.id for each in self._characters.get(words[0].text, [])]
        if len(named) != 1 or len(words) > 1:
            message = f"expected 'target of' and the character of one block, got '{' '.join(w.text for w in words)}'"
            self._report_once(mark.said, mark.line, message)
        return named[0] if named else ""

    def _fill_settings(self) -> None:
        """Let settings override values taken from the map."""
        kind = self._layout.settings.get("goal.type")
        if kind is not None and self.data["goal"].get("type") != kind.value:
            self.data["goal"] = {}
        for path, setting in self._layout.settings.items():
            self._where[path] = setting.place
            *folders, name = path.split(".")
            inside: Any = self.data
            for folder in folders:
                inside = inside.setdefault(folder, {}) if isinstance(inside, dict) else None
            if isinstance(inside, dict):
                inside[name] = setting.value
            else:
                self._layout.report(setting.place, f"'{path}' is inside of something that is not an object")
        if not self.data["goal"]:
            self._layout.report(
                self._layout.first_row, f"there is no goal: draw '{GOAL}', a target, or a wanted key, or set 'goal'"
            )


def _mark_of(said: LegendEntry) -> str | None:
    """Return the mark that an entry names, or None for a mechanism."""
    words = " ".join(said.texts)
    if words in (YOU, A_WALL, A_FLOOR, THE_GOAL, UNUSED_GOAL):
        return words
    color = said.texts[:-1] or [COLOR_NAMES[0]]
    is_target = said.texts[:2] == [A_TARGET, "of"] or (
        said.texts[-1] == A_TARGET and len(color) == 1 and color[0] in ANY_COLORS
    )
    return A_TARGET if is_target else None
