"""Sealed seams, on a lattice of squares whose exits also lead to the diagonal neighbours."""

import attrs
import pytest

from gridworld.actions import Action
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world import State, Topology, World, compile_world, square_topology, transition
from gridworld.world.events import Bumped
from gridworld.world.topology import NO_CELL, sealed_exits, sealed_seams
from support.worlds import Thing, block, door, draw, gate, hazard, key, switch, teleporter

STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
RIGHT, DOWN_RIGHT, DOWN, UP_LEFT = 0, 1, 2, 5


def kings_topology(width: int, height: int) -> Topology:
    """Squares with the eight headings of a king in chess."""
    square = square_topology(width, height)

    def beyond(x: int, y: int) -> int:
        return square.patches.get(Position(x, y), (NO_CELL,))[0]

    exits = tuple(beyond(x + dx, y + dy) for x, y in square.lattice for dx, dy in STEPS)
    edges = (tuple(range(8)),) * square.cell_count
    return attrs.evolve(square, name="king", heading_count=8, exits=exits, edges=edges)


KING = kings_topology(4, 4)


def cell(x: int, y: int) -> int:
    return KING.anchor(Position(x, y))


def on_kings_moves(task: TaskSpecification) -> World:
    return compile_world(task, kings_topology(task.maze.width, task.maze.height))


# --- Which seams are sealed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("barriers", "sealed"),
    [
        ([], None),
        *(([barrier], None) for barrier in ((2, 1), (1, 2), (1, 1), (2, 2))),
        ([(2, 1), (1, 2)], ((1, 1), (2, 2))),
        ([(1, 1), (2, 2)], ((2, 1), (1, 2))),
        ([(0, 1), (1, 1), (2, 1), (3, 1)], None),
    ],
)
def test_sealed_seams(barriers: list[tuple[int, int]], sealed: tuple[tuple[int, int], tuple[int, int]] | None) -> None:
    """Two barriers seal the seam between them in both directions."""
    expected = frozenset()
    if sealed:
        first, second = cell(*sealed[0]), cell(*sealed[1])
        expected = frozenset({(first, second), (second, first)})
    assert sealed_seams(KING, {Position(*barrier) for barrier in barriers}) == expected


def test_barriers_everywhere_seal_all_diagonals() -> None:
    seams = sealed_seams(KING, KING.patches)
    assert len(seams) == 4 * 3 * 3
    assert all(
        KING.lattice[first].x != KING.lattice[second].x and KING.lattice[first].y != KING.lattice[second].y
        for first, second in seams
    )


# --- Exits -----------------------------------------------------------------------------------------------------------


def test_sealed_exits() -> None:
    seams = sealed_seams(KING, {Position(2, 1), Position(1, 2)})
    exits = sealed_exits(KING, seams)
    gone = {place for place, beyond in enumerate(KING.exits) if exits[place] != beyond}
    assert gone == {cell(1, 1) * 8 + DOWN_RIGHT, cell(2, 2) * 8 + UP_LEFT}
    assert all(exits[place] == NO_CELL for place in gone)


# --- In a world ------------------------------------------------------------------------------------------------------

BARRIERS: dict[str, Thing | None] = {
    "a wall": None,
    "a locked door": door("red"),
    "a closed door": door(initial_state="closed"),
    "an open door": door(initial_state="open"),
    "a closed gate": gate(),
    "an open gate": gate("open"),
}
OTHERS: dict[str, Thing | None] = {
    "floor": None,
    "a hazard": hazard(),
    "a switch": switch(),
    "a block": block(),
    "a fixed block": block(pushable=False),
    "a key": key("green"),
    "a teleporter": teleporter(),
}


def between(above: Thing | str, below: Thing | str) -> World:
    """A world in which two things, or ``#`` and ``.``, lie beside the seam between the start and the goal.

    The cell to the left of the start is free, so that the start is never sealed in.
    """
    things, characters = {"k": key("red")}, []
    for name, thing in (("a", above), ("b", below)):
        if isinstance(thing, str):
            characters.append(thing)
            continue
        characters.append(name)
        things[name + "xy"["ab".index(name)] if thing.kind == "teleporters" else name] = thing
    picture = f"#######\n#.@{characters[0]}xk#\n##{characters[1]}Gy.#\n#######"
    return on_kings_moves(draw(picture, **things))


