"""Carrying: who is carried, where to, and what prevents it; compared with the rules in plain words."""

import random
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import Position, TaskSpecification
from gridworld.world import Entity, Episode, State, World, compile_world
from gridworld.world.carrying import carry
from gridworld.world.events import Carried, Discovered, Event, Moved, Opened, Switched, Teleported
from gridworld.world.mechanism_type import Trait
from gridworld.world.rules import transition
from gridworld.world.state import GONE
from support.sample_plugins import clock, draw_carrying, with_carriers
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology, on_all_tilings
from support.worlds import block, compiled, door, gate, hazard, key, switch, teleporter

WAIT = 6
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


@pytest.fixture(autouse=True, scope="module")
def _carriers() -> Iterator[None]:
    with with_carriers():
        yield


def begin(picture: str, **options: Any) -> Episode:
    episode = Episode(compiled(draw_carrying(picture, **options)))
    episode.reset()
    return episode


def row(cells: str, **options: Any) -> Episode:
    """A corridor; its first cell is (1, 1)."""
    edge = "#" * (len(cells) + 2)
    return begin(f"{edge}\n#{cells}#\n{edge}", **options)


def place(episode: Episode) -> tuple[int, int]:
    return tuple(episode.world.topology.lattice[episode.state.cell])


def place_of(episode: Episode, name: str) -> tuple[int, int] | None:
    cell = episode.state.places[episode.world.by_id[name].index]
    return None if cell == GONE else tuple(episode.world.topology.lattice[cell])


def with_things_at(episode: Episode, agent: tuple[int, int] | None = None, **places: tuple[int, int]) -> Episode:
    """Move the agent and entities of an episode."""
    topology, state = episode.world.topology, episode.state
    for name, position in places.items():
        state = state.with_place(episode.world.by_id[name].index, topology.anchor(Position(*position)))
    if agent is not None:
        state = state.at(topology.anchor(Position(*agent)))
    episode.restore(episode.snapshot._replace(state=state))
    return episode


def carried(events: tuple[Event, ...]) -> list[str | None]:
    """Carried riders, in alphabetical order after the agent."""
    return sorted((event.thing for event in events if isinstance(event, Carried)), key=lambda name: name or "")


# --- Carriers and riders --------------------------------------------------------------------------------------


def test_a_belt_carries_once_a_step() -> None:
    episode = row("@>>>.G")
    places = []
    for action in (2, WAIT, WAIT, WAIT):
        episode.step(action)
        places.append(place(episode))
    assert places == [(3, 1), (4, 1), (5, 1), (5, 1)]


def test_the_event_names_the_carrier() -> None:
    episode = row("@>.G")
    events = episode.step(2)
    start, belt, beyond = 6 + 1, 6 + 2, 6 + 3
    assert events == (Moved(start, belt), Carried("2,1", None, belt, beyond))
    assert [event.sentence(str) for event in events] == ["moved one cell forward", "was carried on by the 2,1"]
    assert events[1].cells == (belt, beyond)


def test_blocks_and_keys_are_carried() -> None:
    episode = with_things_at(row("@..bk>>.G", b=block(), k=key()), b=(6, 1), k=(7, 1))
    events = episode.step(WAIT)
    assert carried(events) == ["b", "k"]
    assert (place_of(episode, "b"), place_of(episode, "k")) == ((7, 1), (8, 1))
    told = {event.thing: event.sentence(str) for event in events if isinstance(event, Carried)}
    assert told == {"b": "the b was carried on", "k": "the k was carried on"}


# --- What is refused, in the order of the page --------------------------------------------------------------------

LEGEND = {
    **{name: block() for name in "ab"},
    **{name: key() for name in "ck"},
    "D": door(initial_state="closed"),
    "g": gate(),
    "l": hazard(),
    "z": block(pushable=False),
}


@pytest.mark.parametrize(
    ("cells", "riders", "expected"),
    [
        # walls and solid entities refuse the agent and blocks
        *((f"@b.{belt}", rider, "") for belt in (">#.G", ">DG.", ">gG.", ">z.G") for rider in ("@4", "b4")),
        # ledges refuse riders from the right
        ("@.>).G", "@3", "@"),
        ("@.)<.G", "@4", ""),
        ("@b)<.G", "b4", ""),
        # one target
        ("@ab.>.<.G", "a5 b7", ""),
        ("@ab.>.<.G", "a5 b3", "a"),
        # a refused rider does not compete
        ("@ab.>)<.G", "a5 b7", "a"),
        # competing riders block those behind
        ("@abc>>.<.G", "a6 b8 c5", ""),
        # no swaps
        ("@ab.><.G", "a5 b6", ""),
        ("@a..><.G", "@5 a6", ""),
        # chains
        ("@abc>>>.G", "a5 b6 c7", "abc"),
        ("@abc>>>#G", "a5 b6 c7", ""),
        ("@abc>>>#G", "a5 b7", "a"),
        # occupied targets
        ("@.>b.G", "@3", ""),
        ("@b>..G", "@4 b3", ""),
        # hazards
        ("@b>l.G", "b3", ""),
        ("@b>l.G", "@3", "@"),
    ],
)
def test_who_is_carried(cells: str, riders: str, expected: str) -> None:
    places = {rider[0]: (int(rider[1]), 1) for rider in riders.split()}
    episode = row(cells, **{name: LEGEND[name] for name in cells if name in LEGEND})
    with_things_at(episode, places.pop("@", None), **places)
    assert "".join(name or "@" for name in carried(episode.step(WAIT))) == expected


