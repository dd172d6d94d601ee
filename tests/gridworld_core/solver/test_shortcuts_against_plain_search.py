"""Tasks in which a shortcut of the solver would go wrong if it were taken where it must not be.

Each is compared with a plain search that shares no code with the solver, as random tasks are in
``test_against_plain_search.py``; these are what random tasks hardly ever are.
"""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from gridworld.plugins import get_registry
from gridworld.solver import Verdict, solve, tabulate
from gridworld.solver.pattern_databases import is_push_puzzle
from gridworld.solver.table_cache import agrees_with_kernel
from gridworld.task.catalogs import Catalogs
from gridworld.task.reading import task_from_dict
from gridworld.world import Entity, State, World, compile_world, square_topology
from gridworld.world.events import Changed, Event
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import MechanismType, Trait
from gridworld.world.state import NOTHING
from support.plain_search import explore_plainly
from support.plugins import with_item
from support.random_tasks import find_differences
from support.sample_plugins import draw_carrying, plain_mechanism, with_carriers
from support.worlds import Thing, block, compiled, describe, door, draw, gate, hazard, key, switch

MAX_STATES = 20_000


def expect_agreement(world: World, length: int | None) -> None:
    """The solver agrees with the plain search, which says what was meant by the task."""
    plain = explore_plainly(world, MAX_STATES)
    assert plain is not None
    assert plain.length == length
    assert find_differences(world, MAX_STATES) == []


def test_a_block_that_holds_a_way_open() -> None:
    task = draw(
        """
        ##########
        #.as.#####
        #@...gbG.#
        ##########
        """,
        a=block(),
        b=block(),
        s=switch("g", switch_type="hold"),
        g=gate(),
        goal={"type": "push_block_to", "target_ids": ["b"], "target_positions": [[7, 2]]},
    )
    expect_agreement(compiled(task), 11)


def test_a_dropped_key_that_stops_a_slide() -> None:
    with with_carriers():
        task = draw_carrying(
            """
            #########
            #@k***..#
            #.###G#.#
            #.#####.#
            #.......#
            #########
            """,
            k=key("red"),
        )
        expect_agreement(compiled(task), 27)


def test_a_dropped_key_that_blocks_a_belt() -> None:
    with with_carriers():
        task = draw_carrying(
            """
            #######
            #@k>..#
            #.#G#.#
            #.###.#
            #.....#
            #######
            """,
            k=key("red"),
        )
        expect_agreement(compiled(task), 25)


def test_an_agent_in_the_way_of_a_carried_block() -> None:
    with with_carriers():
        task = draw_carrying(
            """
            ########
            #@b<..G#
            ########
            """,
            b=block(),
        )
        expect_agreement(compiled(task), None)


def test_pushes_are_counted_once() -> None:
    task = draw(
        """
        ######
        #@...#
        #..G.#
        #..a.#
        #....#
        ######
        """,
        a=block(),
        goal={"type": "push_block_to", "target_ids": ["a"], "target_positions": [[2, 1]]},
    )
    expect_agreement(compiled(task), 15)


def test_a_shorter_way_to_a_known_state() -> None:
    """Compared with a table, which is quicker than a plain search, and made without what guides the solver."""
    task = draw(
        """
        #########
        #.....G.#
        #.......#
        #.b..#..#
        #.....a.#
        #.@..#..#
        #########
        """,
        a=block(),
        b=block(),
        goal={"type": "push_block_to", "target_ids": ["a", "b"], "target_positions": [[7, 5], [1, 1]]},
    )
    world = compiled(task)
    assert solve(world).length == tabulate(world).distance[0] == 25


# --- Mechanisms and goals made for this ----------------------------------------------------------------------------


def mechanism(**fields: Any) -> MechanismType:
    return plain_mechanism(fills_patch=False, **fields)


def to_the_other_side(world: World, state: State, hatch: Entity) -> tuple[State, tuple[Event, ...]] | None:
    beyond = world.exits[hatch.cells[0] * world.headings + state.heading]
    return (state.at(beyond), ()) if world.is_free(state, beyond) else None


HATCHES = mechanism(name="hatches", noun="hatch", traits=lambda spec, value: Trait.SOLID, on_toggle=to_the_other_side)
"""Toggled, it lets the agent through, from both sides."""


def whoever_is_on_the_left(world: World, state: State, lamp: Entity) -> tuple[int, tuple[Event, ...]]:
    return int(world.topology.lattice[state.cell].x < 3), ()


