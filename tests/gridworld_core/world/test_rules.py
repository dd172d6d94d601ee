"""The kernel: what each action reports, how a world is compiled, and how an episode is held."""

from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.errors import EpisodeOver, InvalidTaskError, NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, Status, compile_world, square_topology, transition
from gridworld.world.events import (
    Bumped,
    Closed,
    Died,
    Dropped,
    Event,
    KeyUsed,
    Moved,
    NoEffect,
    Opened,
    PickedUp,
    Pushed,
    Succeeded,
    Switched,
    Teleported,
    Turned,
    Unlocked,
    Waited,
)
from gridworld.world.rules import reward_of
from gridworld.world.state import GONE, NOTHING
from support.worlds import begin, block, compiled, corridor, door, draw, gate, hazard, key, play, switch, teleporter

LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = Action


def cell(row_length: int, x: int, y: int = 1) -> int:
    """The number of a cell of a corridor."""
    return y * (row_length + 2) + x


def last_events(task: TaskSpecification, letters: str, action: Action) -> tuple[Event, ...]:
    """The events of an action that follows those of the letters."""
    episode = begin(task)
    play(episode, letters)
    return episode.step(action)


# --- Events ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("action", "right"), [(LEFT, False), (RIGHT, True)])
def test_a_turn_tells_its_sense(action: Action, right: bool) -> None:
    assert last_events(corridor("@.G"), "", action) == (Turned(cell(3, 1), right),)


def test_a_move_tells_both_cells() -> None:
    assert last_events(corridor("@.G"), "", FORWARD) == (Moved(cell(3, 1), cell(3, 2)),)


@pytest.mark.parametrize(
    ("row", "things", "entity"),
    [
        pytest.param(".@#G", {}, None, id="wall"),
        pytest.param("@k.G", {"k": key()}, "k", id="key"),
        pytest.param("@d.G", {"d": door(initial_state="closed")}, "d", id="door"),
        pytest.param("@g.G", {"g": gate()}, "g", id="gate"),
        pytest.param("@b.G", {"b": block(pushable=False)}, "b", id="fixed block"),
        pytest.param("@b#G", {"b": block()}, "b", id="block that cannot move"),
    ],
)
def test_a_bump_tells_what_stopped_the_agent(row: str, things: dict[str, Any], entity: str | None) -> None:
    assert last_events(corridor(row, **things), "", FORWARD) == (Bumped(entity),)


def test_a_push_tells_where_the_block_went_and_then_where_the_agent_went() -> None:
    assert last_events(corridor("@b.G", b=block()), "", FORWARD) == (
        Pushed("b", cell(4, 2), cell(4, 3)),
        Moved(cell(4, 1), cell(4, 2)),
    )


def test_a_pickup_tells_the_key_and_its_cell() -> None:
    assert last_events(corridor("@k.G", k=key()), "", PICKUP) == (PickedUp("k", cell(4, 2)),)


def test_a_drop_tells_the_key_and_its_cell() -> None:
    assert last_events(corridor("@k.G", k=key()), "P", DROP) == (Dropped("k", cell(4, 2)),)


@pytest.mark.parametrize(
    ("row", "letters", "action", "reason"),
    [
        ("@.kG", "", PICKUP, "there is nothing to pick up in front"),
        ("@k.lG", "PF", PICKUP, "there is nothing to pick up in front"),
        ("@klG", "PF", PICKUP, "the hand is full"),
        ("@k.G", "", DROP, "the hand is empty"),
        ("@k#G", "PF", DROP, "there is no free floor in front"),
        ("@k.G", "P", TOGGLE, "there is nothing to toggle"),
    ],
)
def test_an_action_without_effect_tells_why(row: str, letters: str, action: Action, reason: str) -> None:
    things = {name: key() for name in "kl" if name in row}
    assert last_events(corridor(row, **things), letters, action) == (NoEffect(reason),)


def test_a_toggle_of_a_locked_door_without_its_key_tells_that_it_is_locked() -> None:
    task = draw("#####\n#@d.#\n#k.G#\n#####", d=door("red"), k=key("red"))
    assert last_events(task, "", TOGGLE) == (NoEffect("the door is locked and its key is not in the hand"),)


@pytest.mark.parametrize("key_consumption", [True, False])
def test_unlocking_tells_of_the_lock_the_door_and_the_key(key_consumption: bool) -> None:
    task = draw(
        "#####\n#@d.#\n#k.G#\n#####",
        d=door("red"),
        k=key("red"),
        rules={"key_consumption": key_consumption},
    )
    unlocked = (Unlocked("d", (7,)), Opened("d", (7,)))
    assert last_events(task, "RPL", TOGGLE) == ((*unlocked, KeyUsed("k")) if key_consumption else unlocked)


