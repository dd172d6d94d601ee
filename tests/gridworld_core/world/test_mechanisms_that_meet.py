"""Mechanisms of different plugins together: settling, entering, and setting the heading."""

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from gridworld.errors import InvalidTaskError, PluginFault
from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import Position, to_ids, to_position
from gridworld.world import Entity, Episode, State, World, acts
from gridworld.world.events import Bumped, Carried, Discovered, Event, Moved, Opened, Pushed
from gridworld.world.mechanism_type import Entered, Trait
from support.plugins import with_item
from support.sample_plugins import BELTS, ICE, LEDGES, PlainSpec, plain_mechanism
from support.worlds import Thing, begin, block, draw, gate, look, play, switch


@attrs.frozen
class RelaySpec:
    """A relay; one that inverts is on while no controller is."""

    id: str
    position: Position = attrs.field(converter=to_position)
    controls: tuple[str, ...] = attrs.field(default=(), converter=to_ids)
    inverts: bool = False


@attrs.frozen
class TurnerSpec:
    """A floor that turns whoever enters it to a heading."""

    id: str
    position: Position = attrs.field(converter=to_position)
    to: int = 0


def _relay(world: World, state: State, relay: Entity) -> tuple[int, tuple[Event, ...]] | None:
    active = any(world.traits_of(state, each) & Trait.ACTIVE for each in relay.controllers)
    value = int(active != relay.spec.inverts)
    return None if value == state.values[relay.index] else (value, ())


RELAYS = plain_mechanism(
    name="relays",
    noun="relay",
    spec=RelaySpec,
    values=("off", "on"),
    traits=lambda relay, value: Trait.ACTIVE if value == "on" else Trait.NONE,
    controls=lambda relay: relay.controls,
    controllable=True,
    derive=_relay,
)
TURNERS = plain_mechanism(
    name="turners",
    noun="turner",
    spec=TurnerSpec,
    traits=lambda turner, value: Trait.TAKES_BLOCKS,
    on_enter=lambda world, state, turner: Entered(state.facing(turner.spec.to), turned=True),
)
FLICKERS = plain_mechanism(
    name="flickers",
    noun="flicker",
    values=("off", "on"),
    controllable=True,
    derive=lambda world, state, flicker: (
        (1 - state.values[flicker.index], ())
        if any(world.traits_of(state, each) & Trait.ACTIVE for each in flicker.controllers)
        else None
    ),
)
LATCHES = plain_mechanism(
    name="latches",
    noun="latch",
    spec=PlainSpec,
    traits=lambda latch, value: Trait.TAKES_BLOCKS,
    admits=lambda world, state, latch: state.heading == 0,
)
BARS = plain_mechanism(name="bars", noun="bar", traits=lambda bar, value: Trait.SOLID | Trait.TAKES_BLOCKS)


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    registry = get_registry()
    for mechanism in (RELAYS, FLICKERS, TURNERS, LATCHES, BARS, BELTS, ICE, LEDGES):
        registry = with_item(registry, "mechanism", mechanism)
    with using_registry(registry):
        yield


def relay(*controls: str, **fields: Any) -> Thing:
    return Thing("relays", {"controls": list(controls), **fields})


def turner(to: int) -> Thing:
    return Thing("turners", {"to": to})


LATCH, BAR, LEDGE = (Thing(kind, {}) for kind in ("latches", "bars", "ledges"))


def belt(direction: int) -> Thing:
    return Thing("belts", {"direction": direction})


def room(row: str, above: str = "", **things: Any) -> Episode:
    """An episode in a row, with another row above it if need be."""
    width = len(row) + 2
    rows = [f"#{line.ljust(len(row), '.')}#" for line in (above, row)] if above else [f"#{row}#"]
    return begin(draw("\n".join(("#" * width, *rows, "#" * width)), **things))


def facing_left(episode: Episode) -> Episode:
    play(episode, "LL")
    return episode


def test_entering_is_for_the_agent_alone() -> None:
    """A block that is pushed onto something is admitted like the agent, but turns nobody; the agent after it does."""
    episode = room("@bt..G", b=block(), t=turner(to=1))
    assert [play(episode, "F").agent_direction for _ in "ab"] == [0, 1]


# --- Settling ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chain", ["pqr", "rqp", "qrp"])
def test_a_signal_passes_all_relays_in_one_step(chain: str) -> None:
    """In whatever order the file lists them."""
    first, second, third = chain
    relays = {first: relay(second), second: relay(third), third: relay("g")}
    episode = room("@s.pqr.gG", s=switch(first, switch_type="hold"), g=gate(), **relays)
    assert episode.step(2)[-1] == Opened("g", episode.world.by_id["g"].cells)


def test_a_chain_is_settled_at_the_start() -> None:
    episode = room("@.spqgG", s=switch("p", initial_state="on"), p=relay("q"), q=relay("g"), g=gate())
    assert look(episode).open_gates == {"g"}


def test_unsettled_relays_are_refused_at_the_start() -> None:
    with pytest.raises(InvalidTaskError) as refused:
        room("@.pqG", p=relay("q"), q=relay("p", inverts=True))
    assert [str(problem) for problem in refused.value.problems] == [
        f"mechanisms.relays[{number}]: never settles at the start: each change leads to another in 'p', 'q'"
        for number in range(2)
    ]