def test_a_sealed_seam_refuses() -> None:
    world = compiled(draw_carrying("######\n#@>.G#\n######"))
    belt, beyond = 6 + 2, 6 + 3
    sealed = attrs.evolve(world, seams=frozenset({(belt, beyond), (beyond, belt)}))
    riding = world.start.at(belt)
    assert carried(carry(world, riding, ())[1]) == [None]
    assert carry(sealed, riding, ()) == (riding, ())


RING = "#######\n#@a.>v#\n#bcG^<#\n#######"


def test_a_ring_turns() -> None:
    things = {"a": block(), "b": block(), "c": key()}
    episode = with_things_at(begin(RING, **things), agent=(4, 1), a=(5, 1), b=(5, 2), c=(4, 2))
    assert carried(episode.step(WAIT)) == [None, "a", "b", "c"]
    assert place(episode) == (5, 1)
    assert [place_of(episode, name) for name in "abc"] == [(5, 2), (4, 2), (4, 1)]


# --- Being carried is entering ------------------------------------------------------------------------------------


def test_carrying_onto_a_hold_switch() -> None:
    held = switch("g", switch_type="hold")
    agent = row("@>s.gG", s=held, g=gate())
    events = agent.step(2)
    assert [type(event) for event in events] == [Moved, Carried, Switched, Opened]
    block_on_it = with_things_at(row("@b>s.gG", b=block(), s=held, g=gate()), b=(3, 1))
    assert [type(event) for event in block_on_it.step(WAIT)][1:] == [Carried, Switched, Opened]


def test_carrying_onto_a_teleporter() -> None:
    episode = row("@>a.bG", ab=teleporter())
    assert [type(event) for event in episode.step(2)] == [Moved, Carried, Teleported]
    assert place(episode) == (5, 1)
    episode.step(WAIT)
    assert place(episode) == (5, 1)


@on_all_tilings
@pytest.mark.parametrize("arrow", ">v<^")
def test_carrying_onto_ice_on_every_tiling(name: str, arrow: str) -> None:
    dx, dy = STEPS[">v<^".index(arrow)]
    grid = [list(line) for line in ["#########", *["#.......#"] * 7, "#########"]]
    grid[4][4], grid[4 + dy][4 + dx], grid[1][1], grid[7][7] = arrow, "*", "@", "G"
    task = draw_carrying("\n".join("".join(line) for line in grid))
    world = compile_world(task, make_topology(name, task.maze.dimensions))
    after, _ = transition(world, world.start.at(world.topology.anchor(Position(4, 4))), WAIT)
    x, y = world.topology.lattice[after.cell]
    ahead, aside = (x - 4) * dx + (y - 4) * dy, abs((x - 4) * dy) + abs((y - 4) * dx)
    assert ahead in (1, 2)
    assert aside <= 1
    assert after.heading == world.start.heading


def test_the_carrier_reads_the_settled_state() -> None:
    """The clock stops the belt in every other step; it ticks after the carrying."""
    episode = row("@>>>>.c.G", governed=True, c=clock("2,1", "3,1", "4,1", "5,1"))
    places = []
    for action in (2, WAIT, WAIT, WAIT, WAIT):
        episode.step(action)
        places.append(place(episode))
    assert places == [(2, 1), (3, 1), (3, 1), (4, 1), (4, 1)]


# --- Hidden carriers -----------------------------------------------------------------------------------------------


def test_a_hidden_belt_is_discovered_by_its_rider() -> None:
    episode = row("@>.G", rules={"hidden_mechanisms": ["2,1"]})
    events = episode.step(2)
    assert Discovered("2,1", (5 + 2 + 1,)) in events
    assert carried(events) == [None]


def test_a_hidden_belt_is_discovered_after_a_slide() -> None:
    onto = row("@*>.G", rules={"hidden_mechanisms": ["3,1"]})
    assert [event.entity for event in onto.step(2) if isinstance(event, Discovered)] == ["3,1"]
    assert place(onto) == (4, 1)


def test_a_hidden_belt_is_not_discovered_by_a_block() -> None:
    episode = with_things_at(row("@..b>.G", b=block(), rules={"hidden_mechanisms": ["5,1"]}), b=(5, 1))
    events = episode.step(WAIT)
    assert not [event for event in events if isinstance(event, Discovered)]
    assert [event.sentence(str) for event in episode.witnessed(events)] == ["waited", "the b was carried on"]


# --- Against plain words -------------------------------------------------------------------------------------------


