"""What an agent is shown of a world: the section "What is seen" of the page of rules, sentence by sentence."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.backends.looks import thing_glyph
from gridworld.drawing.glyphs import Glyph
from gridworld.task_spec import TaskSpecification
from gridworld.testing.walks import roaming_action
from gridworld.world import Episode, State, World
from gridworld.world.digest import digest
from gridworld.world.events import Discovered
from gridworld.world.goal_type import Mark
from gridworld.world.knowledge import shown_differently
from gridworld.world.looks import CellLook, look_at
from gridworld.world.mechanism_type import Trait
from gridworld.world.state import NOTHING
from support.thoroughness import bounded
from support.twins import (
    actions_of,
    as_it_looks,
    change_out_of_sight,
    perceived,
    perceptions,
    seen_in,
    with_rules,
)
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
    switch,
    tasks,
    teleporter,
)

PARTIAL = ("view_cone", "fog_of_war")
WAIT = {"type": "survive_steps"}
"""A goal that ends no episode early."""

Cells = set[tuple[int, int]]
seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(5, 80)


def under(mode: str, size: int = 7, *hidden: str) -> dict[str, Any]:
    """The rules of a way of seeing."""
    return {"observability": mode, "view_size": size, "hidden_mechanisms": list(hidden)}


def everywhere(episode: Episode) -> Cells:
    return {(x, y) for x, y in episode.world.topology.lattice}


def drawn(episode: Episode) -> Cells:
    """The cells that are not drawn as unseen."""
    lattice = episode.world.topology.lattice
    return {(x, y) for cell, (x, y) in enumerate(lattice) if episode.look(cell) is not None}


def shown_at(episode: Episode, position: tuple[int, int]) -> str:
    """A cell as it is shown: ``unseen``, ``wall``, ``floor`` or what lies there, as id and state."""
    x, y = position
    look = episode.look(y * episode.world.topology.width + x)
    if look is None:
        return "unseen"
    if look.wall:
        return "wall"
    things = [episode.world.entities[shown.entity] for shown in look.things]
    states = [entity.type.values[shown.value] for entity, shown in zip(things, look.things, strict=True)]
    return ", ".join(f"{entity.id} {state}" for entity, state in zip(things, states, strict=True)) or "floor"


def appearance(world: World, look: CellLook | None) -> tuple[bool, Mark | None, tuple[Glyph, ...]] | None:
    """What a picture of a look depends on, numbers aside."""
    if look is None:
        return None
    return look.wall, look.mark, tuple(thing_glyph(world, shown._replace(number=0)) for shown in look.things)


def appearances(episode: Episode) -> list[Any]:
    """What is shown of every cell."""
    return [appearance(episode.world, episode.look(cell)) for cell in range(len(everywhere(episode)))]


def real_appearances(world: World, state: State) -> list[Any]:
    """How every cell would look to somebody who sees everything."""
    return [appearance(world, look_at(world, state, cell)) for cell in range(world.topology.cell_count)]


# --- full --------------------------------------------------------------------------------------------------------


@given(tasks(), seeds)
def test_in_full_view_everything_is_seen_always_as_it_is(task: TaskSpecification, seed: int) -> None:
    task = with_rules(task, observability="full")
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        episode.step(action)
        state = look(episode)
        assert state.visible_cells == state.explored_cells == drawn(episode) == everywhere(episode)
        assert appearances(episode) == real_appearances(episode.world, episode.state)


# --- view_cone ---------------------------------------------------------------------------------------------------

HALL = """
    ###########
    #.........#
    #.........#
    #....@....#
    #.........#
    #........G#
    ###########
