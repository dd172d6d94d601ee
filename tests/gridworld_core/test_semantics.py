"""What happens in the world, sentence by sentence of the page of rules."""

from typing import Any

import pytest

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, TaskFormatError
from gridworld.task_spec import TaskSpecification
from gridworld.world import State, World, transition
from gridworld.world.events import Died, Moved, Opened, Succeeded, Switched, Teleported
from gridworld.world.looks import CellLook
from support.worlds import (
    LETTERS,
    begin,
    block,
    cell_named,
    compiled,
    corridor,
    describe,
    door,
    draw,
    gate,
    hazard,
    key,
    look,
    play,
    switch,
    teleporter,
)

HAZARD_TYPES = ("lava", "pit", "spike")


def value_of(world: World, state: State, name: str) -> str:
    return world.by_id[name].value_name(state)


# --- A step: its order -----------------------------------------------------------------------------------------


def test_a_teleporter_is_entered_in_the_step_that_moves_onto_it() -> None:
    state = play(begin(corridor("@a.bG", ab=teleporter())), "F")
    assert state.agent_position == (4, 1)
    assert state.step_count == 1


def test_a_hold_switch_goes_on_and_its_gate_opens_in_the_step_that_enters_it() -> None:
    state = play(begin(corridor("@s.gG", s=switch("g", switch_type="hold"), g=gate())), "F")
    assert state.active_switches == {"s"}
    assert state.open_gates == {"g"}


def test_a_gate_opens_in_the_step_that_toggles_its_switch() -> None:
    assert play(begin(corridor("@s.gG", s=switch("g"), g=gate())), "T").open_gates == {"g"}


def test_events_stand_in_the_order_act_enter_derive_goal() -> None:
    task = corridor(
        "@s.gG",
        s=switch("g", switch_type="hold"),
        g=gate(),
        goal={"type": "collect_all", "target_ids": ["s"]},
    )
    events = begin(task).step(Action.MOVE_FORWARD)
    assert [type(event) for event in events] == [Moved, Switched, Opened, Succeeded]


def test_events_stand_in_the_order_act_enter_hazard() -> None:
    episode = begin(corridor("@a.bhG", ab=teleporter(), h=hazard()))
    assert [type(event) for event in episode.step(Action.MOVE_FORWARD)] == [Moved, Teleported]
    assert [type(event) for event in episode.step(Action.MOVE_FORWARD)] == [Moved, Died]


def test_the_goal_is_judged_after_entering_so_a_teleporter_can_take_the_agent_to_it() -> None:
    state = play(begin(corridor("@a.b.G", ab=teleporter(), goal={"type": "reach_position", "target": "b"})), "F")
    assert state.goal_reached


def test_the_goal_is_judged_after_entering_so_a_teleporter_can_take_the_agent_off_it() -> None:
    state = play(begin(corridor("@a.b.G", ab=teleporter(), goal={"type": "reach_position", "target": "a"})), "F")
    assert not state.goal_reached
    assert state.agent_position == (4, 1)


def test_the_goal_is_judged_after_switches_have_been_sensed() -> None:
    task = corridor("@s.G", s=switch(switch_type="hold"), goal={"type": "collect_all", "target_ids": ["s"]})
    assert play(begin(task), "F").goal_reached


def test_a_hazard_is_judged_before_the_goal() -> None:
    task = corridor("@h.G", h=hazard(), goal={"type": "reach_position", "target": "h"})
    state = play(begin(task), "F")
    assert state.terminated
    assert not state.goal_reached


def test_a_hazard_is_judged_before_the_goal_of_surviving() -> None:
    state = play(begin(corridor("@h.G", h=hazard(), goal={"type": "survive_steps"}, max_steps=1)), "F")
    assert state.terminated
    assert not state.goal_reached
    assert state.reward == 0


def test_the_goal_is_judged_before_truncation() -> None:
    state = play(begin(corridor("@G", max_steps=1)), "F")
    assert (state.terminated, state.truncated) == (True, False)


# --- A step: counting and refusing -----------------------------------------------------------------------------


@pytest.mark.parametrize("letter", sorted(LETTERS))
def test_every_action_done_included_adds_one_to_step_count(letter: str) -> None:
    episode = begin(corridor("@.G"))
    assert play(episode, letter).step_count == 1
    assert play(episode, letter).step_count == 2


@pytest.mark.parametrize("letter", sorted(LETTERS))
def test_an_action_without_effect_still_adds_one_to_step_count(letter: str) -> None:
    assert play(begin(draw("####\n#@##\n#.G#\n####")), letter).step_count == 1


@pytest.mark.parametrize(
    ("task", "letters"),
    [
        pytest.param(corridor("@G"), "F", id="success"),
        pytest.param(corridor("@h.G", h=hazard()), "F", id="death"),
        pytest.param(corridor("@.G", max_steps=2), "WW", id="truncation"),
        pytest.param(corridor("@.G", goal={"type": "survive_steps"}, max_steps=2), "WW", id="survival"),
    ],
)
@pytest.mark.parametrize("action", Action)
def test_an_action_after_the_end_is_refused_and_changes_nothing(
    task: TaskSpecification, letters: str, action: Action
) -> None:
    episode = begin(task)
    play(episode, letters)
    before = episode.state
    with pytest.raises(EpisodeOver, match="the episode ended after"):
        episode.step(action)
    assert episode.state is before


@pytest.mark.parametrize("action", [-1, 7, 100, None, "2", "move_forward", 2.5, (2,), [2], {}], ids=repr)
def test_an_action_outside_the_seven_is_refused_and_changes_nothing(action: Any) -> None:
    episode = begin(corridor("@.G"))
    before = episode.state
    with pytest.raises(InvalidAction, match="is not in the action space"):
        episode.step(action)
    assert episode.state is before


def test_there_are_seven_actions_numbered_as_in_minigrid() -> None:
    assert ACTION_SPACE == {
        0: "turn_left",
        1: "turn_right",
        2: "move_forward",
        3: "pickup",
        4: "drop",
        5: "toggle",
        6: "done",
    }


# --- Directions ------------------------------------------------------------------------------------------------

ROOM = """
    #####
    #...#
    #.@.#
    #..G#
    #####
"""


def test_the_agent_starts_facing_right() -> None:
    assert look(begin(draw(ROOM))).agent_direction == 0


