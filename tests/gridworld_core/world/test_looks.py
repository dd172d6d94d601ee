"""Looks of single cells."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld.world.goal_type import Mark
from gridworld.world.looks import CellLook, Shown, look_at
from gridworld.world.mechanism_type import Trait
from support.worlds import (
    begin,
    block,
    compiled,
    corridor,
    gate,
    key,
    play,
    steps_of,
    switch,
    tasks,
    teleporter,
)

FLOOR = CellLook()
WALL = CellLook(wall=True)
GOAL = CellLook(mark=Mark("goal"))


def look(episode: Episode, x: int) -> CellLook:
    """The look of a cell of a corridor."""
    return look_at(episode.world, episode.state, episode.world.topology.width + x)


def shown_on(episode: Episode, x: int) -> tuple[Shown, ...]:
    """Entities shown to the agent on a cell of a corridor."""
    shown = episode.look(episode.world.topology.width + x)
    assert shown is not None
    return shown.things


def reaching(target: str) -> dict[str, str]:
    return {"type": "reach_position", "target": target}


def pushing(*pairs: str) -> dict[str, Any]:
    """The goal to push blocks onto targets, given as pairs of letters."""
    ids, targets = zip(*pairs, strict=True)
    return {"type": "push_block_to", "target_ids": ids, "target_positions": targets}


OTHER_GOALS = ({"type": "collect_all", "target_ids": ["k"]}, pushing("bt"), {"type": "survive_steps"})
GATE_AS_TARGET = corridor("@sg.G", s=switch("g"), g=gate(), goal=reaching("g"), rules={"hidden_mechanisms": ["g"]})
SWITCH_AS_TARGET = corridor("@.s.G", s=switch(), goal=reaching("s"), rules={"hidden_mechanisms": ["s"]})


@pytest.mark.parametrize(
    ("task", "letters", "looks"),
    [
        (corridor("@.#G"), "", {0: WALL, 1: FLOOR, 2: FLOOR, 3: WALL, 4: GOAL}),
        (corridor("@.G"), "F", {1: FLOOR, 2: FLOOR}),
        (corridor("@.tG", goal=reaching("t")), "", {3: GOAL, 4: FLOOR}),
        (corridor("@.G", goal=reaching("G")), "", {3: GOAL}),
        *((corridor("@b.tkG", b=block(), k=key(), goal=goal), "", {6: FLOOR}) for goal in OTHER_GOALS),
        (corridor("@k.G", k=key()), "P", {2: FLOOR}),
        (GATE_AS_TARGET, "", {3: WALL}),
        (SWITCH_AS_TARGET, "", {3: GOAL}),
    ],
)
def test_looks(task: TaskSpecification, letters: str, looks: dict[int, CellLook]) -> None:
    episode = begin(task)
    play(episode, letters)
    assert {x: look(episode, x) for x in looks} == looks


def test_a_target_has_the_colour_and_dots_of_its_block() -> None:
    things = {"b": block(color="blue"), "c": block(color="red"), "d": block(color="blue"), "e": block(color="blue")}
    episode = begin(corridor("@b.t.c.u.d.v.eG", goal=pushing("bt", "cu", "dv"), **things))
    marks = [look(episode, x).mark for x in (4, 8, 12)]
    assert marks == [Mark("target", "blue", 1), Mark("target", "red", 1), Mark("target", "blue", 2)]
    assert [look(episode, x).things[0].number for x in (2, 6, 10, 14)] == [1, 1, 2, 0]


def test_parts_and_numbers_of_teleporters() -> None:
    episode = begin(corridor("@a.bc.dG", ab=teleporter(), cd=teleporter(bidirectional=False)))
    parts = [(shown.part, shown.number) for x in (2, 4, 5, 7) for shown in shown_on(episode, x)]
    assert parts == [(0, 1), (1, 1), (0, 2), (1, 2)]


@given(tasks(), st.integers(0, 2**32 - 1))
def test_looks_show_everything_but_hidden_entities(task: TaskSpecification, seed: int) -> None:
    world = compiled(task)
    for _, _, state in steps_of(world, seed, 60):
        for cell in range(world.topology.cell_count):
            here = {each.index for each in world.entities if cell in world.cells_of(state, each)}
            hidden = {index for index in here if world.is_hidden(state, index)}
            walled_up = cell in world.walls or any(world.traits_of(state, each) & Trait.SOLID for each in hidden)
            shown = look_at(world, state, cell)
            assert shown.wall == walled_up
            if not walled_up:
                assert {each.entity for each in shown.things} == here - hidden
                assert all(each.value == state.values[each.entity] for each in shown.things)