GUARDS = mechanism(
    name="guards",
    noun="guard",
    values=("asleep", "awake"),
    traits=lambda spec, value: Trait.SOLID if value == "awake" else Trait.NONE,
    tick=whoever_is_on_the_left,
    local=False,
)
"""Bars the way while the agent is far away; it is not local."""


def flip(world: World, state: State, latch: Entity) -> tuple[State, tuple[Event, ...]]:
    return state.with_value(latch.index, 1 - state.values[latch.index]), ()


def open_if_unlatched(world: World, state: State, safe: Entity) -> tuple[State, tuple[Event, ...]] | None:
    latches = [each.index for each in world.entities if each.type.name == "latches"]
    return (state.with_value(safe.index, 1), ()) if all(state.values[latch] for latch in latches) else None


LATCHES = mechanism(
    name="latches", noun="latch", values=("on", "off"), traits=lambda spec, value: Trait.SOLID, on_toggle=flip
)
SAFES = mechanism(
    name="safes",
    noun="safe",
    values=("shut", "open"),
    traits=lambda spec, value: Trait.SOLID if value == "shut" else Trait.NONE,
    on_toggle=open_if_unlatched,
)
"""Opens only while all latches are off."""
PARCELS = mechanism(name="parcels", noun="parcel", traits=lambda spec, value: Trait.SOLID | Trait.PORTABLE)
"""Keys that open nothing, and do nothing when they are picked up."""


def left_behind(world: World) -> Callable[[State], bool]:
    there, home = world.topology.anchor(world.task.maze.goal), world.start.cell
    return lambda state: there in state.places and state.cell == home


LEAVE_BEHIND = GoalType(
    name="leave_behind",
    summary="For tests.",
    reached=left_behind,
    mission=lambda world: "leave it there and come back",
    validate=lambda task, entries: (),
    agent_cells=lambda world: (world.start.cell,),
    ignores_dropped=False,
)
"""Drop a key at the goal, and come back to the start."""


def world_of(row: str, catalogs: Catalogs, **options: Any) -> World:
    """A corridor, with walls around the row."""
    wall = "#" * (len(row) + 2)
    task = task_from_dict(describe(f"{wall}\n#{row}#\n{wall}", **options), catalogs)
    return compile_world(task, square_topology(*task.maze.dimensions), catalogs)


def test_a_toggle_that_moves_the_agent() -> None:
    catalogs = with_item(get_registry(), "mechanism", HATCHES)
    expect_agreement(world_of("@.h..G", catalogs, h=Thing("hatches", {})), 4)


def test_a_toggle_that_depends_on_another_entity() -> None:
    catalogs = with_item(with_item(get_registry(), "mechanism", LATCHES), "mechanism", SAFES)
    expect_agreement(world_of("l@.sG", catalogs, l=Thing("latches", {}), s=Thing("safes", {})), 9)


def test_a_pickup_that_depends_on_the_hand() -> None:
    catalogs = with_item(get_registry(), "mechanism", PARCELS)
    expect_agreement(world_of("@pqG", catalogs, p=Thing("parcels", {}), q=Thing("parcels", {})), 10)


def test_a_mechanism_that_is_not_local() -> None:
    catalogs = with_item(get_registry(), "mechanism", GUARDS)
    expect_agreement(world_of("@....gG", catalogs, g=Thing("guards", {})), 6)


def test_a_key_that_has_to_lie_somewhere() -> None:
    catalogs = with_item(get_registry(), "goal", LEAVE_BEHIND)
    expect_agreement(world_of("@k..G", catalogs, k=key("red"), goal={"type": "leave_behind"}), 10)


@pytest.mark.parametrize("ignores_dropped", [True, False])
def test_undeclared_properties_are_not_assumed(ignores_dropped: bool) -> None:
    hatches = attrs.evolve(HATCHES, local=False, ignores_dropped=ignores_dropped)
    catalogs = with_item(get_registry(), "mechanism", hatches)
    expect_agreement(world_of("@.h.k.G", catalogs, h=Thing("hatches", {}), k=key("red")), 6)


FUSES = mechanism(
    name="fuses",
    noun="fuse",
    values=tuple(map(str, range(32))),
    tick=lambda world, state, fuse: (min(state.values[fuse.index] + 1, 31), ()),
)
"""Burns down, once and for all."""
CRATES = mechanism(
    name="crates", noun="crate", traits=lambda spec, value: Trait.SOLID | Trait.PORTABLE | Trait.PUSHABLE
)
"""Can be carried and pushed."""


def parcels_delivered(world: World) -> Callable[[State], bool]:
    places = tuple(world.topology.anchor(place) for place in ((2, 2), (3, 1)))
    return lambda state: state.places == places


