"""Canonical forms and seals of tasks."""

import json
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.generation.canonical import canonical_form, is_seal, seal
from gridworld.hookspecs import MEANING, ORDERED, Meaning, to_ids, to_position
from gridworld.task_spec import MechanismSet, Position, TaskSpecification
from support.random_tasks import random_task
from support.worlds import block, door, draw, gate, key, mirrored, moved, switch, turned

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


def test_descriptive_fields_change_nothing() -> None:
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
def test_contents_and_goals_change_the_form(change: dict[str, Any]) -> None:
    data = TASK.to_dict()
    other = {**data, **{name: {**data.get(name, {}), **parts} for name, parts in change.items()}}
    assert canonical_form(TaskSpecification.from_dict(other)) != canonical_form(TASK)


def test_pairs_of_block_and_target_count_and_their_order_does_not() -> None:
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


@attrs.frozen
class Guard:
    """A mechanism of a third party, with a field of each meaning."""

    id: str = "guard"
    position: Position = attrs.field(default=(4, 4), converter=to_position)
    route: tuple[int, ...] = attrs.field(default=(), converter=tuple, metadata={MEANING: Meaning.DIRECTION})
    facing: str | None = attrs.field(default=None, metadata={MEANING: Meaning.DIRECTION})
    clothes: str | None = attrs.field(default=None, metadata={MEANING: Meaning.COLOR})
    watches: tuple[str, ...] = attrs.field(default=(), converter=to_ids)
    visits: tuple[str, ...] = attrs.field(default=(), converter=to_ids, metadata={ORDERED: True})
    shift: tuple[int, ...] = attrs.field(default=(), converter=tuple)
    name: str = ""


def guarded(task: TaskSpecification = TASK, **fields: Any) -> str:
    others = dict(task.mechanisms.groups())
    return canonical_form(attrs.evolve(task, mechanisms=MechanismSet(**others, guards=[Guard(**fields)])))


def test_directions_are_mirrored_with_the_maze() -> None:
    image = moved(TASK, mirrored, swaps=False)
    there = {"position": (4, 4)}
    assert (
        guarded(route=(0, 1, 3)) == guarded(image, **there, route=(2, 1, 3)) != guarded(image, **there, route=(0, 1, 3))
    )
    assert guarded(facing="right") == guarded(image, facing="left") != guarded(image, facing="right")


def test_directions_are_turned_with_the_maze() -> None:
    image = moved(TASK, turned, swaps=True)
    there = {"position": (2, 4)}
    assert guarded(route=(0, 1, 2, 3)) == guarded(image, **there, route=(1, 2, 3, 0))
    assert guarded(facing="up") == guarded(image, **there, facing="right") != guarded(image, **there, facing="up")


def test_sequences_of_directions_or_numbers_keep_their_order() -> None:
    assert guarded(route=(0, 0, 1)) != guarded(route=(0, 1, 0))
    assert guarded(shift=(1, 3, 2)) != guarded(shift=(1, 2, 3))


def test_ids_have_no_order_unless_declared() -> None:
    assert guarded(watches=("k", "D")) == guarded(watches=("D", "k"))
    assert guarded(visits=("k", "D")) != guarded(visits=("D", "k"))


def test_only_declared_colours_can_be_exchanged() -> None:
    assert guarded(clothes="orange") == guarded(clothes="pink") != guarded(clothes="red")
    assert guarded(name="green") != guarded(name="purple")


def test_ids_that_are_colours_or_keywords_change_nothing() -> None:
    def called(name: str) -> str:
        return canonical_form(
            TaskSpecification.from_dict(json.loads(json.dumps(TASK.to_dict()).replace('"k"', f'"{name}"')))
        )

    assert called("red") == called("blue") == called("full") == called("toggle") == canonical_form(TASK)


@pytest.fixture
def tasks() -> list[TaskSpecification]:
    return [attrs.evolve(random_task(seed), task_id=str(seed)) for seed in range(3)]


def test_seals_do_not_depend_on_order(tasks: list[TaskSpecification]) -> None:
    backwards = [TaskSpecification.from_dict(dict(reversed(task.to_dict().items()))) for task in reversed(tasks)]
    assert seal(backwards) == seal(tasks)


def test_seals_depend_on_all_contents(tasks: list[TaskSpecification]) -> None:
    changed = [
        [attrs.evolve(tasks[0], max_steps=tasks[0].max_steps + 1), *tasks[1:]],
        [attrs.evolve(tasks[0], metadata={"certificate": 1}), *tasks[1:]],
        tasks[1:],
        [*tasks, tasks[0]],
    ]
    seals = {seal(each) for each in (tasks, *changed)}
    assert len(seals) == 5
    assert all(is_seal(each) for each in seals)


@pytest.mark.parametrize("text", ["", "abc", "g" * 64, "0" * 63])
def test_other_texts_are_not_seals(text: str) -> None:
    assert not is_seal(text)
