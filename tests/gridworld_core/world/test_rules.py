"""The kernel: what each action reports, how a world is compiled, and how an episode is held."""

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
    """Number of a cell of a corridor."""
    return y * (row_length + 2) + x


# --- Events ----------------------------------------------------------------------------------------------------

LOCKED_ROOM = draw("#####\n#@d.#\n#k.G#\n#####", d=door("red"), k=key("red"))
KEPT_KEY = draw("#####\n#@d.#\n#k.G#\n#####", d=door("red"), k=key("red"), rules={"key_consumption": False})
CLOSED_DOOR = corridor("@d.G", d=door(initial_state="closed"))
SWITCH = corridor("@sghG", s=switch("h", "g"), g=gate(), h=gate())
ONE_SHOT = corridor("@s.G", s=switch(switch_type="one_shot"))
BLOCKED = NoEffect("there is nothing to pick up in front")


@pytest.mark.parametrize(
    ("task", "letters", "action", "events"),
    [
        (corridor("@.G"), "", LEFT, [Turned(cell(3, 1), False)]),
        (corridor("@.G"), "", RIGHT, [Turned(cell(3, 1), True)]),
        (corridor("@.G"), "", FORWARD, [Moved(cell(3, 1), cell(3, 2))]),
        (corridor("@.G"), "F", FORWARD, [Moved(cell(3, 2), cell(3, 3)), Succeeded()]),
        (corridor("@.G"), "", DONE, [Waited()]),
        (corridor("@.G", max_steps=1), "", DONE, [Waited()]),
        (corridor(".@#G"), "", FORWARD, [Bumped(None)]),
        (corridor("@x.G", x=key()), "", FORWARD, [Bumped("x")]),
        (corridor("@x.G", x=door(initial_state="closed")), "", FORWARD, [Bumped("x")]),
        (corridor("@x.G", x=gate()), "", FORWARD, [Bumped("x")]),
        (corridor("@x.G", x=block(pushable=False)), "", FORWARD, [Bumped("x")]),
        (corridor("@x#G", x=block()), "", FORWARD, [Bumped("x")]),
        (
            corridor("@x.G", x=block()),
            "",
            FORWARD,
            [Pushed("x", cell(4, 2), cell(4, 3)), Moved(cell(4, 1), cell(4, 2))],
        ),
        (corridor("@hG", h=hazard()), "", FORWARD, [Moved(cell(3, 1), cell(3, 2)), Died("h")]),
        (
            corridor("@a.bG", ab=teleporter()),
            "",
            FORWARD,
            [Moved(cell(5, 1), cell(5, 2)), Teleported("ab", cell(5, 2), cell(5, 4))],
        ),
        (corridor("@k.G", k=key()), "", PICKUP, [PickedUp("k", cell(4, 2))]),
        (corridor("@.kG", k=key()), "", PICKUP, [BLOCKED]),
        (corridor("@k.lG", k=key(), l=key()), "PF", PICKUP, [BLOCKED]),
        (corridor("@klG", k=key(), l=key()), "PF", PICKUP, [NoEffect("the hand is full")]),
        (corridor("@k.G", k=key()), "P", DROP, [Dropped("k", cell(4, 2))]),
        (corridor("@k.G", k=key()), "", DROP, [NoEffect("the hand is empty")]),
        (corridor("@k#G", k=key()), "PF", DROP, [NoEffect("there is no free floor in front")]),
        (corridor("@k.G", k=key()), "P", TOGGLE, [NoEffect("there is nothing to toggle")]),
        (LOCKED_ROOM, "", TOGGLE, [NoEffect("the door is locked and its key is not in the hand")]),
        (LOCKED_ROOM, "RPL", TOGGLE, [Unlocked("d", (7,)), Opened("d", (7,)), KeyUsed("k")]),
        (KEPT_KEY, "RPL", TOGGLE, [Unlocked("d", (7,)), Opened("d", (7,))]),
        (CLOSED_DOOR, "", TOGGLE, [Opened("d", (cell(4, 2),))]),
        (CLOSED_DOOR, "T", TOGGLE, [Closed("d", (cell(4, 2),))]),
        (
            SWITCH,
            "",
            TOGGLE,
            [Switched("s", (cell(5, 2),), True), Opened("g", (cell(5, 3),)), Opened("h", (cell(5, 4),))],
        ),
        (
            SWITCH,
            "T",
            TOGGLE,
            [Switched("s", (cell(5, 2),), False), Closed("g", (cell(5, 3),)), Closed("h", (cell(5, 4),))],
        ),
        (ONE_SHOT, "T", TOGGLE, [NoEffect("the switch is on and stays on")]),
    ],
)
def test_events_of_an_action(task: TaskSpecification, letters: str, action: Action, events: list[Event]) -> None:
    episode = begin(task)
    play(episode, letters)
    assert episode.step(action) == tuple(events)


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
def test_cells_of_events(event: Event, cells: tuple[int, ...]) -> None:
    assert event.cells == cells