def test_a_door_tells_when_it_opens_and_when_it_shuts() -> None:
    task = corridor("@d.G", d=door(initial_state="closed"))
    at = (cell(4, 2),)
    assert last_events(task, "", TOGGLE) == (Opened("d", at),)
    assert last_events(task, "T", TOGGLE) == (Closed("d", at),)


def test_a_switch_tells_of_itself_and_then_of_its_gates() -> None:
    task = corridor("@sghG", s=switch("h", "g"), g=gate(), h=gate())
    on, off = last_events(task, "", TOGGLE), last_events(task, "T", TOGGLE)
    assert on == (Switched("s", (cell(5, 2),), True), Opened("g", (cell(5, 3),)), Opened("h", (cell(5, 4),)))
    assert off == (Switched("s", (cell(5, 2),), False), Closed("g", (cell(5, 3),)), Closed("h", (cell(5, 4),)))


def test_a_one_shot_switch_that_is_on_tells_that_it_stays_on() -> None:
    assert last_events(corridor("@s.G", s=switch(switch_type="one_shot")), "T", TOGGLE) == (
        NoEffect("the switch is on and stays on"),
    )


def test_a_teleport_tells_both_ends_after_the_move() -> None:
    assert last_events(corridor("@a.bG", ab=teleporter()), "", FORWARD) == (
        Moved(cell(5, 1), cell(5, 2)),
        Teleported("ab", cell(5, 2), cell(5, 4)),
    )


def test_done_tells_that_the_agent_waited() -> None:
    assert last_events(corridor("@.G"), "", DONE) == (Waited(),)


def test_death_and_success_are_told_last() -> None:
    assert last_events(corridor("@hG", h=hazard()), "", FORWARD)[-1] == Died("h")
    assert last_events(corridor("@.G"), "F", FORWARD)[-1] == Succeeded()


def test_truncation_is_no_event() -> None:
    assert last_events(corridor("@.G", max_steps=1), "", DONE) == (Waited(),)


@pytest.mark.parametrize(
    ("event", "cells"),
    [
        (Turned(4, True), (4,)),
        (Moved(4, 5), (4, 5)),
        (Teleported("t", 4, 9), (4, 9)),
        (Pushed("b", 4, 5), (4, 5)),
        (PickedUp("k", 4), (4,)),
        (Dropped("k", 4), (4,)),
        (Unlocked("d", (4, 5)), (4, 5)),
        (Opened("d", (4, 5)), (4, 5)),
        (Closed("d", (4, 5)), (4, 5)),
        (Switched("s", (4,), True), (4,)),
        (Bumped("d"), ()),
        (Bumped(None), ()),
        (KeyUsed("k"), ()),
        (NoEffect("so"), ()),
        (Waited(), ()),
        (Died("h"), ()),
        (Succeeded(), ()),
    ],
    ids=repr,
)
def test_events_tell_the_cells_whose_look_may_have_changed(event: Event, cells: tuple[int, ...]) -> None:
    assert event.cells == cells


# --- Compiling -------------------------------------------------------------------------------------------------


def test_movable_things_come_first_so_that_their_index_is_that_of_their_place() -> None:
    world = compiled(corridor("@dkgbsG", k=key(), b=block(), d=door(initial_state="open"), g=gate(), s=switch()))
    movable = world.entities[: len(world.start.places)]
    assert {entity.id for entity in movable} == {"k", "b"}
    assert [world.start.places[entity.index] for entity in movable] == [entity.cells[0] for entity in movable]
    assert [entity.index for entity in world.entities] == list(range(5))


def test_a_block_that_cannot_be_pushed_is_fixed() -> None:
    world = compiled(corridor("@bG", b=block(pushable=False)))
    assert world.start.places == ()
    assert world.fixed_at[cell(3, 2)] == world.by_id["b"].index


def test_a_gate_knows_the_switches_that_control_it() -> None:
    world = compiled(corridor("@stgG", s=switch("g"), t=switch("g"), g=gate()))
    assert {world.entities[index].id for index in world.by_id["g"].controllers} == {"s", "t"}


def test_the_start_is_settled() -> None:
    world = compiled(corridor("@sgG", s=switch("g", initial_state="on"), g=gate()))
    assert world.by_id["g"].value_name(world.start) == "open"
    assert (world.start.steps, world.start.status, world.start.carried) == (0, Status.RUNNING, NOTHING)