def plainly(world: World, state: State) -> dict[str, Position]:
    """Riders and their targets by the rules in plain words: in lattice cells, by names, one rule after the other."""
    lattice = world.topology.lattice
    riders = {"agent": lattice[state.cell]}
    for entity in world.entities[: len(state.places)]:
        if state.places[entity.index] != GONE:
            riders[entity.id] = lattice[state.places[entity.index]]
    belts = {entity.spec.position: entity.spec.direction for entity in world.entities if entity.type.name == "belts"}
    requests = {}
    for name, (x, y) in riders.items():
        if (x, y) in belts:
            dx, dy = STEPS[belts[Position(x, y)]]
            requests[name] = Position(x + dx, y + dy)
    requests = {name: to for name, to in requests.items() if not refused(world, state, name, riders[name], to)}
    requests = {name: to for name, to in requests.items() if list(requests.values()).count(to) == 1}
    swapping = {a for a in requests for b in requests if requests[a] == riders[b] and requests[b] == riders[a]}
    requests = {name: to for name, to in requests.items() if name not in swapping}
    stuck = True
    while stuck:
        stuck = {
            name for name, to in requests.items() for other in riders if riders[other] == to and other not in requests
        }
        requests = {name: to for name, to in requests.items() if name not in stuck}
    return requests


def refused(world: World, state: State, name: str, origin: Position, target: Position) -> bool:
    if target in world.task.maze.wall_cells():
        return True
    for entity in world.entities[len(state.places) :]:
        if target not in entity.type.positions(entity.spec).values():
            continue
        traits = entity.type.traits(entity.spec, entity.value_name(state))
        if Trait.SOLID & traits or (name != "agent" and Trait.DEADLY & traits):
            return True
        if entity.type.name == "ledges" and origin != (target[0] - 1, target[1]):
            return True
    return False


def crowded(rng: random.Random) -> TaskSpecification:
    """A room full of belts, with some of everything else."""
    cells = [(x, y) for y in range(1, 6) for x in range(1, 7)]
    rng.shuffle(cells)
    grid = [["#"] * 8, *[["#", *"......", "#"] for _ in range(5)], ["#"] * 8]
    letters = "@Gabcdefghijklmn"
    for letter in letters:
        x, y = cells.pop()
        grid[y][x] = letter
    for x, y in cells:
        grid[y][x] = rng.choice(">>><<<vvv^^^.#)")
    things = {
        **{name: block(color=rng.choice(("red", "blue"))) for name in "abcd"},
        **{name: key("green") for name in "ef"},
        **{name: door(initial_state=state) for name, state in zip("gh", ("open", "closed"), strict=True)},
        **{name: gate(state) for name, state in zip("ij", ("open", "closed"), strict=True)},
        "k": hazard(),
        "l": block(pushable=False),
        "m": switch("j", switch_type="hold"),
        "n": switch(),
    }
    return draw_carrying("\n".join("".join(line) for line in grid), **things)


def crowd(world: World, rng: random.Random) -> State:
    """A state with riders on random lattice cells, a movable one at most on each, the agent anywhere in its patch."""
    fixed_solid = [
        place
        for entity in world.entities[len(world.start.places) :]
        if entity.type.traits(entity.spec, entity.value_name(world.start)) & (Trait.SOLID | Trait.DEADLY)
        for place in entity.type.positions(entity.spec).values()
    ]
    barred = {*world.task.maze.wall_cells(), *fixed_solid}
    free = [place for place in world.topology.patches if place not in barred]
    rng.shuffle(free)
    places = [world.topology.anchor(free.pop()) if rng.random() < 0.9 else GONE for _ in world.start.places]
    return world.start.at(rng.choice(world.topology.patches[free.pop()]))._replace(places=tuple(places))


@bounded(40)
@given(seed=st.integers(0, 2**32 - 1), tiling=st.sampled_from(TILINGS))
def test_carrying_agrees_with_plain_rules(seed: int, tiling: str) -> None:
    rng = random.Random(seed)
    task = crowded(rng)
    world = compile_world(task, make_topology(tiling, task.maze.dimensions))
    lattice = world.topology.lattice
    for _ in range(5):
        state = crowd(world, rng)
        after, events = carry(world, state, ())
        expected = plainly(world, state)
        assert {event.thing or "agent": lattice[event.target] for event in events} == expected
        assert len(events) == len(expected)
        assert all(event.target == world.topology.anchor(lattice[event.target]) for event in events)
        assert_moved_alone(world, state, after, expected)


def assert_moved_alone(world: World, before: State, after: State, expected: dict[str, Position]) -> None:
    """Check that only the expected riders have moved."""
    agent = world.topology.anchor(expected["agent"]) if "agent" in expected else before.cell
    assert after == before.at(agent)._replace(places=after.places)
    movable: tuple[Entity, ...] = world.entities[: len(before.places)]
    for entity in movable:
        moved = world.topology.anchor(expected[entity.id]) if entity.id in expected else before.places[entity.index]
        assert after.places[entity.index] == moved