"""


def block_of_cells(columns: range, rows: range) -> Cells:
    return {(x, y) for x in columns for y in rows}


@pytest.mark.parametrize(
    ("letters", "seen"),
    [
        ("", block_of_cells(range(5, 8), range(2, 5))),
        ("R", block_of_cells(range(4, 7), range(3, 6))),
        ("RR", block_of_cells(range(3, 6), range(2, 5))),
        ("L", block_of_cells(range(4, 7), range(1, 4))),
        ("F", block_of_cells(range(6, 9), range(2, 5))),
    ],
    ids=["right", "down", "left", "up", "one cell on"],
)
def test_the_cone_is_a_square_of_view_size_with_the_agent_at_the_middle_of_its_near_edge(
    letters: str, seen: Cells
) -> None:
    assert play(begin(draw(HALL, rules=under("view_cone", 3))), letters).visible_cells == seen


@pytest.mark.parametrize("size", [3, 5, 7])
def test_the_cone_is_as_deep_and_as_wide_as_the_view_size(size: int) -> None:
    seen = play(begin(draw(HALL, rules=under("view_cone", size))), "").visible_cells
    reach = size // 2
    assert seen == everywhere(begin(draw(HALL))) & block_of_cells(range(5, 5 + size), range(3 - reach, 4 + reach))


@pytest.mark.parametrize("mode", PARTIAL)
@pytest.mark.parametrize(
    ("row", "things"),
    [
        pytest.param("@.#.G", {}, id="wall"),
        pytest.param("@.x.G", {"x": door(initial_state="closed")}, id="closed door"),
        pytest.param("@.x.Gk", {"x": door("red"), "k": key("red")}, id="locked door"),
        pytest.param("@.x.G", {"x": gate()}, id="shut gate"),
    ],
)
def test_walls_and_shut_doors_and_gates_block_sight_and_are_seen_themselves(
    mode: str, row: str, things: dict[str, Thing]
) -> None:
    seen = look(begin(corridor(row, rules=under(mode), **things))).visible_cells
    assert {x for x, y in seen if y == 1} == {1, 2, 3}


@pytest.mark.parametrize(
    "thing",
    [
        door(initial_state="open"),
        gate("open"),
        key(),
        block(),
        block(pushable=False),
        switch(),
        *(hazard(kind) for kind in ("lava", "pit", "spike")),
    ],
    ids=lambda thing: "-".join([thing.kind, *(str(each) for each in thing.fields.values() if each)]),
)
def test_open_doors_and_gates_and_things_that_lie_about_do_not_block_sight(thing: Thing) -> None:
    seen = look(begin(corridor("@.x.G", x=thing, rules=under("view_cone")))).visible_cells
    assert {x for x, y in seen if y == 1} == {1, 2, 3, 4, 5, 6}


def test_what_is_behind_a_door_is_seen_from_the_step_that_opens_it() -> None:
    episode = begin(corridor("@x.kG", x=door(initial_state="closed"), k=key(), rules=under("view_cone")))
    assert shown_at(episode, (4, 1)) == "unseen"
    play(episode, "T")
    assert shown_at(episode, (4, 1)) == "k untouched"
    play(episode, "T")
    assert shown_at(episode, (4, 1)) == "unseen"


@given(tasks(max_side=10), seeds)
def test_in_a_view_cone_the_cells_seen_now_are_shown_as_they_are_and_all_others_as_unseen(
    task: TaskSpecification, seed: int
) -> None:
    task = with_rules(task, observability="view_cone")
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        episode.step(action)
        assert drawn(episode) == look(episode).visible_cells
        real = real_appearances(episode.world, episode.state)
        visible = episode.knowledge.visible
        assert appearances(episode) == [each if cell in visible else None for cell, each in enumerate(real)]


@given(tasks(max_side=10), seeds)
def test_what_is_in_view_does_not_depend_on_whether_it_is_remembered(task: TaskSpecification, seed: int) -> None:
    episodes = [begin(with_rules(task, observability=mode)) for mode in PARTIAL]
    for action in actions_of(task, seed, 40):
        forgetful, mindful = (each.step(action) and look(each) for each in episodes)
        assert forgetful.visible_cells == mindful.visible_cells


# --- fog_of_war --------------------------------------------------------------------------------------------------


@given(tasks(max_side=10), seeds)
def test_in_fog_of_war_every_cell_is_shown_as_it_was_when_it_was_last_seen_or_as_unseen(
    task: TaskSpecification, seed: int
) -> None:
    task = with_rules(task, observability="fog_of_war")
    episode = begin(task)
    last_seen: list[Any] = [None] * episode.world.topology.cell_count

    def take_note() -> None:
        real = real_appearances(episode.world, episode.state)
        for cell in episode.knowledge.visible:
            last_seen[cell] = real[cell]

    take_note()
    for action in actions_of(task, seed, 60):
        episode.step(action)
        take_note()
        assert appearances(episode) == last_seen


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
def test_explored_cells_are_the_union_of_what_was_seen_so_far(mode: str) -> None:
    @given(tasks(max_side=10), seeds)
    def explore(task: TaskSpecification, seed: int) -> None:
        task = with_rules(task, observability=mode)
        episode = begin(task)
        so_far = set(look(episode).visible_cells)
        assert look(episode).explored_cells == so_far
        for action in actions_of(task, seed, 60):
            episode.step(action)
            so_far |= look(episode).visible_cells
            assert look(episode).explored_cells == so_far

    explore()


GATE_BEHIND = """
    #########
    #s@..g..#
    #......G#
    #########
