"""Tasks have the same canonical form if they are alike but for how they lie and what things are called."""

import json
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.generation.canonical import canonical_form
from gridworld.task_spec import TaskSpecification
from moved_tasks import mirrored, moved, turned
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
