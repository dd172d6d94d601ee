"""`GridState`: what a snapshot holds, and how it is written and read."""

import copy
import json
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.grid_state import GridState
from gridworld.task_spec import TaskSpecification
from support.worlds import (
    begin,
    block,
    compiled,
    corridor,
    door,
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


def busy_state() -> GridState:
    return GridState(
        agent_position=(3, 1),
        agent_direction=2,
        agent_carrying="k",
        step_count=4,
        max_steps=50,
        terminated=True,
        reward=0.5,
        open_doors={"d2", "d1"},
        collected_keys={"k"},
        active_switches={"s"},
        open_gates={"g"},
        block_positions={"b": (2, 2), "a": (1, 1)},
        teleporter_cooldowns={"t": 1},
        goal_reached=True,
        observability_mode="fog_of_war",
        visible_cells={(3, 1), (2, 1)},
        explored_cells={(3, 1), (2, 1), (1, 1)},
        mechanism_states={"ice": {"i": "cracked"}},
    )


def test_core_mechanisms_have_their_own_fields() -> None:
    passages = {"s": switch(), "d": door(initial_state="open"), "g": gate(), "tu": teleporter()}
    task = corridor("@ksdgbtuhG", k=key(), b=block(), h=hazard(), **passages)
    assert look(begin(task)).mechanism_states == {}


def test_snapshots_are_independent() -> None:
    episode = begin(corridor("@k.G", k=key()))
    first = look(episode)
    first.collected_keys.add("another")
    first.block_positions["x"] = (0, 0)
    second = play(episode, "P")
    assert second.collected_keys == {"k"}
    assert second.block_positions == {}
    assert first.step_count == 0


def test_equal_states_give_equal_text() -> None:
    other = busy_state()
    other.open_doors = {"d1", "d2"}
    other.block_positions = dict(sorted(other.block_positions.items(), reverse=True))
    other.visible_cells = {(2, 1), (3, 1)}
    assert json.dumps(other.to_dict()) == json.dumps(busy_state().to_dict())


def test_sets_are_written_as_sorted_lists() -> None:
    plain = busy_state().to_dict()
    assert plain["open_doors"] == ["d1", "d2"]
    assert plain["visible_cells"] == [[2, 1], [3, 1]]
    assert list(plain["block_positions"]) == ["a", "b"]


@pytest.mark.parametrize(
    "change",
    [
        {"agent_position": None},
        {"agent_positon": [1, 1]},
        {"agent_position": [1]},
        {"open_doors": "abc"},
        {"open_gates": [1]},
        {"block_positions": {"a": "12"}},
    ],
    ids=str,
)
def test_invalid_dictionaries_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        GridState.from_dict({**busy_state().to_dict(), **change})


def test_from_dict_copies_its_input() -> None:
    plain = attrs.evolve(
        busy_state(), teleporter_cooldowns={"t": 1}, mechanism_states={"timers": {"x": "on"}}
    ).to_dict()
    before = copy.deepcopy(plain)
    state = GridState.from_dict(plain)
    state.mechanism_states["timers"]["x"] = "off"
    state.teleporter_cooldowns["t"] = 0
    state.block_positions.clear()
    state.open_doors.clear()
    assert plain == before


@given(tasks(), st.integers(0, 1000))
def test_snapshots_of_random_episodes_survive_json(task: TaskSpecification, seed: int) -> None:
    state = look(rollout(compiled(task), seed, length=40))
    assert GridState.from_dict(json.loads(json.dumps(state.to_dict()))) == state