DELIVER = GoalType(
    name="deliver",
    summary="For tests.",
    reached=parcels_delivered,
    mission=lambda world: "deliver both parcels",
    validate=lambda task, entries: (),
    agent_cells=lambda world: (),
    thing_cells=lambda world: {0: (world.topology.anchor((2, 2)),), 1: (world.topology.anchor((3, 1)),)},
)
"""Both parcels lie where they have to be."""


def test_a_burning_fuse_under_relaxation() -> None:
    """A key has to be put down and fetched again while a fuse burns: no moment is like another."""
    catalogs = with_item(get_registry(), "mechanism", FUSES)
    data = {
        "task_id": "fuse",
        "seed": 1,
        "difficulty_tier": 3,
        "max_steps": 100,
        "goal": {"type": "reach_position"},
        "rules": {"key_consumption": False, "hidden_mechanisms": ["grey door", "grey key"]},
        "maze": {"dimensions": [4, 7], "start": [2, 2], "goal": [1, 5], "walls": [[2, 3], [2, 4]]},
        "mechanisms": {
            "doors": [
                {"id": "grey door", "position": [1, 3], "requires_key": "grey"},
                {"id": "red door", "position": [1, 4], "requires_key": "red"},
            ],
            "keys": [
                {"id": "grey key", "position": [2, 1], "color": "grey"},
                {"id": "red key", "position": [1, 2], "color": "red"},
            ],
            "switches": [{"id": "plate", "position": [1, 1], "switch_type": "hold"}],
            "fuses": [{"id": "fuse", "position": [2, 5]}],
        },
    }
    task = task_from_dict(data, catalogs)
    world = compile_world(task, square_topology(*task.maze.dimensions), catalogs)
    plain = explore_plainly(world, 300_000)
    assert plain is not None
    assert solve(world).length == plain.length == 28


def test_a_portable_and_pushable_entity() -> None:
    catalogs = with_item(get_registry(), "mechanism", CRATES)
    rows = "########\n#@..s###\n#c...gG#\n########"
    things = {"c": Thing("crates", {}), "s": switch("g", switch_type="hold"), "g": gate()}
    task = task_from_dict(describe(rows, **things), catalogs)
    expect_agreement(compile_world(task, square_topology(*task.maze.dimensions), catalogs), 12)


@pytest.mark.parametrize("start", [(1, 1), (4, 1), (4, 3), (1, 3)])
def test_an_entity_to_carry_is_not_taken_for_one_to_push(start: tuple[int, int]) -> None:
    catalogs = with_item(with_item(get_registry(), "mechanism", PARCELS), "goal", DELIVER)
    rows = [list("######"), list("#....#"), list("#p..q#"), list("#.G..#"), list("######")]
    rows[start[1]][start[0]] = "@"
    things = {"p": Thing("parcels", {}), "q": Thing("parcels", {})}
    drawn = describe("\n".join(map("".join, rows)), goal={"type": "deliver"}, **things)
    task = task_from_dict(drawn, catalogs)
    world = compile_world(task, square_topology(*task.maze.dimensions), catalogs)
    plain = explore_plainly(world, 100_000)
    assert plain is not None
    assert plain.length is not None
    assert solve(world).length == plain.length


def test_a_push_puzzle_beyond_the_limit() -> None:
    goal = {"type": "push_block_to", "target_ids": ["a"], "target_positions": [[5, 1]]}
    world = compiled(draw("########\n#@.a.G.#\n########", a=block(), goal=goal))
    assert solve(world, max_states=5).verdict is Verdict.GAVE_UP
    assert solve(world).length == 3


def drop_at_the_lever(world: World, state: State, lever: Entity) -> tuple[State, tuple[Event, ...]] | None:
    """The first use puts a parcel beside the lever."""
    value, tray = state.values[lever.index], lever.cells[0] + 1
    if value == 2:
        return None
    used = state.with_value(lever.index, value + 1)
    free = value == 0 and state.carried == NOTHING and world.thing_at(state, tray) == NOTHING
    return (used.with_place(0, tray) if free else used), ()


