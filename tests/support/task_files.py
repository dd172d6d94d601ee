"""Small task files, of a few steps each."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

CORRIDOR: dict[str, Any] = {
    "task_id": "corridor",
    "seed": 11,
    "difficulty_tier": 1,
    "description": "Walk to the end of the corridor.",
    "maze": {"dimensions": [5, 3], "walls": [], "start": [1, 1], "goal": [3, 1]},
    "goal": {"type": "reach_position"},
    "max_steps": 4,
}
KEYED: dict[str, Any] = {
    "task_id": "keyed",
    "seed": 12,
    "difficulty_tier": 2,
    "description": "Take the key, open the door.",
    "maze": {"dimensions": [6, 4], "walls": [[3, 2], [4, 2]], "start": [1, 1], "goal": [4, 1]},
    "mechanisms": {
        "keys": [{"id": "key", "position": [2, 1], "color": "red"}],
        "doors": [{"id": "door", "position": [3, 1], "requires_key": "red", "initial_state": "locked"}],
    },
    "goal": {"type": "reach_position"},
    "max_steps": 9,
}
LEVER: dict[str, Any] = {
    "task_id": "lever",
    "seed": 13,
    "difficulty_tier": 3,
    "description": "Open the gate, mind the lava.",
    "maze": {"dimensions": [5, 5], "walls": [[1, 2], [3, 2]], "start": [1, 1], "goal": [1, 3]},
    "mechanisms": {
        "switches": [{"id": "lever", "position": [2, 1], "controls": ["gate"]}],
        "gates": [{"id": "gate", "position": [2, 2], "initial_state": "closed"}],
        "blocks": [{"id": "block", "position": [3, 3], "pushable": True, "color": "purple"}],
        "hazards": [{"id": "lava", "position": [3, 1], "hazard_type": "lava"}],
    },
    "rules": {"observability": "view_cone", "view_size": 3},
    "goal": {"type": "reach_position"},
    "max_steps": 16,
}

TASKS = (CORRIDOR, KEYED, LEVER)
FOR_ANY_BACKEND = (CORRIDOR, KEYED)
"""Tasks for a simulator with only walls, keys and doors."""

PLANS = {
    "square": {4: "FF", 9: "PFTFF"},
    "hex": {4: "FF", 9: "PFTFF"},
    "triangle": {4: "FFFF", 9: "FPFFTFFF"},
    "488": {4: "FF", 9: "PFTFF"},
    "3464": {4: "FFFF", 9: "FPFFTFFF"},
}
"""Letters of shortest plans by tiling and step budget, for two of the three tasks."""


def _task(number: int, picture: str, max_steps: int, **fields: Any) -> dict[str, Any]:
    """A task whose walls, start and goal are drawn, row by row."""
    rows = picture.split()
    at = {
        letter: [[x, y] for y, row in enumerate(rows) for x, each in enumerate(row) if each == letter]
        for letter in "#@G"
    }
    inner = [[x, y] for x, y in at["#"] if 0 < x < len(rows[0]) - 1 and 0 < y < len(rows) - 1]
    maze = {"dimensions": [len(rows[0]), len(rows)], "walls": inner, "start": at["@"][0], "goal": at["G"][0]}
    named = {"task_id": f"m{number}", "seed": number, "difficulty_tier": 1 + number % 5, "maze": maze}
    return {**named, "goal": {"type": "reach_position"}, "max_steps": max_steps, **fields}


MECHANISMS = (
    _task(
        1,
        "###### #@...# #.##.# #..G.# ######",
        14,
        mechanisms={
            "switches": [{"id": "plate", "position": [3, 1], "controls": ["gate"], "switch_type": "hold"}],
            "gates": [{"id": "gate", "position": [4, 2], "initial_state": "closed"}],
            "blocks": [{"id": "block", "position": [2, 1], "pushable": True, "color": "purple"}],
        },
    ),
    _task(
        2,
        "###### #@#.G# #.#..# #.#..# ######",
        14,
        mechanisms={
            "teleporters": [{"id": "pad", "position_a": [1, 3], "position_b": [3, 3], "bidirectional": True}],
            "hazards": [{"id": "pit", "position": [3, 1], "hazard_type": "pit"}],
        },
        rules={"observability": "fog_of_war", "view_size": 3},
    ),
    _task(
        3,
        "###### #@...# #...G# ######",
        16,
        mechanisms={
            "keys": [
                {"id": "red", "position": [2, 1], "color": "red"},
                {"id": "blue", "position": [1, 2], "color": "blue"},
            ],
            "switches": [
                {"id": "lamp", "position": [4, 1], "controls": [], "switch_type": "one_shot", "initial_state": "off"}
            ],
        },
        goal={"type": "collect_all", "target_ids": ["red", "blue", "lamp"]},
    ),
    _task(
        4,
        "####### #@...G# #.....# #.....# #######",
        14,
        mechanisms={"blocks": [{"id": "crate", "position": [3, 2], "pushable": True, "color": "blue"}]},
        goal={"type": "push_block_to", "target_ids": ["crate"], "target_positions": [[4, 2]]},
    ),
    _task(
        5,
        "##### #@..# #..G# #####",
        8,
        mechanisms={"hazards": [{"id": "spike", "position": [2, 2], "hazard_type": "spike"}]},
        goal={"type": "survive_steps"},
    ),
    _task(
        6,
        "####### #@...G# #.###.# #.....# #######",
        18,
        mechanisms={
            "keys": [{"id": "key", "position": [1, 2], "color": "green"}],
            "doors": [
                {"id": "shut", "position": [3, 1], "requires_key": "green", "initial_state": "locked"},
                {"id": "ajar", "position": [3, 3], "requires_key": None, "initial_state": "closed"},
            ],
            "switches": [{"id": "lever", "position": [2, 3], "controls": ["gate"], "switch_type": "toggle"}],
            "gates": [{"id": "gate", "position": [5, 2], "initial_state": "open"}],
        },
        rules={"key_consumption": False, "observability": "view_cone", "view_size": 5, "hidden_mechanisms": ["lever"]},
    ),
)
"""Tasks with every mechanism, goal and rule, on small boards."""


def write_tasks(folder: Path, tasks: Iterable[dict[str, Any]] = TASKS) -> Path:
    """Write tasks into a new folder, and return it."""
    folder.mkdir(parents=True)
    for task in tasks:
        (folder / f"{task['task_id']}.json").write_text(json.dumps(task), encoding="utf-8")
    return folder


def write_corridors(folder: Path, *lengths: int, max_steps: int | None = None) -> Path:
    """Write corridors into a new folder, and return it.

    Args:
        folder: the new folder.
        lengths: steps forward to the goal, for each task in order.
        max_steps: step budget; by default twice the length.
    """
    folder.mkdir(parents=True)
    for number, length in enumerate(lengths):
        task = {
            "task_id": f"corridor_{number}",
            "seed": number,
            "difficulty_tier": 1,
            "maze": {"dimensions": [length + 3, 3], "start": [1, 1], "goal": [length + 1, 1], "walls": []},
            "goal": {"type": "reach_position", "target": [length + 1, 1]},
            "max_steps": max_steps or 2 * length,
        }
        (folder / f"corridor_{number}.json").write_text(json.dumps(task), encoding="utf-8")
    return folder


def put(data: Any, path: str, *value: Any) -> None:
    """Set, or without a value delete, a place such as ``mechanisms.keys[0].id`` in the contents of a task file."""
    *way, last = [int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")]
    for step in way:
        data = data[step]
    if value:
        (data[last],) = value
    else:
        del data[last]