@pytest.mark.parametrize(
    ("turns", "direction", "ahead"),
    [("", 0, (3, 2)), ("R", 1, (2, 3)), ("RR", 2, (1, 2)), ("RRR", 3, (2, 1)), ("L", 3, (2, 1)), ("LL", 2, (1, 2))],
)
def test_directions_are_right_down_left_up(turns: str, direction: int, ahead: tuple[int, int]) -> None:
    episode = begin(draw(ROOM))
    assert play(episode, turns).agent_direction == direction
    moved = play(episode, "F")
    assert (moved.agent_position, moved.agent_direction) == (ahead, direction)


def test_turning_stays_on_the_cell() -> None:
    assert play(begin(draw(ROOM)), "LRRL").agent_position == (2, 2)


@pytest.mark.parametrize("turn", "LR")
def test_four_turns_one_way_are_none(turn: str) -> None:
    assert play(begin(draw(ROOM)), turn * 4).agent_direction == 0


def test_done_does_nothing() -> None:
    episode = begin(draw(ROOM))
    before = episode.state.key
    play(episode, "W")
    assert episode.state.key == before


# --- move_forward ----------------------------------------------------------------------------------------------


def test_move_forward_into_a_free_cell_moves() -> None:
    assert play(begin(corridor("@.G")), "F").agent_position == (2, 1)


def test_a_listed_wall_stops_the_agent() -> None:
    assert play(begin(corridor(".@#G")), "F").agent_position == (2, 1)


def test_a_border_wall_stops_the_agent() -> None:
    assert play(begin(corridor("@.G")), "RF").agent_position == (1, 1)


def test_a_cell_left_out_of_the_floor_list_stops_the_agent() -> None:
    data = describe("#####\n#@.G#\n#...#\n#####")
    data["maze"]["floor"] = [[1, 1], [3, 1], [1, 2], [2, 2], [3, 2]]
    assert play(begin(TaskSpecification.from_dict(data)), "F").agent_position == (1, 1)


@pytest.mark.parametrize("initial_state", ["locked", "closed"])
def test_a_shut_door_stops_the_agent(initial_state: str) -> None:
    task = draw("######\n#@dG.#\n#..k.#\n######", d=door("red", initial_state), k=key("red"))
    assert play(begin(task), "F").agent_position == (1, 1)


def test_an_open_door_lets_the_agent_in() -> None:
    assert play(begin(corridor("@d.G", d=door(initial_state="open"))), "F").agent_position == (2, 1)


def test_a_closed_gate_stops_the_agent() -> None:
    assert play(begin(corridor("@g.G", g=gate())), "F").agent_position == (1, 1)


def test_an_open_gate_lets_the_agent_in() -> None:
    assert play(begin(corridor("@g.G", g=gate("open"))), "F").agent_position == (2, 1)


def test_a_block_that_cannot_be_pushed_stops_the_agent() -> None:
    state = play(begin(corridor("@b.G", b=block(pushable=False))), "F")
    assert state.agent_position == (1, 1)
    assert state.block_positions == {"b": (2, 1)}


def test_a_block_is_pushed_onto_free_floor() -> None:
    state = play(begin(corridor("@b.G", b=block())), "F")
    assert state.agent_position == (2, 1)
    assert state.block_positions == {"b": (3, 1)}


def test_a_block_is_pushed_in_the_direction_of_the_agent() -> None:
    state = play(begin(draw("#####\n#@..#\n#b..#\n#..G#\n#####", b=block())), "RF")
    assert state.agent_position == (1, 2)
    assert state.block_positions == {"b": (1, 3)}


def test_a_block_is_pushed_onto_the_goal() -> None:
    state = play(begin(corridor("@bG.", b=block())), "F")
    assert state.block_positions == {"b": (3, 1)}
    assert not state.goal_reached


def test_a_block_is_pushed_onto_a_target_marker() -> None:
    task = corridor("@bt.G", b=block(), goal={"type": "reach_position", "target": "t"})
    assert play(begin(task), "F").block_positions == {"b": (3, 1)}


@pytest.mark.parametrize("switch_type", ["toggle", "hold", "one_shot"])
def test_a_block_is_pushed_onto_a_switch(switch_type: str) -> None:
    state = play(begin(corridor("@bs.G", b=block(), s=switch(switch_type=switch_type))), "F")
    assert state.block_positions == {"b": (3, 1)}


def test_a_block_is_pushed_on_from_a_switch() -> None:
    state = play(begin(corridor("@bs.G", b=block(), s=switch(switch_type="hold"))), "FF")
    assert state.block_positions == {"b": (4, 1)}
    assert state.agent_position == (3, 1)


@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@b#G", {}, id="wall"),
        pytest.param("@bk.G", {"k": key()}, id="key"),
        pytest.param("@bc.G", {"c": block()}, id="block"),
        pytest.param("@bc.G", {"c": block(pushable=False)}, id="fixed block"),
        pytest.param("@bd.G", {"d": door(initial_state="closed")}, id="closed door"),
        pytest.param("@bd.G", {"d": door(initial_state="open")}, id="open door"),
        pytest.param("@bg.G", {"g": gate()}, id="closed gate"),
        pytest.param("@bg.G", {"g": gate("open")}, id="open gate"),
        pytest.param("@bt.uG", {"tu": teleporter()}, id="teleporter"),
    ],
)
def test_a_block_is_not_pushed_onto_anything_else(row: str, things: dict[str, Any]) -> None:
    episode = begin(corridor(row, b=block(), **things))
    state = play(episode, "F")
    assert state.agent_position == (1, 1)
    assert state.block_positions["b"] == (2, 1)


@pytest.mark.parametrize("hazard_type", HAZARD_TYPES)
def test_a_block_is_not_pushed_into_a_hazard(hazard_type: str) -> None:
    state = play(begin(corridor("@bh.G", b=block(), h=hazard(hazard_type))), "F")
    assert state.agent_position == (1, 1)
    assert state.block_positions == {"b": (2, 1)}


def test_a_block_is_not_pushed_into_the_border() -> None:
    state = play(begin(draw("####\n#@.#\n#bG#\n####", b=block())), "RF")
    assert state.block_positions == {"b": (1, 2)}


# --- pickup and drop -------------------------------------------------------------------------------------------


