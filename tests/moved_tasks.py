"""Tasks turned and mirrored, by way of their files."""

from typing import Any

from gridworld.task_spec import TaskSpecification

__all__ = ["mirrored", "moved", "turned"]


def turned(cell: list[int], width: int, height: int) -> list[int]:
    """A quarter turn."""
    return [height - 1 - cell[1], cell[0]]


def mirrored(cell: list[int], width: int, height: int) -> list[int]:
    return [width - 1 - cell[0], cell[1]]


def moved(task: TaskSpecification, how: Any, swaps: bool) -> TaskSpecification:
    """A task whose cells lie elsewhere."""
    data = task.to_dict()
    width, height = data["maze"]["dimensions"]
    places = ("position", "position_a", "position_b", "target", "start", "goal")
    lists = ("walls", "target_positions", "floor")

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: _placed(name, each) for name, each in value.items()}
        return [walk(each) for each in value] if isinstance(value, list) else value

    def _placed(name: str, value: Any) -> Any:
        if name in places and value is not None and not isinstance(value, dict):
            return how(value, width, height)
        if name in lists and value is not None:
            return [how(cell, width, height) for cell in value]
        return walk(value)

    whole: dict[str, Any] = {name: each if name == "goal" else _placed(name, each) for name, each in data.items()}
    whole["goal"] = walk(data["goal"])
    whole["maze"]["dimensions"] = [height, width] if swaps else [width, height]
    return TaskSpecification.from_dict(whole)
