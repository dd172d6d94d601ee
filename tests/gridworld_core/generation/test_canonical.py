"""Tasks have the same canonical form if they are alike but for how they lie and what things are called."""

import json
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.generation.canonical import canonical_form
from gridworld.task_spec import TaskSpecification
from random_tasks import random_task
from worlds import block, door, draw, gate, key, switch

TASK = draw(
    """
    #########
    #@..k#s.#
    #.##.#..#
    #..#D#.b#
    #..#....#
    #.l#.#G.#
    #########
    """,
    k=key("red"),
    l=key("blue"),
    D=door("red"),
    s=switch("b"),
    b=gate(),
)


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


@given(st.integers(0, 10_000), st.integers(0, 3), st.booleans())
def test_turning_and_mirroring_change_nothing(seed: int, quarters: int, mirror: bool) -> None:
    task = random_task(seed)
    other = moved(task, mirrored, swaps=False) if mirror else task
    for _ in range(quarters):
        other = moved(other, turned, swaps=True)
    assert canonical_form(other) == canonical_form(task)


def test_names_and_colours_and_their_order_change_nothing() -> None:
    text = json.dumps(TASK.to_dict())
    renamed = text.replace('"red"', '"green"').replace('"k"', '"a thing"')
    assert canonical_form(TaskSpecification.from_dict(json.loads(renamed))) == canonical_form(TASK)
    exchanged = text.replace('"red"', '"?"').replace('"blue"', '"red"').replace('"?"', '"blue"')
    assert canonical_form(TaskSpecification.from_dict(json.loads(exchanged))) == canonical_form(TASK)


def test_what_only_tells_of_a_task_changes_nothing() -> None:
    told = attrs.evolve(TASK, task_id="other", seed=9, max_steps=999, description="!", metadata={"a": 1})
    assert canonical_form(told) == canonical_form(TASK)


@pytest.mark.parametrize(
    "change",
    [
        {"maze": {"walls": []}},
        {"maze": {"start": [2, 1]}},
        {"maze": {"goal": [7, 5]}},
        {"mechanisms": {"doors": [{"id": "D", "position": [4, 3], "requires_key": "blue"}]}},
        {"mechanisms": {"doors": [{"id": "D", "position": [4, 3], "initial_state": "closed"}]}},
        {"mechanisms": {"gates": []}},
        {"rules": {"key_consumption": False}},
        {"rules": {"hidden_mechanisms": ["D"]}},
        {"goal": {"type": "collect_all", "target_ids": ["k"]}},
        {"goal": {"type": "collect_all", "target_ids": ["k", "l"]}},
        {"goal": {"type": "collect_all", "target_ids": ["l"]}},
    ],
)
def test_what_is_there_and_what_is_asked_for_does(change: dict[str, Any]) -> None:
    data = TASK.to_dict()
    other = {**data, **{name: {**data.get(name, {}), **parts} for name, parts in change.items()}}
    assert canonical_form(TaskSpecification.from_dict(other)) != canonical_form(TASK)


def test_which_block_belongs_on_which_target_counts_and_in_which_order_they_are_listed_does_not() -> None:
    picture = """
    #######
    #@a.x.#
    #..b.y#
    #..G..#
    #######
    """

    def task(*pairs: str) -> str:
        goal = {"type": "push_block_to", "target_ids": [p[0] for p in pairs], "target_positions": [p[1] for p in pairs]}
        return canonical_form(draw(picture, goal=goal, a=block(), b=block()))

    assert task("ax", "by") == task("by", "ax") != task("ay", "bx")