def test_pickup_takes_the_key_in_front() -> None:
    state = play(begin(corridor("@k.G", k=key())), "P")
    assert state.agent_carrying == "k"
    assert state.agent_position == (1, 1)


def test_the_cell_of_a_key_that_was_picked_up_is_free() -> None:
    assert play(begin(corridor("@k.G", k=key())), "PF").agent_position == (2, 1)


def test_pickup_with_a_full_hand_takes_nothing() -> None:
    state = play(begin(corridor("@kl.G", k=key(), l=key("blue"))), "PFP")
    assert state.agent_carrying == "k"
    assert state.collected_keys == {"k"}


@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@.G", {}, id="floor"),
        pytest.param(".@#G", {}, id="wall"),
        pytest.param("@b.G", {"b": block()}, id="block"),
        pytest.param("@s.G", {"s": switch()}, id="switch"),
        pytest.param("@d.G", {"d": door(initial_state="closed")}, id="door"),
        pytest.param("@.kG", {"k": key()}, id="key two cells ahead"),
    ],
)
def test_pickup_takes_nothing_but_a_key_in_front(row: str, things: dict[str, Any]) -> None:
    state = play(begin(corridor(row, **things)), "P")
    assert state.agent_carrying is None
    assert state.collected_keys == set()


def test_keys_are_solid() -> None:
    state = play(begin(corridor("@k.G", k=key())), "F")
    assert state.agent_position == (1, 1)
    assert state.agent_carrying is None
    assert state.collected_keys == set()


def test_drop_puts_what_is_held_on_the_free_floor_cell_in_front() -> None:
    episode = begin(corridor("@k.G", k=key()))
    state = play(episode, "PFD")
    assert state.agent_carrying is None
    assert episode.world.cells_of(episode.state, episode.world.by_id["k"]) == (cell_named(episode.world, (3, 1)),)


def test_a_dropped_key_is_solid_and_can_be_picked_up_again() -> None:
    episode = begin(corridor("@k.G", k=key()))
    assert play(episode, "PFDF").agent_position == (2, 1)
    assert play(episode, "PF").agent_carrying == "k"


def test_drop_with_an_empty_hand_does_nothing() -> None:
    episode = begin(corridor("@.G"))
    before = episode.state.key
    play(episode, "D")
    assert episode.state.key == before


@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@k#G", {}, id="wall"),
        pytest.param("@kG.", {}, id="goal"),
        pytest.param("@kt.G", {"goal": {"type": "reach_position", "target": "t"}}, id="target"),
        pytest.param("@kl.G", {"l": key("blue")}, id="key"),
        pytest.param("@kb.G", {"b": block()}, id="block"),
        pytest.param("@ks.G", {"s": switch()}, id="switch"),
        pytest.param("@kd.G", {"d": door(initial_state="closed")}, id="closed door"),
        pytest.param("@kd.G", {"d": door(initial_state="open")}, id="open door"),
        pytest.param("@kg.G", {"g": gate()}, id="closed gate"),
        pytest.param("@kg.G", {"g": gate("open")}, id="open gate"),
        pytest.param("@kt.uG", {"tu": teleporter()}, id="teleporter"),
        pytest.param("@kh.G", {"h": hazard()}, id="hazard"),
    ],
)
def test_drop_anywhere_but_on_free_floor_does_nothing(row: str, things: dict[str, Any]) -> None:
    state = play(begin(corridor(row, k=key(), **things)), "PFD")
    assert state.agent_position == (2, 1)
    assert state.agent_carrying == "k"


# --- toggle ----------------------------------------------------------------------------------------------------


def test_toggle_acts_on_what_is_in_front() -> None:
    assert play(begin(corridor("@s.G", s=switch())), "T").active_switches == {"s"}


def test_toggle_does_not_act_two_cells_ahead() -> None:
    assert play(begin(corridor("@.sG", s=switch())), "T").active_switches == set()


@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@s.G", {}, id="floor"),
        pytest.param("@s#G", {}, id="wall"),
        pytest.param("@sG.", {}, id="goal"),
        pytest.param("@sk.G", {"k": key()}, id="key"),
        pytest.param("@sb.G", {"b": block()}, id="block"),
        pytest.param("@sg.G", {"g": gate()}, id="gate"),
        pytest.param("@st.uG", {"tu": teleporter()}, id="teleporter"),
        pytest.param("@sh.G", {"h": hazard()}, id="hazard"),
        pytest.param("@sp.G", {"p": switch(switch_type="hold")}, id="hold switch"),
    ],
)
def test_toggle_acts_on_a_switch_underfoot_when_nothing_in_front_can_be_toggled(
    row: str, things: dict[str, Any]
) -> None:
    state = play(begin(corridor(row, s=switch(), **things)), "FT")
    assert state.agent_position == (2, 1)
    assert state.active_switches == {"s"}


@pytest.mark.parametrize(
    "in_front",
    [
        pytest.param({"x": switch()}, id="switch"),
        pytest.param({"x": door(initial_state="closed")}, id="closed door"),
        pytest.param({"x": door("red"), "k": key("red")}, id="door that stays locked"),
    ],
)
def test_toggle_leaves_a_switch_underfoot_alone_when_what_is_in_front_can_be_toggled(in_front: dict[str, Any]) -> None:
    state = play(begin(draw("######\n#@sx.#\n#..kG#\n######", s=switch(), **in_front)), "FT")
    assert "s" not in state.active_switches


def test_toggle_with_nothing_to_toggle_does_nothing() -> None:
    episode = begin(corridor("@.G"))
    before = episode.state.key
    play(episode, "T")
    assert episode.state.key == before


# --- doors -----------------------------------------------------------------------------------------------------

DOOR_AHEAD = """
    ######
    #@d..#
    #k..G#
    ######
"""
FETCH = "RPL"
"""Turn to the key below the start, take it, and turn back to the door."""


def test_doors_start_locked_by_default() -> None:
    data = describe(DOOR_AHEAD, d=door("red"), k=key("red"))
    del data["mechanisms"]["doors"][0]["initial_state"]
    episode = begin(TaskSpecification.from_dict(data))
    assert value_of(episode.world, episode.state, "d") == "locked"
    assert look(episode).open_doors == set()