def is_sealed(world: World) -> bool:
    """Whether the seam between the start and the goal is sealed; it has to be so in both directions."""
    start, goal = world.start.cell, world.topology.anchor(world.task.maze.goal)
    there, back = (start, goal) in world.seams, (goal, start) in world.seams
    assert there == back
    assert world.exits[start * 8 + DOWN_RIGHT] == (NO_CELL if there else goal)
    assert world.exits[goal * 8 + UP_LEFT] == (NO_CELL if back else start)
    return there


@pytest.mark.parametrize("below", BARRIERS)
@pytest.mark.parametrize("above", BARRIERS)
def test_walls_doors_and_gates_are_barriers(above: str, below: str) -> None:
    assert is_sealed(between(BARRIERS[above] or "#", BARRIERS[below] or "#"))


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("barrier", BARRIERS)
def test_one_barrier_leaves_the_seam_open(barrier: str, other: str) -> None:
    assert not is_sealed(between(BARRIERS[barrier] or "#", OTHERS[other] or "."))
    assert not is_sealed(between(OTHERS[other] or ".", BARRIERS[barrier] or "#"))


@pytest.mark.parametrize("other", OTHERS)
def test_other_entities_are_not_barriers(other: str) -> None:
    assert not is_sealed(between(OTHERS[other] or ".", OTHERS["floor"] or "."))


def test_a_world_on_squares_has_no_seams() -> None:
    task = draw("######\n#.@#.#\n###.G#\n######")
    world = compile_world(task, square_topology(6, 4))
    assert (world.seams, world.exits) == (frozenset(), world.topology.exits)


def facing(world: World, heading: int) -> State:
    return world.start.facing(heading)


def test_moving_through_seams() -> None:
    sealed, open_ = between("#", "#"), between("#", ".")
    state, events = transition(sealed, facing(sealed, DOWN_RIGHT), Action.MOVE_FORWARD)
    assert (state.cell, events) == (sealed.start.cell, (Bumped(None),))
    state, _ = transition(open_, facing(open_, DOWN_RIGHT), Action.MOVE_FORWARD)
    assert state.cell == open_.topology.anchor(open_.task.maze.goal)


def test_an_open_door_still_seals() -> None:
    world = between(door(initial_state="closed"), "#")
    opened, _ = transition(world, facing(world, RIGHT), Action.TOGGLE)
    assert opened.values != world.start.values
    state, _ = transition(world, opened.facing(DOWN_RIGHT), Action.MOVE_FORWARD)
    assert state.cell == world.start.cell


ACROSS = {
    True: "######\n#.@#.#\n###x.#\n##..G#\n######",
    False: "######\n#.@#.#\n##.x.#\n##..G#\n######",
}
"""A thing across a seam from the start, by whether the seam is sealed."""


@pytest.mark.parametrize(
    ("thing", "action"), [(key(), Action.PICKUP), (switch(), Action.TOGGLE), (block(), Action.MOVE_FORWARD)]
)
def test_acting_through_seams(thing: Thing, action: Action) -> None:
    for sealed, picture in ACROSS.items():
        task = draw(picture, x=thing) if thing.kind != "blocks" else draw(picture.replace("..G", ".G."), x=thing)
        world = on_kings_moves(task)
        after, _ = transition(world, facing(world, DOWN_RIGHT), action)
        changed = (after.values, after.places) != (world.start.values, world.start.places)
        assert changed == (not sealed)


@pytest.mark.parametrize(("beside", "moves"), [("#", False), (".", True)])
def test_pushing_through_seams(beside: str, moves: bool) -> None:
    world = on_kings_moves(draw(f"#####\n#@.G#\n#.b{beside}#\n#.#.#\n#####", b=block()))
    after, _ = transition(world, facing(world, DOWN_RIGHT), Action.MOVE_FORWARD)
    assert (after.places != world.start.places) == moves
    assert (after.cell != world.start.cell) == moves