def test_a_world_knows_what_is_where() -> None:
    world = compiled(corridor("@k.dG", k=key(), d=door(initial_state="open")))
    assert world.thing_at(world.start, cell(5, 2)) == world.by_id["k"].index
    assert world.thing_at(world.start, cell(5, 4)) == world.by_id["d"].index
    assert world.thing_at(world.start, cell(5, 3)) == NOTHING
    assert [world.is_free(world.start, cell(5, x)) for x in range(7)] == [False, True, False, True, True, True, False]


def test_what_is_carried_is_nowhere() -> None:
    episode = begin(corridor("@k.G", k=key()))
    play(episode, "P")
    world, held = episode.world, episode.world.by_id["k"]
    assert episode.state.places[held.index] == GONE
    assert world.cells_of(episode.state, held) == ()
    assert world.thing_at(episode.state, cell(4, 2)) == NOTHING


def test_the_target_is_marked_and_the_goal_of_the_maze_is_not() -> None:
    world = compiled(corridor("@.tG", goal={"type": "reach_position", "target": "t"}))
    assert set(world.marks) == {cell(4, 3)}


def test_a_key_can_be_dropped_on_the_goal_of_the_maze_where_it_is_plain_floor() -> None:
    task = corridor("@k.G", k=key(), goal={"type": "survive_steps"})
    assert play(begin(task), "PFFD").agent_carrying is None
    assert play(begin(corridor("@k.G", k=key())), "PFFD").agent_carrying == "k"


def test_a_task_that_cannot_be_is_not_compiled() -> None:
    task = corridor("@dG", d=door("red"))
    with pytest.raises(InvalidTaskError, match=r"mechanisms\.doors\[0\]\.requires_key") as caught:
        compile_world(task, square_topology(5, 3))
    assert caught.value.source == "drawn"


def test_a_goal_that_is_reached_at_the_start_is_not_compiled() -> None:
    task = corridor("@s.G", s=switch(initial_state="on"), goal={"type": "collect_all", "target_ids": ["s"]})
    with pytest.raises(InvalidTaskError, match=r"goal\.target_ids: .* at the start"):
        compiled(task)


def test_a_switch_that_would_be_on_but_goes_off_as_the_start_settles_is_no_goal_reached() -> None:
    held = switch(switch_type="hold", initial_state="on")
    task = corridor("@s.G", s=held, goal={"type": "collect_all", "target_ids": ["s"]})
    assert compiled(task).start.status == Status.RUNNING


# --- Reward and episodes ---------------------------------------------------------------------------------------


def test_the_reward_of_a_state_is_0_unless_it_is_a_success() -> None:
    world = compiled(corridor("@G", max_steps=10))
    won, _ = transition(world, world.start, FORWARD)
    assert reward_of(world, world.start) == 0
    assert reward_of(world, won) == pytest.approx(0.91)
    assert reward_of(world, won.ended(Status.DIED)) == 0


def test_an_episode_has_no_state_before_its_first_reset() -> None:
    episode = Episode(compiled(corridor("@G")))
    with pytest.raises(NotResetError, match=r"reset\(\) has to be called"):
        episode.step(FORWARD)
    with pytest.raises(NotResetError):
        _ = episode.state
    assert episode.reset() == episode.world.start


def test_an_episode_tells_how_it_ended() -> None:
    won, lost, late = (
        begin(corridor("@G")),
        begin(corridor("@hG", h=hazard())),
        begin(corridor("@.G", max_steps=1)),
    )
    for episode in (won, lost, late):
        assert (episode.terminated, episode.truncated, episode.succeeded) == (False, False, False)
        episode.step(FORWARD)
    assert (won.terminated, won.truncated, won.succeeded) == (True, False, True)
    assert (lost.terminated, lost.truncated, lost.succeeded) == (True, False, False)
    assert (late.terminated, late.truncated, late.succeeded) == (False, True, False)


def test_episodes_of_one_world_do_not_disturb_each_other() -> None:
    world = compiled(corridor("@k.G", k=key()))
    one, other = Episode(world), Episode(world)
    one.reset()
    other.reset()
    play(one, "PF")
    assert other.state == world.start


def test_an_episode_that_is_over_says_after_how_many_steps() -> None:
    episode = begin(corridor("@.G", max_steps=2))
    play(episode, "WW")
    with pytest.raises(EpisodeOver, match="ended after 2 steps"):
        episode.step(DONE)
