"""`GridState`: its fields, their types, what they tell, and how they are written."""

import json
from collections.abc import Callable
from typing import Any, get_type_hints

import attrs
import pytest

from gridworld.backends.base import GridState
from gridworld.backends.kernel import KernelBackend
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, square_topology
from gridworld_minigrid import MiniGridBackend
from support.worlds import block, corridor, door, draw, gate, hazard, key, switch, teleporter

Played = Callable[[TaskSpecification, str], GridState]
Cells = set[tuple[int, int]]

FIELDS: dict[str, Any] = {
    "agent_position": tuple[int, int],
    "agent_direction": int,
    "agent_carrying": str | None,
    "step_count": int,
    "max_steps": int,
    "terminated": bool,
    "truncated": bool,
    "reward": float,
    "open_doors": set[str],
    "collected_keys": set[str],
    "active_switches": set[str],
    "open_gates": set[str],
    "block_positions": dict[str, tuple[int, int]],
    "teleporter_cooldowns": dict[str, int],
    "goal_reached": bool,
    "observability_mode": str,
    "visible_cells": Cells,
    "explored_cells": Cells,
}

CONTENTS: dict[str, Any] = {
    "agent_position": (3, 1),
    "agent_direction": 2,
    "agent_carrying": "k",
    "step_count": 4,
    "max_steps": 50,
    "terminated": True,
    "truncated": True,
    "reward": 0.5,
    "open_doors": {"d2", "d1"},
    "collected_keys": {"k"},
    "active_switches": {"s"},
    "open_gates": {"g"},
    "block_positions": {"b": (2, 2), "a": (1, 1)},
    "teleporter_cooldowns": {"t": 1},
    "goal_reached": True,
    "observability_mode": "fog_of_war",
    "visible_cells": {(3, 1), (2, 1)},
    "explored_cells": {(3, 1), (2, 1), (1, 1)},
}
"""A value for each field that none of them has by default."""

BUSY = draw(
    """
    ##########
    #@ks.d.b.#
    #.a....v.#
    #..g....G#
    ##########
    """,
    k=key(),
    s=switch("g"),
    d=door(initial_state="open"),
    b=block(),
    av=teleporter(),
    g=gate(),
    rules={"observability": "fog_of_war"},
)


@pytest.mark.parametrize(("field", "kind"), FIELDS.items())
def test_a_field_has_the_type_of_the_contract(field: str, kind: Any) -> None:
    assert get_type_hints(GridState)[field] == kind


@pytest.mark.parametrize(("field", "value"), CONTENTS.items())
def test_a_field_is_given_by_keyword_and_read_by_name(field: str, value: Any) -> None:
    assert getattr(GridState(**CONTENTS), field) == value


def assert_of_its_types(state: GridState) -> None:
    """Every value is of the very kind that the contract names, down to the elements of sets and dictionaries."""
    for field in ("agent_direction", "step_count", "max_steps"):
        assert type(getattr(state, field)) is int
    for field in ("terminated", "truncated", "goal_reached"):
        assert type(getattr(state, field)) is bool
    assert isinstance(state.reward, (int, float))
    assert state.agent_carrying is None or type(state.agent_carrying) is str
    assert type(state.observability_mode) is str
    assert_positions([state.agent_position, *state.block_positions.values()])
    for field in ("open_doors", "collected_keys", "active_switches", "open_gates"):
        assert type(getattr(state, field)) is set
        assert all(type(name) is str for name in getattr(state, field))
    for field in ("visible_cells", "explored_cells"):
        assert type(getattr(state, field)) is set
        assert_positions(getattr(state, field))
    for field in ("block_positions", "teleporter_cooldowns"):
        assert type(getattr(state, field)) is dict
        assert all(type(name) is str for name in getattr(state, field))
    assert all(type(each) is int for each in state.teleporter_cooldowns.values())


def assert_positions(positions: Any) -> None:
    for position in positions:
        assert isinstance(position, tuple)
        assert [type(each) for each in position] == [int, int]


def test_reset_step_and_get_state_return_one() -> None:
    backend = MiniGridBackend(render_mode=None)
    backend.configure(BUSY)
    for state in (backend.reset()[1], backend.step(3)[4], backend.get_state()):
        assert type(state) is GridState
        assert_of_its_types(state)


class BlankBackend(KernelBackend):
    """Shows nothing."""

    name = "blank"
    tiling = "square"

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(*task.maze.dimensions)

    def observe(self) -> None: ...

    def render(self) -> None: ...


def test_it_does_not_depend_on_the_backend() -> None:
    told = []
    for backend in (MiniGridBackend(render_mode=None), BlankBackend()):
        backend.configure(BUSY)
        told.append([backend.reset()[1], *(backend.step(action)[4] for action in (3, 2, 5, 1, 2, 2, 0, 6))])
    assert told[0] == told[1]


# --- what the fields tell --------------------------------------------------------------------------------------


def test_the_start(played: Played) -> None:
    state = played(BUSY, "")
    assert (state.agent_position, state.agent_direction, state.agent_carrying) == ((1, 1), 0, None)
    assert (state.step_count, state.max_steps, state.reward) == (0, 100, 0)
    assert (state.terminated, state.truncated, state.goal_reached) == (False, False, False)
    assert (state.open_doors, state.collected_keys, state.active_switches, state.open_gates) == (
        {"d"},
        set(),
        set(),
        set(),
    )
    assert (state.block_positions, state.teleporter_cooldowns) == ({"b": (7, 1)}, {})


def test_position_and_direction_are_where_the_agent_is_and_faces(played: Played) -> None:
    task = corridor("@..G")
    assert [played(task, letters).agent_direction for letters in ("", "R", "RR", "RRR", "L")] == [0, 1, 2, 3, 3]
    assert played(task, "FF").agent_position == (3, 1)