def test_doors_can_start_closed_or_open() -> None:
    assert look(begin(corridor("@d.G", d=door(initial_state="closed")))).open_doors == set()
    assert look(begin(corridor("@d.G", d=door(initial_state="open")))).open_doors == {"d"}


def test_a_locked_door_needs_a_key_of_its_colour_to_exist() -> None:
    valid, problems = draw(DOOR_AHEAD, d=door("red"), k=key("blue")).validate()
    assert not valid
    assert problems[0].startswith("mechanisms.doors[0].requires_key: ")


@pytest.mark.parametrize("initial_state", ["closed", "open"])
def test_an_unlocked_door_needs_no_key_to_exist(initial_state: str) -> None:
    assert corridor("@d.G", d=door("red", initial_state)).validate() == (True, [])


def test_a_locked_door_opens_to_the_held_key_of_its_colour() -> None:
    assert play(begin(draw(DOOR_AHEAD, d=door("red"), k=key("red"))), FETCH + "T").open_doors == {"d"}


def test_a_locked_door_stays_shut_to_an_empty_hand() -> None:
    assert play(begin(draw(DOOR_AHEAD, d=door("red"), k=key("red"))), "T").open_doors == set()


def test_a_locked_door_stays_shut_to_a_key_of_another_colour() -> None:
    task = draw("######\n#@d.l#\n#k..G#\n######", d=door("red"), k=key("blue"), l=key("red"))
    state = play(begin(task), FETCH + "T")
    assert state.open_doors == set()
    assert state.agent_carrying == "k"


def test_a_locked_door_stays_shut_to_a_key_that_was_picked_up_and_dropped() -> None:
    state = play(begin(draw(DOOR_AHEAD, d=door("red"), k=key("red"))), "RPDLT")
    assert state.collected_keys == {"k"}
    assert state.open_doors == set()


def test_any_key_of_the_colour_opens_the_door() -> None:
    task = draw("######\n#@d.l#\n#k..G#\n######", d=door("red"), k=key("red"), l=key("red"))
    assert play(begin(task), FETCH + "T").open_doors == {"d"}


def test_the_key_is_used_up_with_key_consumption() -> None:
    task = draw(DOOR_AHEAD, d=door("red"), k=key("red"), rules={"key_consumption": True})
    episode = begin(task)
    state = play(episode, FETCH + "T")
    assert state.open_doors == {"d"}
    assert state.agent_carrying is None
    assert episode.world.cells_of(episode.state, episode.world.by_id["k"]) == ()


def test_a_key_that_is_used_up_cannot_be_dropped() -> None:
    task = draw(DOOR_AHEAD, d=door("red"), k=key("red"), rules={"key_consumption": True})
    episode = begin(task)
    play(episode, FETCH + "TRD")
    assert episode.world.cells_of(episode.state, episode.world.by_id["k"]) == ()


@pytest.mark.parametrize(
    ("rules", "carried"), [({}, None), ({"key_consumption": True}, None), ({"key_consumption": False}, "k")], ids=str
)
def test_the_key_is_used_up_unless_the_task_says_otherwise(rules: dict[str, Any], carried: str | None) -> None:
    state = play(begin(draw(DOOR_AHEAD, d=door("red"), k=key("red"), rules=rules)), FETCH + "T")
    assert state.agent_carrying == carried


def test_a_key_is_not_used_up_by_a_door_that_is_not_locked() -> None:
    task = draw(DOOR_AHEAD, d=door("red", "closed"), k=key("red"), rules={"key_consumption": True})
    state = play(begin(task), FETCH + "T")
    assert state.open_doors == {"d"}
    assert state.agent_carrying == "k"


def test_an_unlocked_door_swings_open_and_shut() -> None:
    episode = begin(corridor("@d.G", d=door("red", "closed")))
    assert play(episode, "T").open_doors == {"d"}
    assert play(episode, "T").open_doors == set()
    assert play(episode, "F").agent_position == (1, 1)
    assert play(episode, "TF").agent_position == (2, 1)


def test_a_door_that_starts_open_swings_shut() -> None:
    assert play(begin(corridor("@d.G", d=door(initial_state="open"))), "TF").agent_position == (1, 1)


def test_a_door_that_was_unlocked_stays_unlocked_when_it_is_shut() -> None:
    task = draw(DOOR_AHEAD, d=door("red"), k=key("red"), rules={"key_consumption": True})
    episode = begin(task)
    assert play(episode, FETCH + "TT").open_doors == set()
    assert play(episode, "T").open_doors == {"d"}


@pytest.mark.parametrize(("initial_state", "is_open"), [("closed", False), ("open", True)])
def test_gates_never_answer_to_toggle(initial_state: str, is_open: bool) -> None:
    episode = begin(corridor("@g.G", g=gate(initial_state)))
    before = episode.state.key
    assert ("g" in play(episode, "T").open_gates) == is_open
    assert episode.state.key == before


# --- keys ------------------------------------------------------------------------------------------------------


def test_collected_keys_starts_empty_and_holds_a_key_in_the_hand() -> None:
    episode = begin(corridor("@k.G", k=key()))
    assert look(episode).collected_keys == set()
    assert play(episode, "P").collected_keys == {"k"}


def test_collected_keys_holds_a_dropped_key() -> None:
    assert play(begin(corridor("@k.G", k=key())), "PD").collected_keys == {"k"}


def test_collected_keys_holds_a_used_key() -> None:
    task = draw(DOOR_AHEAD, d=door("red"), k=key("red"), rules={"key_consumption": True})
    assert play(begin(task), FETCH + "T").collected_keys == {"k"}


def test_collected_keys_holds_every_key_ever_picked_up() -> None:
    task = draw("#####\n#@k.#\n#l.G#\n#####", k=key(), l=key("blue"))
    state = play(begin(task), "PDRP")
    assert state.collected_keys == {"k", "l"}
    assert state.agent_carrying == "l"


def test_agent_carrying_is_the_id_of_the_held_object() -> None:
    data = describe("#####\n#@kG#\n#####", k=key("red"))
    data["mechanisms"]["keys"][0]["id"] = "the old key"
    assert play(begin(TaskSpecification.from_dict(data)), "P").agent_carrying == "the old key"


# --- switches --------------------------------------------------------------------------------------------------


def test_a_toggle_switch_flips_at_each_use() -> None:
    episode = begin(corridor("@s.G", s=switch(switch_type="toggle")))
    seen = ["s" in play(episode, "T").active_switches for _ in range(4)]
    assert seen == [True, False, True, False]


