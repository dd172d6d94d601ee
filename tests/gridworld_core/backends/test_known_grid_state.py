"""`known_snapshot`: the `GridState` as far as an agent has been shown the world."""

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.grid_state import GridState, known_grid_state
from gridworld.task_spec import TaskSpecification
from support.twins import actions_of, with_rules
from support.worlds import (
    begin,
    block,
    compiled,
    corridor,
    door,
    draw,
    gate,
    hazard,
    key,
    look,
    play,
    rollout,
    switch,
    tasks,
    teleporter,
)

PARTIAL = ("view_cone", "fog_of_war")
WAIT = {"type": "survive_steps"}
MECHANISM_FIELDS = (
    "open_doors",
    "collected_keys",
    "active_switches",
    "open_gates",
    "block_positions",
    "teleporter_cooldowns",
    "mechanism_states",
)
seeds = st.integers(0, 2**32 - 1)


def known_after(task: TaskSpecification, letters: str = "") -> GridState:
    """What is known after some actions."""
    episode = begin(task)
    play(episode, letters)
    return known_grid_state(episode.world, episode.snapshot)


def names_in(state: GridState) -> set[str]:
    """The ids of all mechanisms that a snapshot mentions."""
    return {name for field in MECHANISM_FIELDS for name in getattr(state, field)}


@given(tasks(), seeds)
def test_everything_in_view_is_known(task: TaskSpecification, seed: int) -> None:
    episode = begin(with_rules(task, observability="full", hidden_mechanisms=()))
    for action in actions_of(episode.world.task, seed, 60):
        episode.step(action)
        assert known_grid_state(episode.world, episode.snapshot) == look(episode)


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
def test_expired_cooldown_in_view_is_known(mode: str) -> None:
    task = corridor("@a.b..G", ab=teleporter(), goal=WAIT, rules={"observability": mode})
    assert known_after(task, "F").teleporter_cooldowns == {"ab": 1}
    assert known_after(task, "FW").teleporter_cooldowns == {}


def test_fog_keeps_the_last_seen_place_of_two() -> None:
    maze = """
        ######
        #@a..#
        #....#
        #b..G#
        ######
    """
    rules = {"observability": "fog_of_war", "view_size": 3}
    task = draw(maze, ab=teleporter(), goal=WAIT, rules=rules)
    assert known_after(task, "F").teleporter_cooldowns == {"ab": 1}
    assert known_after(task, "FFFL").teleporter_cooldowns == {}


@given(tasks(), seeds)
def test_knowledge_of_self_and_view_is_right(task: TaskSpecification, seed: int) -> None:
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        episode.step(action)
        known, real = known_grid_state(episode.world, episode.snapshot), look(episode)
        same = dict.fromkeys(MECHANISM_FIELDS)
        assert attrs.evolve(known, **same) == attrs.evolve(real, **same)


@given(tasks(max_side=10), seeds)
def test_only_what_was_seen_or_held_is_mentioned(task: TaskSpecification, seed: int) -> None:
    episode = begin(task)
    met: set[str] = set()
    for action in actions_of(task, seed, 60):
        episode.step(action)
        entities = episode.world.entities
        looks = [episode.look(cell) for cell in range(episode.world.topology.cell_count)]
        met |= {entities[each.entity].id for shown in looks if shown for each in shown.things}
        if look(episode).agent_carrying:
            met.add(str(look(episode).agent_carrying))
        assert names_in(known_grid_state(episode.world, episode.snapshot)) <= met


ROOMS = """
    ###########
    #@.sdk..g.#
    #...#b..h.#
    #...#....G#
    ###########
"""


def rooms(mode: str, **things: Any) -> TaskSpecification:
    """A room with a switch, and behind a shut door another one."""
    contents = {
        "s": switch("g", initial_state="on"),
        "d": door(initial_state="closed"),
        "k": key(),
        "g": gate(),
        "b": block(),
        "h": hazard(),
    }
    return draw(ROOMS, rules={"observability": mode}, goal=WAIT, **{**contents, **things})


@pytest.mark.parametrize("mode", PARTIAL)
def test_mechanisms_that_have_not_been_seen_are_left_out(mode: str) -> None:
    known = known_after(rooms(mode))
    assert names_in(known) == {"s"}
    assert known.open_gates == set()


@pytest.mark.parametrize("mode", PARTIAL)
def test_what_comes_into_view_becomes_known(mode: str) -> None:
    known = known_after(rooms(mode), "FFT")
    assert known.open_doors == {"d"}
    assert known.block_positions == {"b": (5, 2)}
    assert known.open_gates == {"g"}


@pytest.mark.parametrize("mode", PARTIAL)
@pytest.mark.parametrize("initial_state", ["closed", "open"])
def test_the_state_of_a_gate_out_of_sight_is_not_known(mode: str, initial_state: str) -> None:
    unwired = rooms(mode, g=gate(initial_state), s=switch(initial_state="on"))
    assert known_after(unwired) == known_after(rooms(mode))


@pytest.mark.parametrize("mode", PARTIAL)
def test_the_key_in_the_hand_is_known_to_be_collected(mode: str) -> None:
    known = known_after(corridor("@k..G", k=key(), rules={"observability": mode}), "PRR")
    assert (known.agent_carrying, known.collected_keys) == ("k", {"k"})


@pytest.mark.parametrize("mode", PARTIAL)
def test_used_up_key_is_collected(mode: str) -> None:
    rules = {"observability": mode, "key_consumption": True}
    known = known_after(corridor("@kd.G", k=key(), d=door("red"), rules=rules), "PFTRR")
    assert (known.agent_carrying, known.collected_keys) == (None, {"k"})


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
@pytest.mark.parametrize(
    ("thing", "letters", "field", "entry"),
    [
        (switch(initial_state="on"), "FRR", "active_switches", "x"),
        (gate("open"), "FRR", "open_gates", "x"),
        (door(initial_state="open"), "FRR", "open_doors", "x"),
        (block(), "F", "block_positions", "x"),
        (key(), "P", "collected_keys", "x"),
    ],
    ids=["switch", "gate", "door", "block", "key"],
)
def test_hidden_mechanisms_are_left_out_until_discovered(
    mode: str, thing: Any, letters: str, field: str, entry: str
) -> None:
    rules = {"observability": mode, "hidden_mechanisms": ["x"]}
    task = corridor("@x...G", x=thing, goal=WAIT, rules=rules)
    assert names_in(known_after(task)) == set()
    assert entry in getattr(known_after(task, letters), field)


@given(tasks(), seeds)
def test_asking_what_is_known_changes_nothing(task: TaskSpecification, seed: int) -> None:
    episode = rollout(compiled(task), seed, length=40)
    state, first = episode.state, known_grid_state(episode.world, episode.snapshot)
    first.open_doors.add("another")
    first.block_positions["another"] = (0, 0)
    assert episode.state == state
    assert "another" not in names_in(known_grid_state(episode.world, episode.snapshot))