LEVERS = mechanism(
    name="levers",
    noun="lever",
    values=("unused", "used once", "used twice"),
    traits=lambda spec, value: Trait.SOLID,
    on_toggle=drop_at_the_lever,
)
LANTERNS = mechanism(
    name="lanterns",
    noun="lantern",
    values=("new", "taken", "lit"),
    traits=lambda spec, value: Trait.SOLID | Trait.PORTABLE,
    on_pickup=lambda world, state, it: (state.with_value(it.index, max(1, state.values[it.index])), ()),
    on_toggle=lambda world, state, it: (state.with_value(it.index, 2), ()) if state.values[it.index] == 1 else None,
)
"""Can be lit once it was in the hand."""
CARPETS = mechanism(
    name="carpets",
    noun="carpet",
    traits=lambda spec, value: Trait.PORTABLE,
    on_enter=lambda world, state, carpet: (state.at(world.start.cell), ()),
)
"""Takes whoever steps on it to the start."""


def last_value_of(kind: str) -> GoalType:
    """The goal that a thing of a kind has the last of its values."""

    def reached(world: World) -> Callable[[State], bool]:
        (thing,) = [entity for entity in world.entities if entity.type.name == kind]
        return lambda state: state.values[thing.index] == len(thing.type.values) - 1

    return GoalType(
        name="last_value",
        summary="For tests.",
        reached=reached,
        mission=lambda world: "use it",
        validate=lambda task, entries: (),
        agent_cells=lambda world: [cell for cell in range(world.topology.cell_count) if cell != world.start.cell],
        ignores_dropped=True,
    )


def world_drawn(picture: str, *kinds: MechanismType, goals: tuple[GoalType, ...] = (), **options: Any) -> World:
    catalogs: Catalogs = get_registry()
    for kind in kinds:
        catalogs = with_item(catalogs, "mechanism", kind)
    for goal in goals:
        catalogs = with_item(catalogs, "goal", goal)
    task = task_from_dict(describe(picture, **options), catalogs)
    return compile_world(task, square_topology(*task.maze.dimensions), catalogs)


def test_an_entity_that_appears_elsewhere() -> None:
    picture = "#######\n#.@h..#\n#p..G.#\n#######"
    things = {"h": Thing("levers", {}), "p": Thing("parcels", {})}
    goals = (last_value_of("levers"),)
    world = world_drawn(picture, LEVERS, PARCELS, goals=goals, goal={"type": "last_value"}, **things)
    expect_agreement(world, 2)


def test_a_lantern_lit_on_the_floor() -> None:
    goals = (last_value_of("lanterns"),)
    lantern = Thing("lanterns", {})
    world = world_drawn("#####\n#l@G#\n#####", LANTERNS, goals=goals, goal={"type": "last_value"}, l=lantern)
    expect_agreement(world, 5)


def test_a_portable_entity_with_on_enter() -> None:
    picture = "########\n#@c....#\n#.####.#\n#.....G#\n########"
    expect_agreement(world_drawn(picture, CARPETS, c=Thing("carpets", {})), 9)


# --- What is known of states that differ in where dropped things lie -------------------------------------------------


def pull_if_the_way_is_clear(world: World, state: State, crank: Entity) -> tuple[State, tuple[Event, ...]] | None:
    """Works only while nothing lies two cells beyond it."""
    beyond = crank.cells[0] + 2
    return (state.with_value(crank.index, 1), ()) if world.thing_at(state, beyond) == NOTHING else None


CRANKS = mechanism(
    name="cranks",
    noun="crank",
    values=("new", "used"),
    traits=lambda spec, value: Trait.SOLID,
    on_toggle=pull_if_the_way_is_clear,
    ignores_dropped=False,
)


def test_a_mechanism_that_depends_on_a_dropped_key() -> None:
    picture = "########\n#@.c..G#\n#p.....#\n########"
    goals = (last_value_of("cranks"),)
    things = {"c": Thing("cranks", {}), "p": Thing("parcels", {})}
    expect_agreement(world_drawn(picture, CRANKS, PARCELS, goals=goals, goal={"type": "last_value"}, **things), 2)


def test_a_block_in_front_of_a_key() -> None:
    """Whether it can be pushed is asked for each place of the key."""
    task = draw("#########\n#k@.b...#\n#......G#\n#########", k=key(), b=block())
    expect_agreement(compiled(task), 8)


def test_gates_and_a_key_that_lies_anywhere() -> None:
    """Gates react to the lever alone, and so what comes of an action is the same wherever the key lies."""
    task = draw(
        """
        #########
        #@k.s...#
        #####g###
        #...D..G#
        #########
        """,
        k=key("red"),
        s=switch("g", switch_type="toggle"),
        g=gate(),
        D=door("red"),
    )
    world = compiled(task)
    assert find_differences(world, MAX_STATES) == []
    assert len(tabulate(world)) > 500