def test_a_toggle_switch_that_starts_on_flips_off() -> None:
    episode = begin(corridor("@s.G", s=switch(initial_state="on")))
    assert look(episode).active_switches == {"s"}
    assert play(episode, "T").active_switches == set()


def test_a_toggle_switch_does_not_feel_steps() -> None:
    assert play(begin(corridor("@s.G", s=switch(switch_type="toggle"))), "F").active_switches == set()


def test_a_one_shot_switch_goes_on_once_and_stays() -> None:
    episode = begin(corridor("@s.G", s=switch(switch_type="one_shot")))
    seen = ["s" in play(episode, "T").active_switches for _ in range(3)]
    assert seen == [True, True, True]


def test_a_one_shot_switch_that_starts_on_stays_on() -> None:
    episode = begin(corridor("@s.G", s=switch(switch_type="one_shot", initial_state="on")))
    assert play(episode, "T").active_switches == {"s"}


def test_a_one_shot_switch_does_not_feel_steps() -> None:
    assert play(begin(corridor("@s.G", s=switch(switch_type="one_shot"))), "F").active_switches == set()


def test_a_hold_switch_is_on_while_the_agent_stands_on_it() -> None:
    episode = begin(corridor("@s.G", s=switch(switch_type="hold")))
    assert play(episode, "F").active_switches == {"s"}
    assert play(episode, "LWR").active_switches == {"s"}
    assert play(episode, "F").active_switches == set()


def test_a_hold_switch_is_on_while_a_block_stands_on_it() -> None:
    episode = begin(corridor("@bs..G", b=block(), s=switch(switch_type="hold")))
    assert play(episode, "F").active_switches == {"s"}
    assert play(episode, "W").active_switches == {"s"}


def test_a_hold_switch_stays_on_when_the_agent_takes_the_place_of_the_block() -> None:
    episode = begin(corridor("@bs..G", b=block(), s=switch(switch_type="hold")))
    assert play(episode, "FF").active_switches == {"s"}
    assert play(episode, "F").active_switches == set()


def test_a_hold_switch_does_not_answer_to_toggle() -> None:
    assert play(begin(corridor("@s.G", s=switch(switch_type="hold"))), "T").active_switches == set()


def test_a_hold_switch_with_the_agent_on_it_does_not_answer_to_toggle() -> None:
    assert play(begin(corridor("@s.G", s=switch(switch_type="hold"))), "FT").active_switches == {"s"}


def test_a_hold_switch_with_nothing_on_it_is_off_from_the_start() -> None:
    task = corridor("@s.gG", s=switch("g", switch_type="hold", initial_state="on"), g=gate())
    state = look(begin(task))
    assert state.active_switches == set()
    assert state.open_gates == set()


@pytest.mark.parametrize(
    ("switch_type", "after_one_toggle", "after_two_toggles"),
    [("toggle", {"s"}, set()), ("one_shot", {"s"}, {"s"}), ("hold", set(), set())],
)
def test_a_switch_that_names_no_type_has_that_of_the_rules(
    switch_type: str, after_one_toggle: set[str], after_two_toggles: set[str]
) -> None:
    episode = begin(corridor("@s.G", s=switch(), rules={"switch_type": switch_type}))
    assert play(episode, "T").active_switches == after_one_toggle
    assert play(episode, "T").active_switches == after_two_toggles


def test_a_switch_that_names_no_type_is_a_toggle_switch_where_the_rules_name_none() -> None:
    assert play(begin(corridor("@s.G", s=switch())), "TT").active_switches == set()


def test_the_type_that_a_switch_names_goes_before_that_of_the_rules() -> None:
    task = corridor("@s.G", s=switch(switch_type="one_shot"), rules={"switch_type": "hold"})
    assert play(begin(task), "TT").active_switches == {"s"}


@pytest.mark.parametrize("switch_type", ["toggle", "hold", "one_shot"])
def test_switches_can_be_stood_on(switch_type: str) -> None:
    assert play(begin(corridor("@s.G", s=switch(switch_type=switch_type))), "F").agent_position == (2, 1)


@pytest.mark.parametrize("initial_state", ["on", "off"])
def test_switches_do_not_block_sight(initial_state: str) -> None:
    world = compiled(corridor("@s.G", s=switch(initial_state=initial_state)))
    assert world.opaque_cells(world.start) == world.walls


# --- gates -----------------------------------------------------------------------------------------------------


def test_a_gate_is_closed_by_default() -> None:
    data = describe("#####\n#@gG#\n#####", g=gate())
    del data["mechanisms"]["gates"][0]["initial_state"]
    assert look(begin(TaskSpecification.from_dict(data))).open_gates == set()


def test_a_gate_that_is_initially_open_stays_open_whatever_its_switch_does() -> None:
    episode = begin(corridor("@s.gG", s=switch("g"), g=gate("open")))
    assert look(episode).open_gates == {"g"}
    assert play(episode, "T").open_gates == {"g"}
    assert play(episode, "T").open_gates == {"g"}


def test_a_gate_is_open_while_its_switch_is_on() -> None:
    episode = begin(corridor("@s.gG", s=switch("g"), g=gate()))
    assert look(episode).open_gates == set()
    assert play(episode, "T").open_gates == {"g"}
    assert play(episode, "T").open_gates == set()


def test_a_gate_is_open_from_the_start_when_its_switch_starts_on() -> None:
    episode = begin(corridor("@s.gG", s=switch("g", initial_state="on"), g=gate()))
    assert look(episode).open_gates == {"g"}
    assert play(episode, "T").open_gates == set()


def test_a_gate_is_open_when_any_of_its_switches_is_on() -> None:
    task = draw("######\n#@s..#\n#t.gG#\n######", s=switch("g"), t=switch("g"), g=gate())
    episode = begin(task)
    assert play(episode, "T").open_gates == {"g"}
    assert play(episode, "RT").open_gates == {"g"}
    assert play(episode, "LT").open_gates == {"g"}
    assert play(episode, "RT").open_gates == set()


def test_a_switch_opens_all_gates_that_it_controls_and_no_other() -> None:
    task = corridor("@sghiG", s=switch("g", "h"), g=gate(), h=gate(), i=gate())
    assert play(begin(task), "T").open_gates == {"g", "h"}


