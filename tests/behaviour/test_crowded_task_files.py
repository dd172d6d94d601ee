"""Task files whose lists have more entries than the maze has cells."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import multinet


def task_file(path: Path, **parts: Any) -> Path:
    """A corridor of 5 x 5 cells with these parts; ``maze`` is added to."""
    maze = {"dimensions": [5, 5], "start": [1, 1], "goal": [3, 3], **parts.pop("maze", {})}
    goal = {"type": "reach_position", "target": [3, 3]}
    task = {"task_id": "t", "seed": 1, "difficulty_tier": 1, "maze": maze, "goal": goal, "max_steps": 20, **parts}
    path.write_text(json.dumps(task))
    return path


KEYS = [{"id": f"key{number}", "position": [2, 2], "color": "red"} for number in range(26)]


@pytest.mark.parametrize(
    ("parts", "place"),
    [
        ({"maze": {"walls": [[2, 2]] * 26}}, "maze.walls"),
        ({"maze": {"layout": {"walls": [{"x": 2, "y": 2}] * 26}}}, "maze.walls"),
        ({"maze": {"floor": [[1, 1]] * 26}}, "maze.floor"),
        ({"mechanisms": {"keys": KEYS}}, "mechanisms.keys"),
    ],
)
def test_a_list_longer_than_the_maze_has_cells_is_refused_by_its_place(
    tmp_path: Path, parts: dict[str, Any], place: str
) -> None:
    finished = multinet("tasks", "validate", task_file(tmp_path / "task.json", **parts))
    assert finished.exit_code == 1
    problems = [line for line in finished.stdout.splitlines() if "error:" in line]
    assert problems == [f"      error: {place}: has 26 entries, expected at most 25 in a maze of 5 x 5 cells"]


def test_as_many_repeated_walls_as_there_are_cells_are_read(tmp_path: Path) -> None:
    finished = multinet("tasks", "validate", task_file(tmp_path / "task.json", maze={"walls": [[2, 2]] * 25}))
    assert (finished.exit_code, finished.stderr) == (0, "")


def test_a_maze_of_an_impossible_size_has_no_room_for_more_than_the_largest_has(tmp_path: Path) -> None:
    path = task_file(tmp_path / "task.json", maze={"dimensions": [10**9, 10**9], "walls": [[2, 2]] * (512 * 512 + 1)})
    assert "maze.walls: has 262145 entries, expected at most 262144" in multinet("tasks", "validate", path).stdout
