"""Sokoban levels as tasks with the targets of a shortest solution."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import attrs
import pytest

from gridworld.generation.certificate import Bounds
from gridworld.generation.certified_levels import Uncertified, certify
from gridworld.generation.importer import Inexpressible
from gridworld.plugins.tilings import compile_on
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld_generators.importers.sokoban import SokobanImporter

LEVELS = Path(__file__).with_name("sokoban_levels.txt")
COUNT = 20
EVERY = 4
"""Step between the levels certified by default."""


def level_text(number: int) -> str:
    """A level of the file, made by pulling boxes away from their targets at random."""
    return LEVELS.read_text().split("\n\n")[number].partition("\n")[2]


def imported(folder: Path, text: str, **options: float) -> list[TaskSpecification | Inexpressible]:
    file = folder / "levels.txt"
    file.write_text(text)
    return list(SokobanImporter(**options).levels(str(file)))  # type: ignore[arg-type]  # whatever is tried


def task_of(folder: Path, text: str) -> TaskSpecification:
    (task,) = imported(folder, text)
    assert isinstance(task, TaskSpecification), task
    return task


def optimum(task: TaskSpecification) -> int | None:
    return solve(compile_on("square", task)).length


@pytest.mark.parametrize(
    "number",
    [pytest.param(each, marks=() if each % EVERY == 0 else pytest.mark.more) for each in range(COUNT)],
)
def test_levels_are_certified(number: int, tmp_path: Path) -> None:
    task = task_of(tmp_path, level_text(number))
    certified = certify(task, {"name": "sokoban", "source": "x"}, ["square"], Bounds(max_states=500_000))
    assert isinstance(certified, TaskSpecification)
    assert certified.metadata["certificate"]["optimal_length"]["square"] <= task.max_steps


# --- Which box goes where ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(each, marks=pytest.mark.more) for each in range(3, COUNT))])
def test_no_other_assignment_of_boxes_is_shorter(seed: int, tmp_path: Path) -> None:
    task = task_of(tmp_path, level_text(seed))
    lengths = []
    for targets in permutations(task.goal.target_positions):
        start = [block.position for block in task.mechanisms.blocks]
        if list(targets) != start:  # else it would be won before it begins
            lengths.append(optimum(attrs.evolve(task, goal=attrs.evolve(task.goal, target_positions=targets))))
    assert optimum(task) == min(length for length in lengths if length is not None)


def test_boxes_have_colours_and_the_assignment_is_documented(tmp_path: Path) -> None:
    task = task_of(tmp_path, "########\n#@$ . .#\n#  $   #\n#      #\n########")
    assert len({block.color for block in task.mechanisms.blocks}) == 2
    assert "boxes that are alike" in task.metadata["sokoban"]["assignment"]


def test_an_unsolvable_level_is_a_task_proved_unsolvable(tmp_path: Path) -> None:
    task = task_of(tmp_path, "#####\n#$ ##\n# @.#\n#####")
    result = certify(task, {}, ["square"], Bounds())
    assert isinstance(result, Uncertified)
    assert result.reason == "unsolvable"


def test_levels_beyond_the_state_limit_are_inexpressible(tmp_path: Path) -> None:
    (level,) = imported(tmp_path, level_text(0), max_states=1)
    assert isinstance(level, Inexpressible)
    assert "max_states" in level.reason


def test_the_budget_is_a_multiple_of_the_shortest_solution(tmp_path: Path) -> None:
    (task,) = imported(tmp_path, "######\n#@$ .#\n######", budget_factor=2.5)
    assert isinstance(task, TaskSpecification)
    assert (optimum(task), task.max_steps) == (2, 5)


@pytest.mark.parametrize("options", [{"max_states": 0}, {"budget_factor": 0.5}, {"budget_factor": float("nan")}])
def test_options_have_bounds(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        SokobanImporter(**options)  # type: ignore[arg-type]  # which is what is tried


# --- Which levels are tasks --------------------------------------------------------------------------------------


def test_the_player_and_boxes_may_be_on_targets(tmp_path: Path) -> None:
    task = task_of(tmp_path, "#######\n#+ $* #\n#     #\n#######")
    assert task.maze.start == (1, 1)
    assert set(task.goal.target_positions) == {(1, 1), (4, 1)}


def test_unreachable_cells_are_walls(tmp_path: Path) -> None:
    task = task_of(tmp_path, "  #####\n###   #\n# # $.#\n###  @#\n  #####")
    assert {(1, 1), (1, 2), (1, 3)} <= set(task.maze.wall_cells())
    assert (1, 2) not in task.mechanisms.blocks


def test_a_folder_gives_the_levels_of_its_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text(level_text(1))
    (tmp_path / "a.xsb").write_text(f"{level_text(2)}\n\n{level_text(3)}")
    (tmp_path / "notes.md").write_text("hello")
    tasks = SokobanImporter().levels(str(tmp_path))
    assert [task.task_id for task in tasks if isinstance(task, TaskSpecification)] == ["a-001", "a-002", "b-001"]


INEXPRESSIBLE = {
    "no player": ("#####\n#.$ #\n#####", "no players, expected one '@' or '+'"),
    "two players": ("#####\n#@@$#\n#####", "2 players, expected one '@' or '+' (line 2, column 2; line 2, column 3)"),
    "a gap": ("#####\n#@$.\n#####", "the wall has a gap at line 2, column 4"),
    "too many boxes": ("#######\n#@$$. #\n#######", "2 boxes and 1 targets"),
    "nothing to do": ("#####\n#@* #\n#####", "every box is on a target at the start"),
    "no boxes": ("#####\n#@  #\n#####", "0 boxes and 0 targets"),
    "a box out of reach": ("########\n#@$.#$.#\n########", "cannot reach line 2, column 6; line 2, column 7"),
}


@pytest.mark.parametrize(("text", "reason"), INEXPRESSIBLE.values(), ids=INEXPRESSIBLE)
def test_levels_that_are_not_sokoban_are_inexpressible(text: str, reason: str, tmp_path: Path) -> None:
    (level,) = imported(tmp_path, text)
    assert isinstance(level, Inexpressible)
    assert reason in level.reason