def test_a_gate_with_the_agent_in_it_stays_open_until_it_is_clear() -> None:
    episode = begin(corridor("@sg.G", s=switch("g", switch_type="hold"), g=gate()))
    state = play(episode, "FF")
    assert state.agent_position == (3, 1)
    assert state.active_switches == set()
    assert state.open_gates == {"g"}
    assert play(episode, "WLR").open_gates == {"g"}
    assert play(episode, "F").open_gates == set()


def test_a_gate_with_a_block_in_it_stays_open_until_it_is_clear() -> None:
    world = compiled(corridor("@sg..bG", s=switch("g", initial_state="on"), g=gate(), b=block()))
    state = world.start.with_place(world.by_id["b"].index, world.by_id["g"].cells[0])
    gate_after = []
    for letter in "TFFF":  # switch off, step on the switch, push the block on and stand in the gate, leave it
        state, _ = transition(world, state, LETTERS[letter])
        gate_after.append(value_of(world, state, "g"))
    assert value_of(world, state, "s") == "off"
    assert gate_after == ["open", "open", "open", "closed"]


def test_a_closed_gate_does_not_open_because_something_is_in_it() -> None:
    world = compiled(corridor("@.g.bG", g=gate(), b=block()))
    in_gate = world.start.with_place(world.by_id["b"].index, world.by_id["g"].cells[0])
    after, _ = transition(world, in_gate, Action.MOVE_FORWARD)
    assert value_of(world, after, "g") == "closed"


# --- teleporters -----------------------------------------------------------------------------------------------


def test_entering_position_a_puts_the_agent_on_position_b() -> None:
    state = play(begin(corridor("@a.bG", ab=teleporter())), "F")
    assert state.agent_position == (4, 1)
    assert state.agent_direction == 0


@pytest.mark.parametrize("bidirectional", [True, False])
def test_entering_position_b_leads_back_if_bidirectional(bidirectional: bool) -> None:
    state = play(begin(corridor("@b.aG", ab=teleporter(bidirectional))), "F")
    assert state.agent_position == ((4, 1) if bidirectional else (2, 1))


def test_teleporters_are_bidirectional_by_default() -> None:
    data = describe("#######\n#@b.aG#\n#######", ab=teleporter())
    del data["mechanisms"]["teleporters"][0]["bidirectional"]
    assert play(begin(TaskSpecification.from_dict(data)), "F").agent_position == (4, 1)


def test_the_arrival_side_has_a_cooldown_of_one_step() -> None:
    episode = begin(corridor("@a.b.G", ab=teleporter()))
    assert look(episode).teleporter_cooldowns == {}
    assert play(episode, "F").teleporter_cooldowns == {"ab": 1}
    assert play(episode, "W").teleporter_cooldowns == {}


@pytest.mark.parametrize(("value", "position"), [("cooling at b", (4, 1)), ("ready", (2, 1))])
def test_entering_the_arrival_side_while_it_cools_does_not_teleport(value: str, position: tuple[int, int]) -> None:
    world = compiled(corridor("@a.b.G", ab=teleporter()))
    entity = world.by_id["ab"]
    beside = world.start.at(cell_named(world, (3, 1))).with_value(entity.index, entity.type.values.index(value))
    after, _ = transition(world, beside, Action.MOVE_FORWARD)
    assert world.topology.lattice[after.cell] == position


def test_only_the_arrival_side_has_a_cooldown() -> None:
    episode = begin(draw("#####\n#@b.#\n#.aG#\n#####", ab=teleporter(bidirectional=False)))
    assert play(episode, "FRF").agent_position == (2, 1)
    again = episode.step(Action.MOVE_FORWARD)
    assert Teleported in map(type, again)
    assert look(episode).agent_position == (2, 1)


def test_an_agent_that_leaves_and_comes_back_is_teleported_again() -> None:
    episode = begin(corridor("@a.b.G", ab=teleporter()))
    assert play(episode, "FF").agent_position == (5, 1)
    assert play(episode, "LLF").agent_position == (2, 1)


@pytest.mark.parametrize("letters", ["W", "L", "R", "WW", "LRLR", "P", "D", "T"])
def test_nobody_is_teleported_by_standing_still_or_turning(letters: str) -> None:
    assert play(begin(corridor("@a.b.G", ab=teleporter())), "F" + letters).agent_position == (4, 1)


def test_nobody_is_teleported_by_bumping() -> None:
    assert play(begin(corridor("@a.b#G", ab=teleporter())), "FFFF").agent_position == (4, 1)


def test_a_blocked_teleporter_exit_makes_it_plain_floor_for_that_step() -> None:
    world = compiled(corridor("@a.b.cG", ab=teleporter(), c=block()))
    exit_cell = cell_named(world, (4, 1))
    blocked = world.start.with_place(world.by_id["c"].index, exit_cell)
    on_floor, events = transition(world, blocked, Action.MOVE_FORWARD)
    assert world.topology.lattice[on_floor.cell] == (2, 1)
    assert Teleported not in map(type, events)
    assert value_of(world, on_floor, "ab") == "ready"


def test_an_exit_that_becomes_free_does_not_teleport_who_is_standing_there() -> None:
    world = compiled(corridor("@a.b.cG", ab=teleporter(), c=block()))
    on_entrance = world.start.at(cell_named(world, (2, 1)))
    waited, _ = transition(world, on_entrance, Action.DONE)
    assert world.topology.lattice[waited.cell] == (2, 1)


def test_a_teleporter_works_again_after_its_exit_was_blocked() -> None:
    world = compiled(corridor("@a.b.cG", ab=teleporter(), c=block()))
    block_index, free_cell = world.by_id["c"].index, cell_named(world, (6, 1))
    on_floor, _ = transition(world, world.start.with_place(block_index, cell_named(world, (4, 1))), Action.MOVE_FORWARD)
    unblocked = on_floor.with_place(block_index, free_cell).at(world.start.cell)
    arrived, _ = transition(world, unblocked, Action.MOVE_FORWARD)
    assert world.topology.lattice[arrived.cell] == (4, 1)


# --- hazards, reward and the end -------------------------------------------------------------------------------


