"""Task files that are won by walking."""

import json
from pathlib import Path

__all__ = ["write_corridors"]


def write_corridors(folder: Path, *lengths: int, max_steps: int | None = None) -> Path:
    """Write a corridor for each length, which is won by so many steps forward; returns the folder.

    Args:
        folder: is made.
        lengths: one for each task, in the order in which they are played.
        max_steps: of each task; by default twice its length.
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
