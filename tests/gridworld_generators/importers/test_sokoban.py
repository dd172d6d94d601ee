"""Levels of Sokoban as tasks: boxes that are alike get the targets at which a shortest solution leaves them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.generation.certificate import Bounds
from gridworld.generation.importer import Inexpressible
from gridworld.generation.importing import Uncertified, certify
from gridworld.plugins.tilings import compile_on
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld_generators.importers.sokoban import SokobanImporter, read_sokoban
from support.thoroughness import bounded

LEVELS = Path(__file__).with_name("sokoban_levels.txt")
COUNT = 100
EVERY = 20
"""Every so manieth level is certified in a quick run."""


Cell = tuple[int, int]
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
FEWEST_BOXES_MOVED = 3
"""Cells that the boxes are pulled altogether, at least."""


def levels_text(count: int) -> str:
    """So many levels, each with a title."""
    return "\n".join(f"; pulled {seed}\n{level_text(seed)}\n" for seed in range(count))


def level_text(seed: int) -> str:
    """The level of a seed."""
    rng = random.Random(f"sokoban {seed}")
    while True:
        level = _Level(rng)
        if level.pull(rng.randint(30, 200)):
            return level.text()


class _Level:
    """A room with pillars, and boxes that all stand on their targets at first."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._width, self._height = rng.randint(6, 9), rng.randint(5, 8)
        inside = [(x, y) for y in range(1, self._height - 1) for x in range(1, self._width - 1)]
        self._floor: set[Cell] = set()
        while len(self._floor) < len(inside) // 2:
            pillars = set(rng.sample(inside, len(inside) * rng.randint(5, 30) // 100))
            self._floor = self._connected([cell for cell in inside if cell not in pillars])
        self._targets: list[Cell] = rng.sample(sorted(self._floor), rng.randint(1, 3))
        self._boxes = list(self._targets)
        self._player = rng.choice(sorted(self._floor - set(self._boxes)))

    def _connected(self, floor: list[Cell]) -> set[Cell]:
        """The floor around one of its cells."""
        found, waiting = {floor[0]}, [floor[0]]
        while waiting:
            new = [cell for cell in self._around(waiting.pop()) if cell in floor and cell not in found]
            found |= set(new)
            waiting += new
        return found

    def _around(self, cell: Cell) -> Iterator[Cell]:
        return ((cell[0] + dx, cell[1] + dy) for dx, dy in DIRECTIONS)

    def pull(self, steps: int) -> bool:
        """Walk about at random and mostly pull what is behind; whether boxes have been moved enough."""
        for _ in range(steps):
            (x, y), (dx, dy) = self._player, self._rng.choice(DIRECTIONS)
            ahead, behind = (x + dx, y + dy), (x - dx, y - dy)
            if ahead not in self._floor or ahead in self._boxes:
                continue
            if behind in self._boxes and self._rng.random() < 0.8:
                self._boxes[self._boxes.index(behind)] = self._player
            self._player = ahead
        moved = (abs(a - c) + abs(b - d) for (a, b), (c, d) in zip(self._boxes, self._targets, strict=True))
        return sum(moved) >= FEWEST_BOXES_MOVED and set(self._boxes) != set(self._targets)

    def text(self) -> str:
        """The level in the common format."""
        rows = ("".join(self._character((x, y)) for x in range(self._width)) for y in range(self._height))
        return "\n".join(row.rstrip() for row in rows)

    def _character(self, cell: Cell) -> str:
        if cell not in self._floor:
            return "#"
        thing = "box" if cell in self._boxes else "player" if cell == self._player else ""
        return {"box": "$*", "player": "@+", "": " ."}[thing][cell in self._targets]


def imported(folder: Path, text: str, **options: float) -> list[TaskSpecification | Inexpressible]:
    file = folder / "levels.txt"
    file.write_text(text)
    return list(SokobanImporter(**options).levels(str(file)))  # type: ignore[arg-type]  # whatever is tried


def task_of(folder: Path, text: str) -> TaskSpecification:
    (task,) = imported(folder, text)
    assert isinstance(task, TaskSpecification), task
    return task


def reason_for(folder: Path, text: str) -> str:
    (level,) = imported(folder, text)
    assert isinstance(level, Inexpressible)
    return level.reason


def optimum(task: TaskSpecification) -> int | None:
    return solve(compile_on("square", task)).length


# --- Our own levels ----------------------------------------------------------------------------------------------


def test_the_levels_are_those_that_the_generator_makes() -> None:
    assert LEVELS.read_text() == levels_text(COUNT)


@pytest.mark.parametrize(
    "number",
    [pytest.param(each, marks=() if each % EVERY == 0 else pytest.mark.thorough) for each in range(COUNT)],
)
def test_each_of_a_hundred_levels_is_certified(number: int, tmp_path: Path) -> None:
    task = task_of(tmp_path, level_text(number))
    certified = certify(task, {"name": "sokoban", "source": "x"}, ["square"], Bounds(max_states=500_000))
    assert isinstance(certified, TaskSpecification)
    assert certified.metadata["certificate"]["optimal_length"]["square"] <= task.max_steps


# --- Which box goes where ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(each, marks=pytest.mark.thorough) for each in range(3, COUNT, 5))]
)
def test_no_other_way_to_tell_boxes_apart_makes_the_task_shorter(seed: int, tmp_path: Path) -> None:
    task = task_of(tmp_path, level_text(seed))
    lengths = []
    for targets in permutations(task.goal.target_positions):
        start = [block.position for block in task.mechanisms.blocks]
        if list(targets) != start:  # else it would be won before it begins
            lengths.append(optimum(attrs.evolve(task, goal=attrs.evolve(task.goal, target_positions=targets))))
    assert optimum(task) == min(length for length in lengths if length is not None)


def test_boxes_have_colours_and_the_task_says_how_they_were_told_apart(tmp_path: Path) -> None:
    task = task_of(tmp_path, "########\n#@$ . .#\n#  $   #\n#      #\n########")
    assert len({block.color for block in task.mechanisms.blocks}) == 2
    assert "boxes that are alike" in task.metadata["sokoban"]["assignment"]


def test_a_level_that_cannot_be_solved_is_a_task_of_which_that_is_proved(tmp_path: Path) -> None:
    task = task_of(tmp_path, "#####\n#$ ##\n# @.#\n#####")
    result = certify(task, {}, ["square"], Bounds())
    assert isinstance(result, Uncertified)
    assert result.reason == "unsolvable"


def test_what_takes_too_long_to_solve_is_inexpressible(tmp_path: Path) -> None:
    (level,) = imported(tmp_path, level_text(0), max_states=1)
    assert isinstance(level, Inexpressible)
    assert "max_states" in level.reason


def test_the_budget_is_so_many_times_the_shortest_solution(tmp_path: Path) -> None:
    (task,) = imported(tmp_path, "######\n#@$ .#\n######", budget_factor=2.5)
    assert isinstance(task, TaskSpecification)
    assert (optimum(task), task.max_steps) == (2, 5)


@pytest.mark.parametrize("options", [{"max_states": 0}, {"budget_factor": 0.5}, {"budget_factor": float("nan")}])
def test_options_have_bounds(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        SokobanImporter(**options)  # type: ignore[arg-type]  # which is what is tried


# --- The format --------------------------------------------------------------------------------------------------


def test_the_player_and_boxes_may_be_on_targets(tmp_path: Path) -> None:
    task = task_of(tmp_path, "#######\n#+ $* #\n#     #\n#######")
    assert task.maze.start == (1, 1)
    assert set(task.goal.target_positions) == {(1, 1), (4, 1)}


def test_what_the_player_cannot_come_to_is_wall(tmp_path: Path) -> None:
    task = task_of(tmp_path, "  #####\n###   #\n# # $.#\n###  @#\n  #####")
    assert {(1, 1), (1, 2), (1, 3)} <= set(task.maze.wall_cells())
    assert (1, 2) not in task.mechanisms.blocks


def test_titles_are_before_or_behind_a_level() -> None:
    text = "; One\n####\n#@$#\n####\n\n####\n# @#\n####\nTitle: Two\nAuthor: me\n\nThree\n####\n#  #\n####\n"
    assert [level.title for level in read_sokoban(text, "x")] == ["One", "Two", "Three"]
    assert [level.first_line for level in read_sokoban(text, "x")] == [2, 6, 13]


def test_runs_stand_for_what_they_are_the_lengths_of() -> None:
    (plain,) = read_sokoban("#####\n#@$.#\n#   #\n#####", "x")
    (encoded,) = read_sokoban("5#|#@$.#|#3-#|5#", "x")
    assert [row.replace("-", " ") for row in encoded.rows] == list(plain.rows)


def test_a_folder_gives_the_levels_of_its_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text(level_text(1))
    (tmp_path / "a.xsb").write_text(f"{level_text(2)}\n\n{level_text(3)}")
    (tmp_path / "notes.md").write_text("hello")
    tasks = SokobanImporter().levels(str(tmp_path))
    assert [task.task_id for task in tasks if isinstance(task, TaskSpecification)] == ["a-001", "a-002", "b-001"]


INEXPRESSIBLE = {
    "no player": ("#####\n#.$ #\n#####", "no players"),
    "two players": ("#####\n#@@$#\n#####", "2 players, expected one '@' or '+' (line 2, column 2; line 2, column 3)"),
    "a gap": ("#####\n#@$.\n#####", "the wall has a gap at line 2, column 4"),
    "too many boxes": ("#######\n#@$$. #\n#######", "2 boxes and 1 targets"),
    "nothing to do": ("#####\n#@* #\n#####", "every box is on a target at the start"),
    "no boxes": ("#####\n#@  #\n#####", "0 boxes and 0 targets"),
    "a box out of reach": ("########\n#@$.#$.#\n########", "cannot come to line 2, column 6; line 2, column 7"),
}


@pytest.mark.parametrize("what", INEXPRESSIBLE)
def test_what_is_no_level_of_sokoban_is_said(what: str, tmp_path: Path) -> None:
    text, reason = INEXPRESSIBLE[what]
    assert reason in reason_for(tmp_path, text)


WRONG = {
    "a letter": ("#####\n#@x.#\n#####", "x.txt: line 2, column 3: 'x' does not belong into a level"),
    "a number with nothing behind": ("#####\n#@3", "x.txt: line 2, column 3: '3'"),
    "no level": ("hello", "x.txt: no level in it"),
    "a long run": ("99999999#", "x.txt: line 1, column 1: '99999999#'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_belong_into_a_level_is_told_by_line_and_column(what: str) -> None:
    text, message = WRONG[what]
    with pytest.raises(ArgumentError, match=re.escape(message)):
        read_sokoban(text, "x.txt")


@bounded(100)
@given(text=st.text(alphabet=st.sampled_from("#@+$*. -_|12x\n\n;\t\u2028"), max_size=120))
def test_any_text_is_levels_or_refused_by_line_and_column(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzzed"
    folder.mkdir(exist_ok=True)
    message = ""
    try:
        imported(folder, text, max_states=2000)
    except ArgumentError as error:
        message = str(error)
    assert re.search(r"line \d+, column \d+|no level in it", message) or not message