@pytest.mark.parametrize("hazard_type", HAZARD_TYPES)
def test_a_hazard_ends_the_episode_with_reward_0_and_never_with_success(hazard_type: str) -> None:
    episode = begin(corridor("@h.G", h=hazard(hazard_type)))
    events = episode.step(Action.MOVE_FORWARD)
    state = look(episode)
    assert state.agent_position == (2, 1)
    assert (state.terminated, state.truncated, state.goal_reached) == (True, False, False)
    assert state.reward == 0
    assert events[-1] == Died("h")


@pytest.mark.parametrize(
    ("row", "letters", "steps", "max_steps"), [("@G", "F", 1, 10), ("@.G", "LRFF", 4, 10), ("@G", "F", 1, 1)]
)
def test_the_reward_of_a_success_is_minigrids_counted_after_the_step(
    row: str, letters: str, steps: int, max_steps: int
) -> None:
    state = play(begin(corridor(row, max_steps=max_steps)), letters)
    assert state.goal_reached
    assert state.reward == pytest.approx(1 - 0.9 * steps / max_steps)


def test_the_reward_of_every_other_step_is_0() -> None:
    episode = begin(corridor("@k..G", k=key(), max_steps=9))
    assert [play(episode, letter).reward for letter in "PFDPLRWFF"] == [0] * 9


def test_an_episode_is_truncated_at_max_steps() -> None:
    episode = begin(corridor("@.G", max_steps=3))
    assert not play(episode, "WW").truncated
    state = play(episode, "W")
    assert (state.terminated, state.truncated) == (False, True)
    assert state.step_count == 3
    assert state.reward == 0


def test_an_episode_that_succeeds_on_its_last_step_is_terminated_not_truncated() -> None:
    state = play(begin(corridor("@.G", max_steps=2)), "FF")
    assert (state.terminated, state.truncated, state.goal_reached) == (True, False, True)
    assert state.reward == pytest.approx(0.1)


def test_an_episode_that_dies_on_its_last_step_is_terminated_without_success() -> None:
    state = play(begin(corridor("@h.G", h=hazard(), max_steps=1)), "F")
    assert state.terminated
    assert not state.goal_reached
    assert state.reward == 0


# --- Goals -----------------------------------------------------------------------------------------------------


def test_reach_position_is_reached_on_its_target() -> None:
    task = corridor("@t.G", goal={"type": "reach_position", "target": "t"})
    state = play(begin(task), "F")
    assert (state.terminated, state.goal_reached) == (True, True)


def test_reach_position_without_a_target_is_reached_on_the_goal_of_the_maze() -> None:
    episode = begin(corridor("@.G"))
    assert not play(episode, "F").goal_reached
    assert play(episode, "F").goal_reached


def test_the_goal_of_the_maze_does_nothing_where_another_target_is_given() -> None:
    state = play(begin(corridor("@G.t", goal={"type": "reach_position", "target": "t"})), "F")
    assert state.agent_position == (2, 1)
    assert not state.terminated


KEY_AND_SWITCH = """
    ######
    #@k.G#
    #s...#
    ######
"""


def test_collect_all_needs_every_target_key_collected() -> None:
    task = draw("#####\n#@k.#\n#l.G#\n#####", k=key(), l=key(), goal={"type": "collect_all", "target_ids": ["k", "l"]})
    episode = begin(task)
    assert not play(episode, "PD").terminated
    assert play(episode, "RP").goal_reached


def test_collect_all_does_not_need_a_key_that_is_no_target() -> None:
    task = draw("#####\n#@k.#\n#l.G#\n#####", k=key(), l=key(), goal={"type": "collect_all", "target_ids": ["k"]})
    assert play(begin(task), "P").goal_reached


def test_collect_all_counts_keys_that_were_dropped() -> None:
    goal = {"type": "collect_all", "target_ids": ["k", "s"]}
    assert play(begin(draw(KEY_AND_SWITCH, k=key(), s=switch(), goal=goal)), "PDRT").goal_reached


def test_collect_all_counts_keys_that_were_used_up() -> None:
    task = draw(
        "######\n#@d.s#\n#k..G#\n######",
        d=door("red"),
        k=key("red"),
        s=switch(),
        rules={"key_consumption": True},
        goal={"type": "collect_all", "target_ids": ["k", "s"]},
    )
    state = play(begin(task), FETCH + "TFFT")
    assert state.agent_carrying is None
    assert state.goal_reached


def test_collect_all_needs_every_target_switch_on() -> None:
    goal = {"type": "collect_all", "target_ids": ["k", "s"]}
    episode = begin(draw(KEY_AND_SWITCH, k=key(), s=switch(), goal=goal))
    assert not play(episode, "P").terminated
    assert play(episode, "RT").goal_reached


def test_collect_all_does_not_count_a_switch_that_has_gone_off_again() -> None:
    goal = {"type": "collect_all", "target_ids": ["k", "s"]}
    episode = begin(draw(KEY_AND_SWITCH, k=key(), s=switch(), goal=goal))
    assert not play(episode, "RTTLP").terminated
    assert play(episode, "RT").goal_reached


@pytest.mark.parametrize("name", ["nothing", "b", "d", "g"])
def test_collect_all_refuses_ids_that_are_neither_key_nor_switch(name: str) -> None:
    task = draw(
        "#######\n#@k.bG#\n#s.gd.#\n#######",
        k=key(),
        s=switch(),
        b=block(),
        g=gate(),
        d=door(initial_state="open"),
        goal={"type": "collect_all", "target_ids": ["k", name]},
    )
    valid, problems = task.validate()
    assert not valid
    assert [problem.split(": ")[0] for problem in problems] == ["goal.target_ids[1]"]


TWO_BLOCKS = """
    ########
    #@bt...#
    #.cu..G#
    ########
"""
BOTH_BLOCKS = {"type": "push_block_to", "target_ids": ["b", "c"], "target_positions": ["t", "u"]}


def test_push_block_to_is_reached_when_the_block_stands_on_its_target() -> None:
    task = corridor("@bt.G", b=block(), goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]})
    assert play(begin(task), "F").goal_reached


def test_push_block_to_needs_all_blocks_on_their_targets() -> None:
    episode = begin(draw(TWO_BLOCKS, b=block(), c=block(), goal=BOTH_BLOCKS))
    assert not play(episode, "F").terminated
    assert play(episode, "LLFLFLF").goal_reached