def test_agent_carrying_is_the_id_of_what_is_held(played: Played) -> None:
    task = corridor("@k.G", k=key("blue"))
    assert [played(task, letters).agent_carrying for letters in ("", "P", "PD")] == [None, "k", None]


def test_step_count_counts_every_action_and_max_steps_is_the_tasks(played: Played) -> None:
    state = played(corridor("@..G", max_steps=30), "LRWPDTF")
    assert (state.step_count, state.max_steps) == (7, 30)


def test_success_death_and_truncation(played: Played) -> None:
    def outcome(state: GridState) -> tuple[bool, bool, bool]:
        return (state.terminated, state.truncated, state.goal_reached)

    assert outcome(played(corridor("@G"), "F")) == (True, False, True)
    assert outcome(played(corridor("@hG", h=hazard()), "F")) == (True, False, False)
    assert outcome(played(corridor("@.G", max_steps=1), "F")) == (False, True, False)


def test_reward_is_that_of_the_last_step(played: Played) -> None:
    task = corridor("@.G", max_steps=10)
    assert played(task, "F").reward == 0
    assert played(task, "FF").reward == pytest.approx(0.82)


def test_open_doors_holds_the_ids_of_doors_that_are_open(played: Played) -> None:
    task = draw("#####\n#@d.#\n#e.G#\n#####", d=door(initial_state="closed"), e=door(initial_state="closed"))
    assert [played(task, letters).open_doors for letters in ("", "T", "TRT", "TT")] == [set(), {"d"}, {"d", "e"}, set()]


def test_collected_keys_holds_the_ids_of_all_keys_ever_picked_up(played: Played) -> None:
    task = draw("#####\n#@k.#\n#l.G#\n#####", k=key("red"), l=key("blue"))
    assert [played(task, letters).collected_keys for letters in ("", "P", "PD", "PDRP")] == [
        set(),
        {"k"},
        {"k"},
        {"k", "l"},
    ]


def test_active_switches_and_open_gates_hold_the_ids_of_what_is_on_and_open(played: Played) -> None:
    task = corridor("@s.ghG", s=switch("g"), g=gate(), h=gate("open"))
    off, on = played(task, ""), played(task, "T")
    assert (off.active_switches, off.open_gates) == (set(), {"h"})
    assert (on.active_switches, on.open_gates) == ({"s"}, {"g", "h"})


def test_block_positions_holds_where_each_block_is_now(played: Played) -> None:
    task = corridor("@b..cG", b=block(), c=block(pushable=False))
    assert played(task, "").block_positions == {"b": (2, 1), "c": (5, 1)}
    assert played(task, "F").block_positions == {"b": (3, 1), "c": (5, 1)}


def test_teleporter_cooldowns_holds_those_that_run(played: Played) -> None:
    task = corridor("@a.b.G", ab=teleporter())
    assert played(task, "").teleporter_cooldowns == {}
    assert played(task, "F").teleporter_cooldowns == {"ab": 1}
    assert played(task, "FW").teleporter_cooldowns == {}


@pytest.mark.parametrize("mode", ["full", "view_cone", "fog_of_war"])
def test_observability_mode_is_that_of_the_rules(played: Played, mode: str) -> None:
    assert played(corridor("@.G", rules={"observability": mode}), "").observability_mode == mode


def test_visible_cells_are_those_seen_now_and_explored_cells_those_seen_so_far(played: Played) -> None:
    task = corridor("@.......G", rules={"observability": "fog_of_war", "view_size": 3})
    ahead, behind = played(task, ""), played(task, "RR")
    assert ahead.visible_cells == ahead.explored_cells == {(x, y) for x in (1, 2, 3) for y in (0, 1, 2)}
    assert behind.visible_cells == {(x, y) for x in (0, 1) for y in (0, 1, 2)}
    assert behind.explored_cells == ahead.visible_cells | behind.visible_cells


def test_everything_is_visible_and_explored_under_full_observability(played: Played) -> None:
    state = played(corridor("@.G"), "")
    assert state.visible_cells == state.explored_cells == {(x, y) for x in range(5) for y in range(3)}


# --- writing and reading ---------------------------------------------------------------------------------------


def through_json(state: GridState) -> GridState:
    return GridState.from_dict(json.loads(json.dumps(state.to_dict())))


def test_from_dict_is_the_inverse_of_to_dict() -> None:
    state = GridState(**CONTENTS)
    assert GridState.from_dict(state.to_dict()) == state
    assert through_json(state) == state


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_written(field: str) -> None:
    assert field in GridState(**CONTENTS).to_dict()


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_makes_a_difference_to_what_is_written(field: str) -> None:
    ordinary = {name: value for name, value in CONTENTS.items() if name != field}
    if field in ("agent_position", "agent_direction"):
        ordinary[field] = (1, 1) if field == "agent_position" else 0
    other = GridState(**ordinary)
    assert other != GridState(**CONTENTS)
    assert through_json(other) == other


def test_what_is_read_from_json_has_the_types_of_the_contract_again() -> None:
    assert_of_its_types(through_json(GridState(**CONTENTS)))


def test_states_of_an_episode_survive_json() -> None:
    backend = MiniGridBackend(render_mode=None)
    backend.configure(BUSY)
    states = [backend.reset()[1], *(backend.step(action)[4] for action in (3, 2, 5, 1, 2, 0, 2, 2))]
    assert [through_json(state) for state in states] == states
    assert len({json.dumps(state.to_dict()) for state in states}) == len(states)


def test_it_is_an_attrs_class() -> None:
    assert attrs.has(GridState)