def test_a_dropped_key_bars_the_way() -> None:
    task = draw("########\n#@k...G#\n########", k=key())
    expect_agreement(compiled(task), 6)


def test_time_passes_while_walking() -> None:
    """A fuse that has just been lit has burnt on before the agent is anywhere else, or looks anywhere else."""
    world = world_drawn("######\n#@..f#\n#...G#\n######", FUSES, f=Thing("fuses", {}))
    assert find_differences(world, MAX_STATES) == []


THORNS = mechanism(
    name="thorns",
    noun="thorn",
    traits=lambda spec, value: Trait.DEADLY,
    admits=lambda world, state, thorn: state.heading == 0,
)
"""Deadly to whoever comes from the left, and in the way from elsewhere."""


def test_a_hazard_that_admits_from_one_side() -> None:
    """With a gate on the way, so that not all that is known of one place is known of all that are like it."""
    picture = "#######\n#@.t..#\n#.....#\n#.s.gG#\n#######"
    things = {"t": Thing("thorns", {}), "s": switch("g"), "g": gate()}
    world = world_drawn(picture, THORNS, **things)
    assert find_differences(world, MAX_STATES) == []


def test_a_gate_and_a_hazard_in_front() -> None:
    task = draw(
        """
        ########
        #@.h.s.#
        #..g..G#
        ########
        """,
        h=hazard(),
        s=switch("g", switch_type="toggle"),
        g=gate(),
    )
    assert find_differences(compiled(task), MAX_STATES) == []


PUDDLES = mechanism(name="puddles", noun="puddle", traits=lambda spec, value: Trait.DEADLY | Trait.TAKES_BLOCKS)


def test_a_block_on_a_hazard() -> None:
    picture = "#######\n#.....#\n#@bp..#\n#.##.G#\n#######"
    world = world_drawn(picture, PUDDLES, b=block(), p=Thing("puddles", {}))
    assert find_differences(world, MAX_STATES) == []


def like_the_first_of(source: str) -> Callable[[World, State, Entity], tuple[int, tuple[Event, ...]] | None]:
    def derive(world: World, state: State, lamp: Entity) -> tuple[int, tuple[Event, ...]] | None:
        value = next(state.values[each.index] for each in world.entities if each.type.name == source)
        return None if value == state.values[lamp.index] else (value, (Changed(lamp.id, lamp.cells, "other"),))

    return derive


def test_effects_elsewhere_in_a_deadly_step() -> None:
    """The second lamp follows the first one only when something changes once more, be it by a step to death."""
    solid: dict[str, Any] = {"values": ("off", "on"), "traits": lambda spec, value: Trait.SOLID}
    switches = mechanism(name="latches", noun="latch", on_toggle=flip, **solid)
    first = mechanism(name="lamps", noun="lamp", derive=like_the_first_of("latches"), **solid)
    second = mechanism(name="bulbs", noun="bulb", derive=like_the_first_of("lamps"), **solid)
    things = {"s": Thing("latches", {}), "l": Thing("lamps", {}), "u": Thing("bulbs", {}), "h": hazard()}
    world = world_drawn("#######\n#s@hG.#\n#.l.u.#\n#######", switches, first, second, **things)
    table = tabulate(world)
    assert agrees_with_kernel(table, states=len(table))


# --- What things that are pushed need on their own -------------------------------------------------------------------


SHELVES = mechanism(name="shelves", noun="shelf", traits=lambda spec, value: Trait.SOLID | Trait.TAKES_BLOCKS)


def test_a_block_on_a_shelf_cannot_be_pushed_off_it() -> None:
    """Whoever pushed it would come to stand on the shelf: the lower block has to go round."""
    picture = "########\n#@as.G.#\n#.b....#\n#......#\n########"
    goal = {"type": "push_block_to", "target_ids": ["a", "b"], "target_positions": [[3, 1], [5, 1]]}
    world = world_drawn(picture, SHELVES, a=block(), b=block(), s=Thing("shelves", {}), goal=goal)
    assert is_push_puzzle(world)
    assert find_differences(world, MAX_STATES) == []


def test_a_block_behind_a_door() -> None:
    """The crank minds where things lie, so that the key to the door is not forgotten: the block alone is behind it."""
    picture = "#########\n#@k#...G#\n#..Db...#\n#c#######\n#########"
    goal = {"type": "push_block_to", "target_ids": ["b"], "target_positions": [[6, 2]]}
    things = {"c": Thing("cranks", {}), "k": key("red"), "D": door("red"), "b": block()}
    expect_agreement(world_drawn(picture, CRANKS, goal=goal, **things), 9)