def test_push_block_to_needs_all_blocks_on_their_targets_at_once() -> None:
    episode = begin(draw(TWO_BLOCKS, b=block(), c=block(), goal=BOTH_BLOCKS))
    state = play(episode, "FF LLFF LFLF")
    assert state.block_positions == {"b": (4, 1), "c": (3, 2)}
    assert not state.terminated


def test_push_block_to_pairs_each_block_with_the_target_of_the_same_place_in_the_list() -> None:
    crossed = {"type": "push_block_to", "target_ids": ["b", "c"], "target_positions": ["u", "t"]}
    state = play(begin(draw(TWO_BLOCKS, b=block(), c=block(), goal=crossed)), "F LLFLFLF")
    assert state.block_positions == {"b": (3, 1), "c": (3, 2)}
    assert not state.terminated


def test_push_block_to_is_not_reached_by_the_agent_on_the_target() -> None:
    task = draw(
        "######\n#@t..#\n#b.G.#\n######",
        b=block(),
        goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]},
    )
    assert not play(begin(task), "F").terminated


def test_survive_steps_terminates_with_success_and_reward_1_at_max_steps() -> None:
    episode = begin(corridor("@.G", goal={"type": "survive_steps"}, max_steps=3))
    assert not play(episode, "WF").terminated
    state = play(episode, "L")
    assert (state.terminated, state.truncated, state.goal_reached) == (True, False, True)
    assert state.reward == 1


def test_survive_steps_is_lost_by_dying() -> None:
    state = play(begin(corridor("@.hG", h=hazard(), goal={"type": "survive_steps"}, max_steps=5)), "FF")
    assert (state.terminated, state.goal_reached, state.reward) == (True, False, 0)


@pytest.mark.parametrize(
    "goal",
    [
        {"type": "reach_position", "target": "t"},
        {"type": "collect_all", "target_ids": ["k"]},
        {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]},
        {"type": "survive_steps"},
    ],
    ids=lambda goal: goal["type"],
)
def test_the_goal_of_the_maze_is_plain_floor_in_a_task_whose_goal_is_no_place(goal: dict[str, Any]) -> None:
    episode = begin(draw("######\n#@G..#\n#.bt.#\n#...k#\n######", k=key(), b=block(), goal=goal))
    state = play(episode, "FW")
    assert state.agent_position == (2, 1)
    assert not state.terminated
    assert episode.look(cell_named(episode.world, (2, 1))) == CellLook()


# --- Bad input -------------------------------------------------------------------------------------------------


def broken_data() -> dict[str, Any]:
    """A task with one problem in each of three places, all of them for `validate` to find."""
    data = describe("#######\n#@k.dG#\n#######", k=key("blue"), d=door("red"), max_steps=0)
    data["rules"]["view_size"] = 4
    return data


BROKEN_PLACES = ["mechanisms.doors[0].requires_key", "max_steps", "rules.view_size"]


def test_a_task_that_cannot_be_is_refused_with_every_problem_named_by_its_place() -> None:
    task = TaskSpecification.from_dict(broken_data())
    valid, problems = task.validate()
    assert not valid
    assert [problem.split(": ")[0] for problem in problems] == BROKEN_PLACES


def test_a_task_that_cannot_be_is_not_half_built() -> None:
    with pytest.raises(InvalidTaskError) as caught:
        compiled(TaskSpecification.from_dict(broken_data()))
    assert [problem.path for problem in caught.value.problems] == BROKEN_PLACES
    for place in BROKEN_PLACES:
        assert place in str(caught.value)


def test_a_malformed_file_is_refused_with_every_problem_named_by_its_place() -> None:
    data = describe("#######\n#@k.dG#\n#######", k=key("red"), d=door("red"))
    data["seed"] = "one"
    data["mechanisms"]["doors"][0]["requires_key"] = "scarlet"
    data["mechanisms"]["keys"][0]["position"] = [1]
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_dict(data)
    assert {problem.path for problem in caught.value.problems} == {
        "seed",
        "mechanisms.doors[0].requires_key",
        "mechanisms.keys[0].position",
    }


def test_an_unknown_field_is_refused_with_the_nearest_known_one() -> None:
    data = describe("####\n#@G#\n####")
    data["max_step"] = 5
    with pytest.raises(TaskFormatError, match=r"max_step: unknown field \(did you mean 'max_steps'\?\)"):
        TaskSpecification.from_dict(data)


def test_unknown_fields_inside_metadata_are_read() -> None:
    data = describe("####\n#@G#\n####")
    data["metadata"] = {"max_step": 5, "author": {"name": "someone"}}
    assert TaskSpecification.from_dict(data).metadata == {"max_step": 5, "author": {"name": "someone"}}


def test_an_unknown_mechanism_type_says_what_is_installed_and_that_a_plugin_may_be_missing() -> None:
    data = describe("####\n#@G#\n####")
    data["mechanisms"]["portcullises"] = [{"id": "p", "position": [1, 1]}]
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_dict(data)
    (problem,) = caught.value.problems
    assert problem.path == "mechanisms.portcullises"
    assert "installed: blocks, doors, gates, hazards, keys, switches, teleporters" in problem.message
    assert "A plugin that provides it may be missing" in problem.message


def test_an_unknown_goal_type_says_what_is_installed_and_that_a_plugin_may_be_missing() -> None:
    valid, problems = draw("####\n#@G#\n####", goal={"type": "visit_all"}).validate()
    assert not valid
    (problem,) = problems
    assert problem.startswith("goal.type: unknown goal 'visit_all'")
    assert "installed: collect_all, push_block_to, reach_position, survive_steps" in problem
    assert "A plugin that provides it may be missing" in problem


def test_an_unknown_goal_type_with_fields_of_its_own_also_says_that_a_plugin_may_be_missing() -> None:
    data = describe("####\n#@G#\n####", goal={"type": "visit_all", "waypoints": [[1, 1]]})
    with pytest.raises(TaskFormatError, match="A plugin that provides it may be missing"):
        TaskSpecification.from_dict(data)


def test_a_new_episode_starts_from_the_start_again() -> None:
    episode = begin(corridor("@k.G", k=key()))
    start = episode.state
    play(episode, "PF")
    assert episode.reset() == start
    assert look(episode).step_count == 0
    assert play(episode, "P").agent_carrying == "k"