# --- Compiling -------------------------------------------------------------------------------------------------


def test_movable_entities_come_first() -> None:
    world = compiled(corridor("@dkgbsG", k=key(), b=block(), d=door(initial_state="open"), g=gate(), s=switch()))
    movable = world.entities[: len(world.start.places)]
    assert {entity.id for entity in movable} == {"k", "b"}
    assert [world.start.places[entity.index] for entity in movable] == [entity.cells[0] for entity in movable]
    assert [entity.index for entity in world.entities] == list(range(5))


def test_the_start_is_settled() -> None:
    world = compiled(corridor("@sgG", s=switch("g", initial_state="on"), g=gate()))
    assert world.by_id["g"].value_name(world.start) == "open"
    assert (world.start.steps, world.start.status, world.start.carried) == (0, Status.RUNNING, NOTHING)


def test_entities_by_cell() -> None:
    world = compiled(corridor("@k.dG", k=key(), d=door(initial_state="open")))
    assert world.thing_at(world.start, cell(5, 2)) == world.by_id["k"].index
    assert world.thing_at(world.start, cell(5, 4)) == world.by_id["d"].index
    assert world.thing_at(world.start, cell(5, 3)) == NOTHING
    assert [world.is_free(world.start, cell(5, x)) for x in range(7)] == [False, True, False, True, True, True, False]


def test_a_carried_key_has_no_cell() -> None:
    episode = begin(corridor("@k.G", k=key()))
    play(episode, "P")
    world, held = episode.world, episode.world.by_id["k"]
    assert episode.state.places[held.index] == GONE
    assert world.cells_of(episode.state, held) == ()
    assert world.thing_at(episode.state, cell(4, 2)) == NOTHING


def test_an_invalid_task_is_refused() -> None:
    task = corridor("@dG", d=door("red"))
    with pytest.raises(InvalidTaskError, match=r"mechanisms\.doors\[0\]\.requires_key") as caught:
        compile_world(task, square_topology(5, 3))
    assert caught.value.source == "drawn"


def test_a_goal_reached_at_the_start_is_refused() -> None:
    task = corridor("@s.G", s=switch(initial_state="on"), goal={"type": "collect_all", "target_ids": ["s"]})
    with pytest.raises(InvalidTaskError, match=r"goal\.target_ids: .* at the start"):
        compiled(task)


def test_the_goal_is_checked_on_the_settled_start() -> None:
    held = switch(switch_type="hold", initial_state="on")
    task = corridor("@s.G", s=held, goal={"type": "collect_all", "target_ids": ["s"]})
    assert compiled(task).start.status == Status.RUNNING


@pytest.mark.parametrize("budget", [0, 1 << 20])
def test_opaque_cells_survive_eviction(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld.support.caches.CACHE_BYTES", budget)
    world = compiled(corridor("@D.G", D=door("red", initial_state="closed")))
    (entity,) = world.entities
    opened = world.start.with_value(entity.index, entity.type.values.index("open"))
    first = world.opaque_cells(world.start)
    assert first == world.walls | set(entity.cells)
    assert world.opaque_cells(opened) == world.walls
    again = world.opaque_cells(world.start)
    assert again == first
    assert (again is first) == (budget > 0)


# --- Reward and episodes ---------------------------------------------------------------------------------------


def test_only_success_is_rewarded() -> None:
    world = compiled(corridor("@G", max_steps=10))
    won, _ = transition(world, world.start, FORWARD)
    assert reward_of(world, world.start) == 0
    assert reward_of(world, won) == pytest.approx(0.91)
    assert reward_of(world, won.ended(Status.DIED)) == 0


def test_an_episode_begins_with_reset() -> None:
    episode = Episode(compiled(corridor("@G")))
    with pytest.raises(NotResetError, match=r"reset\(\) must be called"):
        episode.step(FORWARD)
    with pytest.raises(NotResetError):
        _ = episode.state
    assert episode.reset() == episode.world.start


@pytest.mark.parametrize(
    ("task", "ended"),
    [
        (corridor("@G"), (True, False, True)),
        (corridor("@hG", h=hazard()), (True, False, False)),
        (corridor("@.G", max_steps=1), (False, True, False)),
    ],
)
def test_terminated_truncated_succeeded(task: TaskSpecification, ended: tuple[bool, bool, bool]) -> None:
    episode = begin(task)
    assert (episode.terminated, episode.truncated, episode.succeeded) == (False, False, False)
    episode.step(FORWARD)
    assert (episode.terminated, episode.truncated, episode.succeeded) == ended


def test_a_step_after_the_end_names_the_steps() -> None:
    episode = begin(corridor("@.G", max_steps=2))
    play(episode, "WW")
    with pytest.raises(EpisodeOver, match="ended after 2 steps"):
        episode.step(DONE)