def test_entities_that_stop_settling_later_are_a_fault() -> None:
    episode = room("@sf.G", s=switch("f", switch_type="hold"), f=Thing("flickers", {}))
    with pytest.raises(
        PluginFault,
        match=r"^mechanism 'flickers'.*: settling never ends in the task 'drawn': each change of 'f' leads to another$",
    ):
        episode.step(2)


# --- Pushing -------------------------------------------------------------------------------------------------------


def test_admits_can_refuse_a_block() -> None:
    """A latch admits what travels rightwards only."""
    episode = facing_left(room("G.lb@", l=LATCH, b=block()))
    assert episode.step(2) == (Bumped("b"),)
    episode = room("@bl.G", l=LATCH, b=block())
    assert [type(event) for event in episode.step(2)] == [Pushed, Moved]


def test_a_solid_entity_refuses_blocks() -> None:
    assert room("@bi.G", i=BAR, b=block()).step(2) == (Bumped("b"),)


def test_the_agent_does_not_follow_a_block_onto_a_refusing_floor() -> None:
    """It has pushed the block onto the latch rightwards, and would push it on from below."""
    episode = begin(draw("#######\n#.....#\n#@bl..#\n#....G#\n#######", b=block(), l=LATCH))
    before = play(episode, "F RF LF L")
    assert before.block_positions == {"b": (3, 2)}
    assert episode.step(2) == (Bumped("l"),)
    assert attrs.evolve(look(episode), step_count=before.step_count) == before


def test_a_hidden_refusing_floor_is_discovered() -> None:
    hidden = {"hidden_mechanisms": ["l"]}
    episode = begin(draw("#######\n#.....#\n#@bl..#\n#....G#\n#######", b=block(), l=LATCH, rules=hidden))
    play(episode, "F RF LF L")
    assert episode.step(2) == (Discovered("l", episode.world.by_id["l"].cells), Bumped("l"))


def test_admits_is_the_same_for_carried_and_pushed_blocks() -> None:
    """The ledge admits neither from the right."""
    pushed = facing_left(room("G.lb@", l=LEDGE, b=block()))
    assert pushed.step(2) == (Bumped("b"),)
    carried = begin(draw("########\n#G.lcb@#\n########", l=LEDGE, c=belt(2), b=block()))
    play(carried, "LL F")
    assert look(carried).block_positions == {"b": (4, 1)}
    assert not any(isinstance(event, Carried) for event in carried.step(6))


# --- Entering ------------------------------------------------------------------------------------------------------


def test_walking_backward_onto_a_turner() -> None:
    """Also where it turns to the direction of travel."""
    episode = room("t@.G", t=turner(2))
    episode.perform(acts.move_backward)
    assert episode.state.heading == 2


def test_carrying_onto_a_turner() -> None:
    """Also where it turns to the direction in which it was carried."""
    episode = begin(draw("#####\n#ct.#\n#@.G#\n#####", c=belt(0), t=turner(0)))
    play(episode, "LF")
    assert (look(episode).agent_position, episode.state.heading) == ((2, 1), 0)


@pytest.mark.parametrize("turned", [None, False])
def test_an_unannounced_turn_is_a_fault(turned: bool | None) -> None:
    def turn(world: World, state: State, floor: Entity) -> Any:
        return (state.facing(1), ()) if turned is None else Entered(state.facing(1), (), turned)

    with using_registry(with_item(get_registry(), "mechanism", plain_mechanism(name="turns", noun="t", on_enter=turn))):
        episode = room("@t.G", t=Thing("turns", {}))
        with pytest.raises(
            PluginFault, match=r"failed in on_enter: set the agent's heading without saying so: return Ent"
        ):
            episode.step(2)


def test_hooks_of_a_left_cell_do_not_run() -> None:
    entered: list[str] = []

    def slip(world: World, state: State, sled: Entity) -> tuple[State, tuple[Event, ...]]:
        entered.append("sled")
        return state.at(world.start.cell), ()

    def creak(world: World, state: State, floor: Entity) -> None:
        entered.append(f"floor {state.cell == world.start.cell}")

    sled = plain_mechanism(name="sleds", noun="sled", traits=lambda sled, value: Trait.PUSHABLE, on_enter=slip)
    floor = plain_mechanism(name="floors", noun="floor", on_enter=creak)
    registry = with_item(with_item(get_registry(), "mechanism", sled), "mechanism", floor)
    with using_registry(registry):
        episode = begin(draw("#####\n#f@.#\n#s.G#\n#####", f=Thing("floors", {}), s=Thing("sleds", {})))
        world, state = episode.world, episode.state
        on_the_floor = state.with_place(world.by_id["s"].index, world.by_id["f"].cells[0])
        episode.restore(episode.snapshot._replace(state=on_the_floor))
        episode.perform(acts.move_backward)
    assert entered == ["sled"]


def test_silent_hidden_chutes_are_discovered() -> None:
    """Neither hook has an event of its own."""

    def pass_on(world: World, state: State, chute: Entity) -> tuple[State, tuple[Event, ...]]:
        return state.at(world.ahead(state)), ()

    chutes = plain_mechanism(name="chutes", noun="chute", on_enter=pass_on)
    with using_registry(with_item(get_registry(), "mechanism", chutes)):
        things = {"a": Thing("chutes", {}), "b": Thing("chutes", {})}
        episode = room("@ab..G", rules={"hidden_mechanisms": ["a", "b"]}, **things)
        found = {event.entity for event in episode.step(2) if isinstance(event, Discovered)}
    assert (found, look(episode).agent_position) == ({"a", "b"}, (4, 1))
