"""Knowledge of the agent: views, fog, hidden mechanisms, witnessed events; the rules of "What is seen" in the docs."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.backends.thing_glyphs import thing_glyph
from gridworld.drawing.glyphs import Glyph
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, State, World
from gridworld.world.digest import digest
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
    roaming_action,
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
    """Rules with an observability."""
    return {"observability": mode, "view_size": size, "hidden_mechanisms": list(hidden)}


def everywhere(episode: Episode) -> Cells:
    return {(x, y) for x, y in episode.world.topology.lattice}


def drawn(episode: Episode) -> Cells:
    """Cells not drawn as unseen."""
    lattice = episode.world.topology.lattice
    return {(x, y) for cell, (x, y) in enumerate(lattice) if episode.look(cell) is not None}


def shown_at(episode: Episode, position: tuple[int, int]) -> str:
    """Shown look of a cell: ``unseen``, ``wall``, ``floor``, or ids and states."""
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
    """Parts of a look that a picture shows, numbers aside."""
    if look is None:
        return None
    return look.wall, look.mark, tuple(thing_glyph(world, shown._replace(number=0)) for shown in look.things)


def appearances(episode: Episode) -> list[Any]:
    """Shown looks of all cells."""
    return [appearance(episode.world, episode.look(cell)) for cell in range(len(everywhere(episode)))]


def real_appearances(world: World, state: State) -> list[Any]:
    """Looks of all cells under full observability."""
    return [appearance(world, look_at(world, state, cell)) for cell in range(world.topology.cell_count)]


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
def test_the_cone_is_a_square_in_front_of_the_agent(letters: str, seen: Cells) -> None:
    assert play(begin(draw(HALL, rules=under("view_cone", 3))), letters).visible_cells == seen


@pytest.mark.parametrize("mode", PARTIAL)
@pytest.mark.parametrize(
    ("row", "things", "seen"),
    [
        ("@.#.G", {}, 3),
        ("@.x.G", {"x": door(initial_state="closed")}, 3),
        ("@.x.Gk", {"x": door("red"), "k": key("red")}, 3),
        ("@.x.G", {"x": gate()}, 3),
        *(
            ("@.x.G", {"x": thing}, 6)
            for thing in (
                door(initial_state="open"),
                gate("open"),
                key(),
                block(),
                block(pushable=False),
                switch(),
                *(hazard(kind) for kind in ("lava", "pit", "spike")),
            )
        ),
    ],
)
def test_only_walls_shut_doors_and_gates_block_sight(mode: str, row: str, things: dict[str, Thing], seen: int) -> None:
    cells = look(begin(corridor(row, rules=under(mode), **things))).visible_cells
    assert {x for x, y in cells if y == 1} == set(range(1, seen + 1))


def shown_after(episode: Episode, *steps: tuple[str, tuple[int, int], str]) -> None:
    """Check the look of a cell after each sequence of actions."""
    for letters, position, expected in steps:
        play(episode, letters)
        assert shown_at(episode, position) == expected


@given(tasks(max_side=10), seeds)
def test_a_view_cone_shows_the_cells_in_view_and_no_others(task: TaskSpecification, seed: int) -> None:
    task = with_rules(task, observability="view_cone")
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        episode.step(action)
        assert drawn(episode) == look(episode).visible_cells
        real = real_appearances(episode.world, episode.state)
        visible = episode.knowledge.visible
        assert appearances(episode) == [each if cell in visible else None for cell, each in enumerate(real)]


# --- fog_of_war --------------------------------------------------------------------------------------------------


@given(tasks(max_side=10), seeds)
def test_fog_shows_every_cell_as_last_seen(task: TaskSpecification, seed: int) -> None:
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
def test_explored_cells_are_those_seen_so_far(mode: str) -> None:
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
"""The agent sees the gate, then turns round and toggles the switch, so that the gate opens out of sight."""


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
    """An episode with x hidden."""
    return begin(corridor(row, x=thing, goal=WAIT, rules=under(mode, 7, "x"), **things))


@pytest.mark.parametrize("mode", ["full", *PARTIAL])
@pytest.mark.parametrize("name", [*SOLID_THINGS, *OTHER_THINGS])
def test_hidden_mechanisms_look_like_wall_if_solid_and_like_floor_otherwise(name: str, mode: str) -> None:
    episode = with_hidden({**SOLID_THINGS, **OTHER_THINGS}[name], mode=mode)
    assert shown_at(episode, (3, 1)) == ("wall" if name in SOLID_THINGS else "floor")
    if name in SOLID_THINGS and mode != "full":
        assert shown_at(episode, (4, 1)) == "unseen"


def test_a_block_on_a_hidden_switch_does_not_reveal_it() -> None:
    episode = with_hidden(switch(switch_type="hold"), "@bx..G", b=block())
    shown_after(episode, ("F", (3, 1), "b "))
    assert look(episode).active_switches == {"x"}


@pytest.mark.parametrize(
    ("thing", "letters", "discovered"),
    [
        # bumped into
        (key(), "F", "x untouched"),
        (door(initial_state="closed"), "F", "x closed"),
        (gate(), "F", "x closed"),
        (block(pushable=False), "F", "x "),
        # acted on
        (door(initial_state="closed"), "T", "x open"),
        (door("red"), "T", "x locked"),
        (switch(), "T", "x on"),
        (switch(switch_type="hold"), "T", "x off"),
        (gate(), "T", "x closed"),
        (gate(), "P", "x closed"),
        (hazard("pit"), "P", "x "),
        # stood on
        (switch(), "F", "x off"),
        (gate("open"), "F", "x open"),
        (door(initial_state="open"), "F", "x open"),
        (hazard("spike"), "F", "x "),
        # picked up and dropped
        (key(), "P", "floor"),
        (key(), "PD", "x collected"),
    ],
)
def test_a_hidden_mechanism_is_discovered_by(thing: Thing, letters: str, discovered: str) -> None:
    episode = with_hidden(thing, "@x..Gk", k=key("red"))
    shown_after(episode, (letters, (2, 1), discovered))


@pytest.mark.parametrize("letters", ["F", "FF"])
def test_a_hidden_block_is_discovered_by_a_push(letters: str) -> None:
    shown_after(with_hidden(block(), "@x...G"), (letters, (2 + len(letters), 1), "x "))


def test_a_hidden_switch_is_discovered_by_a_drop_onto_it() -> None:
    episode = with_hidden(switch(), "@kx.G.", k=key())
    shown_after(episode, ("PFD", (3, 1), "x off"))
    assert look(episode).agent_carrying == "k"


@pytest.mark.parametrize("letters", ["F", "FRRF"], ids=["at the exit", "at both ends"])
def test_a_hidden_teleporter_is_discovered_by_a_teleport(letters: str) -> None:
    episode = begin(corridor("@a.b..G", ab=teleporter(), goal=WAIT, rules=under("full", 7, "ab")))
    play(episode, letters)
    assert [shown_at(episode, (x, 1)).split()[0] for x in (2, 4)] == ["ab", "ab"]


@pytest.mark.parametrize("letters", ["W", "LR", "RL", "WWW"])
@pytest.mark.parametrize("thing", [key(), gate(), switch(), hazard("pit")], ids=lambda thing: thing.kind)
def test_waiting_and_turning_discover_nothing(thing: Thing, letters: str) -> None:
    episode = with_hidden(thing, "@x..G.")
    shown_after(episode, (letters, (2, 1), "wall" if thing.kind in ("keys", "gates") else "floor"))


def test_only_the_touched_mechanism_is_discovered() -> None:
    episode = begin(corridor("@xy.G", x=key(), y=key("blue"), rules=under("full", 7, "x", "y")))
    shown_after(episode, ("F", (2, 1), "x untouched"), ("", (3, 1), "wall"))


# --- What the agent can tell of a step ---------------------------------------------------------------------------


SWITCH_AND_GATE = {"s": switch("g"), "g": gate()}
HELD_GATE = {"b": block(), "x": switch("g", switch_type="hold"), "g": gate()}


@pytest.mark.parametrize(
    ("task", "letters", "witnessed"),
    [
        *((draw(GATE_BEHIND, rules=under(mode), **SWITCH_AND_GATE), "RRT", "Switched") for mode in PARTIAL),
        *(
            (corridor("@s.gG", rules=under(mode), **SWITCH_AND_GATE), "T", "Switched Opened")
            for mode in ("full", *PARTIAL)
        ),
        (corridor("@s.gG", rules=under("full", 7, "g"), **SWITCH_AND_GATE), "T", "Switched"),
        (corridor("@bx.gG", rules=under("full", 7, "x"), **HELD_GATE), "F", "Pushed Moved Opened"),
    ],
)
def test_witnessed_events(task: TaskSpecification, letters: str, witnessed: str) -> None:
    episode = begin(task)
    play(episode, letters[:-1])
    events = episode.step({"F": Action.MOVE_FORWARD, "T": Action.TOGGLE}[letters[-1]])
    assert [type(event).__name__ for event in episode.witnessed(events)] == witnessed.split()


@given(tasks(max_side=10), seeds)
def test_witnessed_events_are_a_subsequence_that_is_never_empty(task: TaskSpecification, seed: int) -> None:
    episode = begin(task)
    for action in actions_of(task, seed, 60):
        events = episode.step(action)
        witnessed, remaining = episode.witnessed(events), iter(events)
        assert witnessed
        assert all(event in remaining for event in witnessed)


# --- Nothing leaks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [pytest.param("view_cone", marks=pytest.mark.more), "fog_of_war"])
def test_perception_does_not_depend_on_cells_never_in_view(mode: str) -> None:
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


def touches(world: World, state: State, action: int, cells: tuple[int, ...]) -> bool:
    """Whether an action acts on some cells, or pushes an entity onto them."""
    if action in (Action.TURN_LEFT, Action.TURN_RIGHT, Action.DONE):
        return False
    ahead = world.ahead(state)
    thing = world.thing_at(state, ahead)
    pushes = thing != NOTHING and world.traits_of(state, thing) & Trait.PUSHABLE
    return ahead in cells or bool(pushes and world.exits[ahead * world.headings + state.heading] in cells)


def steps_before_touching(task: TaskSpecification, name: str, seed: int, length: int) -> list[int]:
    """Random actions that neither touch nor change a mechanism."""
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


@pytest.mark.parametrize(
    "mode", [pytest.param(each, marks=pytest.mark.more) for each in ("full", "view_cone")] + ["fog_of_war"]
)
def test_an_untouched_hidden_mechanism_is_perceived_as_its_looks(mode: str) -> None:
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


# --- What has changed --------------------------------------------------------------------------------------------


def shown(episode: Episode) -> list[Any]:
    """Looks and visibility of all cells."""
    return [(episode.look(cell), cell in episode.knowledge.visible) for cell in range(len(everywhere(episode)))]


@given(tasks(), seeds, st.sampled_from(("full", *PARTIAL)))
def test_other_cells_look_as_before(task: TaskSpecification, seed: int, mode: str) -> None:
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
def test_a_reset_shows_the_start(task: TaskSpecification, seed: int, mode: str) -> None:
    task = with_rules(task, observability=mode)
    episode, fresh = begin(task), begin(task)
    for action in actions_of(task, seed, 40):
        episode.step(action)
    episode.reset()
    assert shown(episode) == shown(fresh)
    assert perceived(episode, ()) == perceived(fresh, ())


@given(tasks(), seeds, st.sampled_from(("full", *PARTIAL)))
def test_a_restored_snapshot_continues_in_the_same_way(task: TaskSpecification, seed: int, mode: str) -> None:
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
    """Snapshots, looks and perceptions along a random walk."""
    rng = random.Random(seed)
    for _ in range(15):
        yield episode.snapshot, shown(episode), perceived(episode, ()), digest(episode.world, episode.snapshot)
        if episode.world.is_over(episode.state):
            return
        episode.step(roaming_action(episode.world, episode.state, rng))