"""
"""The agent sees the gate ahead, then turns its back on it to toggle the switch: out of sight it opens."""


def test_a_gate_that_opens_out_of_sight_stays_as_last_seen_until_it_is_seen_again() -> None:
    episode = begin(draw(GATE_BEHIND, s=switch("g"), g=gate(), rules=under("fog_of_war")))
    assert shown_at(episode, (5, 1)) == "g closed"
    assert play(episode, "RRT").open_gates == {"g"}
    assert shown_at(episode, (5, 1)) == "g closed"
    play(episode, "RR")
    assert shown_at(episode, (5, 1)) == "g open"


def test_a_gate_that_shuts_out_of_sight_stays_as_last_seen_until_it_is_seen_again() -> None:
    episode = begin(draw(GATE_BEHIND, s=switch("g", initial_state="on"), g=gate(), rules=under("fog_of_war")))
    assert shown_at(episode, (5, 1)) == "g open"
    assert play(episode, "RRT").open_gates == set()
    assert shown_at(episode, (5, 1)) == "g open"
    play(episode, "RR")
    assert shown_at(episode, (5, 1)) == "g closed"


def test_what_a_view_cone_has_lost_from_view_is_shown_as_unseen() -> None:
    episode = begin(draw(GATE_BEHIND, s=switch("g"), g=gate(), rules=under("view_cone")))
    play(episode, "RR")
    assert shown_at(episode, (5, 1)) == "unseen"


def test_what_is_carried_away_is_not_remembered_where_it_was() -> None:
    episode = begin(corridor("@k..G", k=key(), rules=under("fog_of_war")))
    play(episode, "PRR")
    assert shown_at(episode, (2, 1)) == "floor"


def test_a_pushed_block_is_remembered_where_it_was_left() -> None:
    episode = begin(corridor("@b..G", b=block(), goal=WAIT, rules=under("fog_of_war")))
    play(episode, "FFRR")
    assert (shown_at(episode, (2, 1)), shown_at(episode, (4, 1))) == ("floor", "b ")


def test_a_door_that_was_shut_from_beside_it_is_remembered_shut() -> None:
    episode = begin(corridor("@d..G", d=door(initial_state="open"), rules=under("fog_of_war")))
    play(episode, "TRR")
    assert shown_at(episode, (2, 1)) == "d closed"
    assert shown_at(episode, (4, 1)) == "floor"


@pytest.mark.parametrize("mode", PARTIAL)
def test_a_new_episode_starts_with_nothing_remembered(mode: str) -> None:
    task = draw(HALL, rules=under(mode, 3))
    episode = begin(task)
    play(episode, "FLFLF")
    episode.reset()
    assert look(episode) == look(begin(task))
    assert appearances(episode) == appearances(begin(task))


@given(tasks(), seeds)
def test_what_a_picture_has_to_draw_again_is_told_by_comparing_snapshots(task: TaskSpecification, seed: int) -> None:
    """Also cells that go out of view are drawn otherwise."""
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        before, snapshot = appearances(episode), episode.snapshot
        episode.step(action)
        after = appearances(episode)
        differ = {cell for cell in range(len(after)) if before[cell] != after[cell]}
        in_view = snapshot.knowledge.visible ^ episode.knowledge.visible
        assert differ | in_view <= shown_differently(episode.world, snapshot, episode.snapshot)


# --- hidden_mechanisms -------------------------------------------------------------------------------------------

SOLID_THINGS = {
    "key": key(),
    "closed door": door(initial_state="closed"),
    "gate": gate(),
    "block": block(),
    "fixed block": block(pushable=False),
}
OTHER_THINGS = {
    "open door": door(initial_state="open"),
    "open gate": gate("open"),
    "switch": switch(),
    "switch that is on": switch(initial_state="on"),
    "lava": hazard("lava"),
    "pit": hazard("pit"),
    "spikes": hazard("spike"),
}


def with_hidden(thing: Thing, row: str = "@.x..G", mode: str = "full", **things: Thing) -> Episode:
    """An episode in which x is hidden."""
    return begin(corridor(row, x=thing, goal=WAIT, rules=under(mode, 7, "x"), **things))


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
@pytest.mark.parametrize("thing", SOLID_THINGS.values(), ids=SOLID_THINGS)
def test_a_hidden_solid_mechanism_looks_like_wall(thing: Thing, mode: str) -> None:
    assert shown_at(with_hidden(thing, mode=mode), (3, 1)) == "wall"


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
@pytest.mark.parametrize("thing", OTHER_THINGS.values(), ids=OTHER_THINGS)
def test_any_other_hidden_mechanism_looks_like_floor(thing: Thing, mode: str) -> None:
    assert shown_at(with_hidden(thing, mode=mode), (3, 1)) == "floor"


def test_both_ends_of_a_hidden_teleporter_look_like_floor() -> None:
    episode = begin(corridor("@.a.bG", ab=teleporter(), rules=under("full", 7, "ab")))
    assert [shown_at(episode, (x, 1)) for x in (3, 5)] == ["floor", "floor"]


@pytest.mark.parametrize("mode", PARTIAL)
@pytest.mark.parametrize("thing", SOLID_THINGS.values(), ids=SOLID_THINGS)
def test_a_hidden_solid_mechanism_blocks_sight_like_the_wall_that_it_looks_like(thing: Thing, mode: str) -> None:
    assert shown_at(with_hidden(thing, mode=mode), (4, 1)) == "unseen"


def test_a_thing_that_is_no_barrier_lets_sight_pass_once_it_is_discovered() -> None:
    episode = with_hidden(key(), "@x.G.", mode="view_cone")
    assert shown_at(episode, (3, 1)) == "unseen"
    play(episode, "F")
    assert (shown_at(episode, (2, 1)), shown_at(episode, (3, 1))) == ("x untouched", "floor")


def test_a_hidden_gate_that_opens_looks_like_floor_but_is_not_discovered_by_that() -> None:
    episode = begin(corridor("@s.x.G", s=switch("x"), x=gate(), rules=under("full", 7, "x")))
    play(episode, "T")
    assert shown_at(episode, (4, 1)) == "floor"


def test_a_visible_block_on_a_hidden_switch_does_not_give_it_away() -> None:
    episode = with_hidden(switch(switch_type="hold"), "@bx..G", b=block())
    assert play(episode, "F").active_switches == {"x"}
    assert shown_at(episode, (3, 1)) == "b "


@pytest.mark.parametrize(
    ("thing", "discovered"),
    [
        (key(), "x untouched"),
        (door(initial_state="closed"), "x closed"),
        (gate(), "x closed"),
        (block(pushable=False), "x "),
    ],
    ids=["key", "door", "gate", "fixed block"],
)
def test_a_hidden_mechanism_is_discovered_by_bumping_into_it(thing: Thing, discovered: str) -> None:
    episode = with_hidden(thing, "@x..G.")
    play(episode, "F")
    assert shown_at(episode, (2, 1)) == discovered


@pytest.mark.parametrize("letters", ["F", "FF"])
def test_a_hidden_block_is_discovered_by_pushing_it(letters: str) -> None:
    episode = with_hidden(block(), "@x...G")
    play(episode, letters)
    assert shown_at(episode, (2 + len(letters), 1)) == "x "


@pytest.mark.parametrize(
    ("thing", "letters", "discovered"),
    [
        pytest.param(door(initial_state="closed"), "T", "x open", id="toggle a door"),
        pytest.param(door("red"), "T", "x locked", id="toggle a door that stays locked"),
        pytest.param(switch(), "T", "x on", id="toggle a switch"),
        pytest.param(switch(switch_type="hold"), "T", "x off", id="toggle a switch that does not answer"),
        pytest.param(gate(), "T", "x closed", id="toggle a gate"),
        pytest.param(gate(), "P", "x closed", id="pick up a gate"),
        pytest.param(hazard("pit"), "P", "x ", id="pick up a pit"),
    ],
)
def test_a_hidden_mechanism_is_discovered_by_acting_on_it(thing: Thing, letters: str, discovered: str) -> None:
    episode = with_hidden(thing, "@x..Gk", k=key("red"))
    play(episode, letters)
    assert shown_at(episode, (2, 1)) == discovered


def test_a_hidden_key_is_discovered_by_picking_it_up() -> None:
    episode = with_hidden(key(), "@x..G.")
    assert play(episode, "P").agent_carrying == "x"
    assert shown_at(episode, (2, 1)) == "floor"
    play(episode, "D")
    assert shown_at(episode, (2, 1)) == "x collected"


def test_a_hidden_mechanism_is_discovered_by_trying_to_drop_something_on_it() -> None:
    episode = with_hidden(switch(), "@kx.G.", k=key())
    assert play(episode, "PFD").agent_carrying == "k"
    assert shown_at(episode, (3, 1)) == "x off"


@pytest.mark.parametrize(
    ("thing", "discovered"),
    [
        (switch(), "x off"),
        (gate("open"), "x open"),
        (door(initial_state="open"), "x open"),
        (hazard("spike"), "x "),
    ],
    ids=["switch", "gate", "door", "spikes"],
)
def test_a_hidden_mechanism_is_discovered_by_standing_on_it(thing: Thing, discovered: str) -> None:
    episode = with_hidden(thing, "@x..G.")
    play(episode, "F")
    assert shown_at(episode, (2, 1)) == discovered


@pytest.mark.parametrize("letters", ["F", "FRRF"], ids=["at the exit", "at both ends"])
def test_a_hidden_teleporter_is_discovered_by_being_teleported(letters: str) -> None:
    episode = begin(corridor("@a.b..G", ab=teleporter(), goal=WAIT, rules=under("full", 7, "ab")))
    play(episode, letters)
    assert [shown_at(episode, (x, 1)).split()[0] for x in (2, 4)] == ["ab", "ab"]


@pytest.mark.parametrize("letters", ["W", "LR", "RL", "WWW"])
@pytest.mark.parametrize("thing", [key(), gate(), switch(), hazard("pit")], ids=lambda thing: thing.kind)
def test_waiting_and_turning_in_front_of_a_hidden_mechanism_do_not_discover_it(thing: Thing, letters: str) -> None:
    episode = with_hidden(thing, "@x..G.")
    before = shown_at(episode, (2, 1))
    play(episode, letters)
    assert shown_at(episode, (2, 1)) == before
    assert before in ("wall", "floor")


@pytest.mark.parametrize("letters", ["F", "P", "D", "T"])
def test_acting_on_something_else_does_not_discover_it(letters: str) -> None:
    episode = with_hidden(gate(), "@..xG.")
    play(episode, letters)
    assert shown_at(episode, (4, 1)) == "wall"


def test_only_the_mechanism_that_is_touched_is_discovered() -> None:
    episode = begin(corridor("@xy.G", x=key(), y=key("blue"), rules=under("full", 7, "x", "y")))
    play(episode, "F")
    assert (shown_at(episode, (2, 1)), shown_at(episode, (3, 1))) == ("x untouched", "wall")


def test_what_is_discovered_stays_shown_and_is_hidden_again_in_a_new_episode() -> None:
    episode = with_hidden(key(), "@x..G.")
    play(episode, "FLRW")
    assert shown_at(episode, (2, 1)) == "x untouched"
    episode.reset()
    assert shown_at(episode, (2, 1)) == "wall"


def test_a_discovery_is_an_event_that_names_what_was_found_and_happens_once() -> None:
    episode = with_hidden(key(), "@x..G.")
    first, again = episode.step(Action.MOVE_FORWARD), episode.step(Action.MOVE_FORWARD)
    assert [event.entity for event in first if isinstance(event, Discovered)] == ["x"]
    assert not any(isinstance(event, Discovered) for event in again)


@pytest.mark.parametrize(
    ("row", "things", "letters", "changed"),
    [
        pytest.param("@x.G", {"x": hazard()}, "F", {"terminated": True}, id="hazard"),
        pytest.param("@x..G", {"x": key()}, "PFF", {"agent_position": (3, 1), "agent_carrying": "x"}, id="key"),
        pytest.param("@x..G", {"x": gate()}, "F", {"agent_position": (1, 1)}, id="gate"),
        pytest.param("@x..G", {"x": block()}, "F", {"block_positions": {"x": (3, 1)}}, id="block"),
        pytest.param("@x.gG", {"x": switch("g"), "g": gate()}, "T", {"open_gates": {"g"}}, id="switch"),
        pytest.param("@bxgG", {"b": block(), "x": switch("g", switch_type="hold"), "g": gate()}, "F",
                     {"open_gates": {"g"}}, id="switch under a block"),
    ],
)  # fmt: skip
def test_a_hidden_mechanism_works_before_it_is_discovered(
    row: str, things: dict[str, Thing], letters: str, changed: dict[str, Any]
) -> None:
    state = play(begin(corridor(row, goal=WAIT, rules=under("full", 7, "x"), **things)), letters)
    assert {name: getattr(state, name) for name in changed} == changed


# --- What the agent can tell of a step ---------------------------------------------------------------------------


def told(episode: Episode, letters: str) -> list[str]:
    """The kinds of the witnessed events of the last of some actions."""
    play(episode, letters[:-1])
    events = episode.step({"F": Action.MOVE_FORWARD, "T": Action.TOGGLE}[letters[-1]])
    return [type(event).__name__ for event in episode.witnessed(events)]


@pytest.mark.parametrize("mode", PARTIAL)
def test_a_gate_that_opens_out_of_sight_is_not_witnessed(mode: str) -> None:
    assert told(begin(draw(GATE_BEHIND, s=switch("g"), g=gate(), rules=under(mode))), "RRT") == ["Switched"]


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
def test_a_gate_that_opens_in_sight_is_witnessed(mode: str) -> None:
    assert told(begin(corridor("@s.gG", s=switch("g"), g=gate(), rules=under(mode))), "T") == ["Switched", "Opened"]


def test_a_hidden_gate_that_opens_in_sight_is_not_witnessed() -> None:
    assert told(begin(corridor("@s.gG", s=switch("g"), g=gate(), rules=under("full", 7, "g"))), "T") == ["Switched"]


def test_a_hidden_switch_that_a_block_holds_is_not_witnessed_but_the_gate_that_it_opens_is() -> None:
    things = {"b": block(), "x": switch("g", switch_type="hold"), "g": gate()}
    episode = begin(corridor("@bx.gG", rules=under("full", 7, "x"), **things))
    assert told(episode, "F") == ["Pushed", "Moved", "Opened"]


@given(tasks(max_side=10), seeds)
def test_the_agent_always_perceives_something_of_its_own_action(task: TaskSpecification, seed: int) -> None:
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        events = episode.step(action)
        assert episode.witnessed(events)


@given(tasks(max_side=10), seeds)
def test_witnessed_events_are_some_of_those_that_happened_in_their_order(task: TaskSpecification, seed: int) -> None:
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        events = episode.step(action)
        remaining = iter(events)
        assert all(event in remaining for event in episode.witnessed(events))


@given(tasks(max_side=10), seeds)
def test_with_everything_in_view_and_nothing_hidden_all_events_are_witnessed(
    task: TaskSpecification, seed: int
) -> None:
    task = with_rules(task, observability="full", hidden_mechanisms=())
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        events = episode.step(action)
        assert episode.witnessed(events) == events


# --- Nothing leaks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", PARTIAL)
def test_nothing_that_is_perceived_depends_on_what_was_never_in_view(mode: str) -> None:
    episodes = steps = 0

    @bounded(12)
    @given(tasks(max_side=12), seeds, lengths)
    def compare(task: TaskSpecification, seed: int, length: int) -> None:
        nonlocal episodes, steps
        task = with_rules(task, observability=mode)
        actions = actions_of(task, seed, length)
        twin = change_out_of_sight(task, seen_in(task, actions), seed)
        assume(twin != task)
        for one, other in zip(perceptions(task, actions), perceptions(twin, actions), strict=True):
            assert one == other
            steps += 1
        episodes += 1

    compare()
    assert episodes >= 5
    assert steps >= 40


@pytest.mark.thorough
def test_the_worlds_compared_differ_in_walls_goals_and_all_kinds_of_things() -> None:
    """Otherwise their comparison would say little."""
    differences: Counter[str] = Counter()

    @bounded(150)
    @given(tasks(max_side=12), seeds, lengths)
    def compare(task: TaskSpecification, seed: int, length: int) -> None:
        task = with_rules(task, observability="view_cone")
        twin = change_out_of_sight(task, seen_in(task, actions_of(task, seed, length)), seed).to_dict()
        one = task.to_dict()
        for part in ("walls", "goal"):
            differences[part] += one["maze"][part] != twin["maze"][part]
        differences["marker"] += one["goal"] != twin["goal"]
        differences["hidden"] += one["rules"] != twin["rules"]
        things, others = one.get("mechanisms", {}), twin.get("mechanisms", {})
        for kind in {*things, *others}:
            differences[kind] += things.get(kind) != others.get(kind)

    compare()
    kinds = ("keys", "doors", "switches", "gates", "blocks", "teleporters", "hazards")
    assert all(differences[each] >= 2 for each in ("walls", "goal", "marker", "hidden", *kinds)), differences


def touches(world: World, state: State, action: int, cells: tuple[int, ...]) -> bool:
    """Whether an action reaches for what lies on some cells, or pushes something towards it."""
    if action in (Action.TURN_LEFT, Action.TURN_RIGHT, Action.DONE):
        return False
    ahead = world.exits[state.cell * world.headings + state.heading]
    thing = world.thing_at(state, ahead)
    pushes = thing != NOTHING and world.traits_of(state, thing) & Trait.PUSHABLE
    return ahead in cells or bool(pushes and world.exits[ahead * world.headings + state.heading] in cells)


def steps_before_touching(task: TaskSpecification, name: str, seed: int, length: int) -> list[int]:
    """Random actions that neither touch a thing nor make it change."""
    world, episode, rng = compiled(task), begin(task), random.Random(seed)
    thing, actions = world.by_id[name], []
    while not world.is_over(episode.state) and len(actions) < length:
        state = episode.state
        action = roaming_action(world, state, rng)
        if touches(world, state, action, world.cells_of(state, thing)):
            action = rng.choice((Action.TURN_LEFT, Action.TURN_RIGHT))
        episode.step(action)
        if episode.state.values[thing.index] != world.start.values[thing.index]:
            break
        actions.append(int(action))
    return actions


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
def test_a_hidden_mechanism_that_was_not_touched_cannot_be_told_from_what_it_looks_like(mode: str) -> None:
    kinds: Counter[str] = Counter()
    steps = 0

    @bounded(20)
    @given(tasks(), seeds, lengths)
    def compare(task: TaskSpecification, seed: int, length: int) -> None:
        nonlocal steps
        kind_of = {spec.id: kind for kind, specs in task.mechanisms.groups() for spec in specs}
        assume(len(kind_of) > 1)
        name = min(kind_of, key=lambda each: (kinds[kind_of[each]], each))  # of the kind that was compared least
        others = tuple(each for each in task.rules.hidden_mechanisms or sorted(kind_of) if each != name)
        assume(others)
        task = with_rules(task, observability=mode, hidden_mechanisms=(*others, name))
        twin = as_it_looks(task, name)
        assume(twin is not None)
        assert twin is not None
        actions = steps_before_touching(task, name, seed, length)
        for one, other in zip(perceptions(task, actions), perceptions(twin, actions), strict=True):
            assert one == other
            steps += 1
        kinds[kind_of[name]] += 1

    compare()
    assert kinds.total() >= 10
    assert len(kinds) == 7
    assert steps >= 100


def test_what_is_seen_at_last_is_told_apart() -> None:
    """The comparisons above can fail: unlike what was never seen, what comes into view makes a difference."""
    maze = """
        ########
        #@.D.k.#
        #..#..G#
        ########
    """
    closed = door(initial_state="closed")
    one, other = (begin(draw(maze, D=closed, k=key(color), rules=under("fog_of_war"))) for color in ("red", "blue"))
    events = [(), ()]
    assert perceived(one, events[0]) == perceived(other, events[1])
    play(one, "F"), play(other, "F")
    assert perceived(one, one.step(Action.TOGGLE)) != perceived(other, other.step(Action.TOGGLE))


# --- What has changed --------------------------------------------------------------------------------------------


def shown(episode: Episode) -> list[Any]:
    """Everything that a picture of the cells depends on."""
    return [(episode.look(cell), cell in episode.knowledge.visible) for cell in range(len(everywhere(episode)))]


@given(tasks(), seeds, st.sampled_from(("full", *PARTIAL)))
def test_what_is_not_shown_differently_looks_as_before(task: TaskSpecification, seed: int, mode: str) -> None:
    """Between any two moments: through steps, resets and restored snapshots alike."""
    episode = Episode(compiled(with_rules(task, observability=mode)))
    rng, moments = random.Random(seed), []
    for _ in range(4):
        episode.reset() if rng.random() < 0.5 or not moments else episode.restore(rng.choice(moments)[0])
        for _ in range(rng.randrange(30)):
            if episode.world.is_over(episode.state):
                break
            episode.step(roaming_action(episode.world, episode.state, rng))
        moments.append((episode.snapshot, shown(episode)))
        for earlier, then in moments:
            stale = shown_differently(episode.world, earlier, episode.snapshot)
            assert all(
                before == now or cell in stale
                for cell, (before, now) in enumerate(zip(then, shown(episode), strict=True))
            )


@given(tasks(), seeds, st.sampled_from(("full", *PARTIAL)))
def test_a_reset_shows_what_the_first_one_did(task: TaskSpecification, seed: int, mode: str) -> None:
    task = with_rules(task, observability=mode)
    episode, fresh = begin(task), begin(task)
    for action in actions_of(task, seed, 40):
        episode.step(action)
    episode.reset()
    assert shown(episode) == shown(fresh)
    assert perceived(episode, ()) == perceived(fresh, ())


@given(tasks(), seeds, st.sampled_from(("full", *PARTIAL)))
def test_a_walk_from_a_restored_snapshot_is_the_walk_from_there(task: TaskSpecification, seed: int, mode: str) -> None:
    """The same states, texts and knowledge, whatever has happened in between."""
    task = with_rules(task, observability=mode)
    episode, rng = begin(task), random.Random(seed)
    for action in actions_of(task, seed, rng.randrange(30)):
        episode.step(action)
    snapshot = episode.snapshot
    first = [*walk_on(episode, seed + 1)]
    assert [*walk_on(episode, seed + 2)]
    episode.restore(snapshot)
    assert [*walk_on(episode, seed + 1)] == first


def walk_on(episode: Episode, seed: int) -> Iterator[Any]:
    """What is shown and known along a random walk from where an episode is."""
    rng = random.Random(seed)
    for _ in range(15):
        yield episode.snapshot, shown(episode), perceived(episode, ()), digest(episode.world, episode.snapshot)
        if episode.world.is_over(episode.state):
            return
        episode.step(roaming_action(episode.world, episode.state, rng))


def test_nothing_is_shown_differently_after_a_reset_but_what_has_changed() -> None:
    episode = begin(corridor("@k..G", k=key()))
    start = episode.snapshot
    play(episode, "P")
    changed = shown_differently(episode.world, episode.snapshot, start)
    assert [episode.world.topology.lattice[cell] for cell in changed] == [(2, 1)]
    episode.reset()
    assert episode.snapshot == start
    assert not shown_differently(episode.world, episode.snapshot, start)
