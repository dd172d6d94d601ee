"""How one cell looks."""

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
    Thing,
    begin,
    block,
    compiled,
    corridor,
    door,
    gate,
    hazard,
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


def named(episode: Episode, x: int) -> list[tuple[str, str]]:
    """(id, state) of what a cell of a corridor shows."""
    entities = [(episode.world.entities[shown.entity], shown.value) for shown in look(episode, x).things]
    return [(entity.id, entity.type.values[value]) for entity, value in entities]


def test_looks_of_wall_floor_and_goal() -> None:
    episode = begin(corridor("@.#G"))
    assert [look(episode, x) for x in (0, 1, 2, 3)] == [WALL, FLOOR, FLOOR, WALL]
    assert look(episode, 4) == GOAL


def test_looks_do_not_show_the_agent() -> None:
    episode = begin(corridor("@.G"))
    play(episode, "F")
    assert look(episode, 1) == look(episode, 2) == FLOOR


def test_a_target_is_marked_instead_of_the_goal_cell() -> None:
    episode = begin(corridor("@.tG", goal={"type": "reach_position", "target": "t"}))
    assert (look(episode, 3), look(episode, 4)) == (GOAL, FLOOR)


def test_the_goal_cell_as_named_target() -> None:
    assert look(begin(corridor("@.G", goal={"type": "reach_position", "target": "G"})), 3) == GOAL


@pytest.mark.parametrize(
    "goal",
    [
        {"type": "collect_all", "target_ids": ["k"]},
        {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]},
        {"type": "survive_steps"},
    ],
    ids=lambda goal: goal["type"],
)
def test_the_goal_cell_of_other_goals_is_floor(goal: dict[str, Any]) -> None:
    assert look(begin(corridor("@b.tkG", b=block(), k=key(), goal=goal)), 6) == FLOOR


def test_a_target_has_the_colour_and_dots_of_its_block() -> None:
    goal = {"type": "push_block_to", "target_ids": ["b", "c", "d"], "target_positions": ["t", "u", "v"]}
    things = {"b": block(color="blue"), "c": block(color="red"), "d": block(color="blue"), "e": block(color="blue")}
    episode = begin(corridor("@b.t.c.u.d.v.eG", goal=goal, **things))
    marks = [look(episode, x).mark for x in (4, 8, 12)]
    assert marks == [Mark("target", "blue", 1), Mark("target", "red", 1), Mark("target", "blue", 2)]
    assert [look(episode, x).things[0].number for x in (2, 6, 10, 14)] == [1, 1, 2, 0]


def test_parts_and_numbers_of_teleporters() -> None:
    episode = begin(corridor("@a.bc.dG", ab=teleporter(), cd=teleporter(bidirectional=False)))
    parts = [(shown.part, shown.number) for x in (2, 4, 5, 7) for shown in shown_on(episode, x)]
    assert parts == [(0, 1), (1, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("thing", "state"),
    [
        (key(), "untouched"),
        (door(initial_state="closed"), "closed"),
        (door(initial_state="open"), "open"),
        (switch(initial_state="on"), "on"),
        (gate(), "closed"),
        (block(), ""),
        (hazard(), ""),
    ],
    ids=lambda each: each.kind if isinstance(each, Thing) else each,
)
def test_looks_have_the_state(thing: Thing, state: str) -> None:
    assert named(begin(corridor("@.x.G", x=thing)), 3) == [("x", state)]


def test_both_ends_of_a_teleporter_are_shown() -> None:
    episode = begin(corridor("@a.bG", ab=teleporter()))
    assert named(episode, 2) == named(episode, 4) == [("ab", "ready")]


def test_a_changed_state_is_shown() -> None:
    episode = begin(corridor("@s.gG", s=switch("g"), g=gate()))
    play(episode, "T")
    assert (named(episode, 2), named(episode, 4)) == ([("s", "on")], [("g", "open")])


def test_a_block_on_a_switch_is_on_top() -> None:
    episode = begin(corridor("@bs.G", b=block(), s=switch(switch_type="hold")))
    play(episode, "F")
    assert named(episode, 3) == [("s", "on"), ("b", "")]


def test_a_carried_key_is_not_shown() -> None:
    episode = begin(corridor("@k.G", k=key()))
    play(episode, "P")
    assert look(episode, 2) == FLOOR


def test_a_block_on_a_target_keeps_the_mark() -> None:
    goal: dict[str, Any] = {"type": "push_block_to", "target_ids": ["b", "c"], "target_positions": ["t", "u"]}
    episode = begin(corridor("@bt.cuG", b=block(), c=block(), goal=goal))
    play(episode, "F")
    assert look(episode, 3).mark == Mark("target", "grey", 1)
    assert named(episode, 3) == [("b", "")]


def test_a_hidden_gate_hides_the_mark() -> None:
    goal = {"type": "reach_position", "target": "g"}
    episode = begin(corridor("@sg.G", s=switch("g"), g=gate(), goal=goal, rules={"hidden_mechanisms": ["g"]}))
    assert look(episode, 3) == WALL


def test_a_hidden_switch_keeps_the_mark() -> None:
    goal = {"type": "reach_position", "target": "s"}
    episode = begin(corridor("@.s.G", s=switch(), goal=goal, rules={"hidden_mechanisms": ["s"]}))
    assert look(episode, 3) == GOAL


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
