"""Acts beyond the seven external actions: walking backward and pushing."""

import random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import EpisodeOver, NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, State, World, acts, transition
from gridworld.world.events import (
    Bumped,
    Died,
    Discovered,
    Event,
    Moved,
    NoEffect,
    Pushed,
    Succeeded,
    Teleported,
    Turned,
)
from gridworld.world.mechanism_type import Entered, Trait
from gridworld.world.rules import perform
from gridworld.world.state import NOTHING
from support.worlds import (
    Thing,
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
    roaming_action,
    switch,
    tasks,
    teleporter,
)

ROOM = """
#######
#.....#
#..@.G#
#.....#
#######
"""


def kinds(events: tuple[Event, ...]) -> list[type[Event]]:
    return [type(event) for event in events]


# --- backward ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turns", "place"), [("", (2, 2)), ("R", (3, 1)), ("RR", (4, 2)), ("L", (3, 3))])
def test_backward_keeps_the_heading(turns: str, place: tuple[int, int]) -> None:
    episode = begin(draw(ROOM))
    heading = play(episode, turns).agent_direction
    (event,) = episode.perform(acts.move_backward)
    assert event == Moved(event.origin, event.target, backward=True)  # type: ignore[attr-defined]
    assert (look(episode).agent_position, look(episode).agent_direction) == (place, heading)


def test_sentences_of_moves() -> None:
    assert Moved(0, 1).sentence(str) == "moved one cell forward"
    assert Moved(0, 1, backward=True).sentence(str) == "moved one cell backward"


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (None, None),
        (key(), "x"),
        (block(), "x"),
        (block(pushable=False), "x"),
        (door("red", "closed"), "x"),
        (gate(), "x"),
    ],
)
def test_obstacles_of_a_step_backward(thing: Thing | None, name: str | None) -> None:
    things = {"x": thing} if thing else {}
    episode = begin(draw(f"#####\n#{'x' if thing else '#'}@G#\n#####", **things))
    before = look(episode)
    assert episode.perform(acts.move_backward) == (Bumped(name),)
    assert look(episode) == attrs.evolve(before, step_count=1)


def test_backward_into_a_teleporter() -> None:
    episode = begin(draw("######\n#a@bG#\n######", ab=teleporter()))
    assert kinds(episode.perform(acts.move_backward)) == [Moved, Teleported]
    assert (look(episode).agent_position, look(episode).agent_direction) == ((3, 1), 0)


@pytest.mark.parametrize(("picture", "end"), [("#h@.G#", Died), ("#G@..#", Succeeded)])
def test_backward_can_end_an_episode(picture: str, end: type[Event]) -> None:
    things = {"h": hazard()} if "h" in picture else {}
    episode = begin(draw(f"######\n{picture}\n######", **things))
    assert kinds(episode.perform(acts.move_backward)) == [Moved, end]


def test_backward_onto_a_hold_switch_opens_its_gate() -> None:
    episode = begin(draw("######\n#s@gG#\n######", s=switch("g", switch_type="hold"), g=gate()))
    episode.perform(acts.move_backward)
    assert look(episode).open_gates == {"g"}


def test_backward_discovers_only_what_is_behind() -> None:
    hidden = {"hidden_mechanisms": ["k", "c"]}
    episode = begin(draw("######\n#k@cG#\n######", k=key(), c=key(), rules=hidden))
    events = episode.perform(acts.move_backward)
    assert [event.entity for event in events if isinstance(event, Discovered)] == ["k"]


def seen_heading(world: World, state: State) -> list[int]:
    """The headings that the floor behind the agent is shown while it is stepped onto backward."""
    headings: list[int] = []

    def on_enter(world: World, state: State, entity: object) -> None:
        headings.append(state.heading)

    def admits(world: World, state: State, entity: object) -> bool:
        headings.append(state.heading)
        return True

    entities = tuple(
        attrs.evolve(each, type=attrs.evolve(each.type, on_enter=on_enter, admits=admits)) for each in world.entities
    )
    perform(attrs.evolve(world, entities=entities), state, acts.move_backward)
    return headings


def test_hooks_see_the_direction_of_travel() -> None:
    world = compiled(draw("#####\n#s@G#\n#####", s=switch()))
    assert seen_heading(world, world.start) == [2, 2]


def test_a_heading_set_by_on_enter_is_kept() -> None:
    world = compiled(draw("#####\n#s@G#\n#####", s=switch()))

    def turn(world: World, state: State, entity: object) -> Entered:
        return Entered(state.facing(1), (Turned(state.cell, True),), turned=True)

    (floor,) = world.entities
    turning = attrs.evolve(world, entities=(attrs.evolve(floor, type=attrs.evolve(floor.type, on_enter=turn)),))
    assert perform(turning, turning.start, acts.move_backward)[0].heading == 1


# --- push ------------------------------------------------------------------------------------------------------------


def test_push_moves_block_and_agent() -> None:
    episode = begin(corridor("@b.G", b=block()))
    assert kinds(episode.perform(acts.push)) == [Pushed, Moved]
    assert (look(episode).agent_position, look(episode).block_positions) == ((2, 1), {"b": (3, 1)})


@pytest.mark.parametrize("thing", [None, key(), block(pushable=False), door("red", "open"), switch()])
def test_push_without_a_block(thing: Thing | None) -> None:
    episode = begin(corridor("@x.G" if thing else "@..G", **({"x": thing} if thing else {})))
    before = look(episode)
    assert episode.perform(acts.push) == (NoEffect("there is nothing to push in front"),)
    assert look(episode) == attrs.evolve(before, step_count=1)


def test_push_discovers_what_is_in_front() -> None:
    episode = begin(corridor("@k.G", k=key(), rules={"hidden_mechanisms": ["k"]}))
    assert kinds(episode.perform(acts.push)) == [Discovered, NoEffect]


@given(tasks(goal_types=("push_block_to",)), st.integers(0, 10_000))
def test_push_equals_forward_into_a_block(task: TaskSpecification, seed: int) -> None:
    world, rng = compiled(task), random.Random(seed)
    state = world.start
    while not world.is_over(state) and state.steps < 60:
        pushed, forward = perform(world, state, acts.push), perform(world, state, acts.move_forward)
        ahead = world.ahead(state)
        thing = world.thing_at(state, ahead) if ahead >= 0 else NOTHING
        if thing != NOTHING and world.traits_of(state, thing) & Trait.PUSHABLE:
            assert pushed == forward
        else:
            assert (pushed[0].cell, pushed[0].places) == (state.cell, state.places)
        state = transition(world, state, roaming_action(world, state, rng))[0]


# --- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("act", [acts.move_backward, acts.push, acts.wait])
def test_no_act_before_reset_or_after_the_end(act: acts.Act) -> None:
    with pytest.raises(NotResetError):
        Episode(compiled(corridor("@.G"))).perform(act)
    over = begin(corridor("@G"))
    play(over, "F")
    before = over.state
    with pytest.raises(EpisodeOver):
        over.perform(act)
    assert over.state == before
