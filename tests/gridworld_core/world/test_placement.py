"""Tasks that a tiling refuses: sealed starts, colliding patches, missing cells."""

from typing import Any

import attrs
import pytest

from gridworld.errors import InvalidTaskError
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world import Topology, compile_world, square_topology
from gridworld.world.topology import NO_CELL
from support.tilings import make_topology, on_all_tilings
from support.worlds import Thing, block, corridor, door, draw, gate, hazard, key

SHUT = door(initial_state="closed")
SURVIVAL = {"type": "survive_steps"}


def on_tiling(name: str, task: TaskSpecification) -> Topology:
    return make_topology(name, task.maze.dimensions)


def problems(task: TaskSpecification, topology: Topology) -> list[tuple[str, str]]:
    """(path, message) of the problems for which a task is refused."""
    with pytest.raises(InvalidTaskError) as caught:
        compile_world(task, topology)
    return [attrs.astuple(problem) for problem in caught.value.problems]


def sealed(x: int, y: int, tiling: str) -> list[tuple[str, str]]:
    return [("maze.start", f"[{x}, {y}] is sealed in: no way leads out of it on the tiling '{tiling}'")]


# --- Sealed starts -----------------------------------------------------------------------------------------------

WALLED_IN = "#####\n#@#G#\n#####"
CORNERS = [
    pytest.param("####\n#@##\n##G#\n####", id="below to the right"),
    pytest.param("####\n##@#\n#G##\n####", id="below to the left"),
    pytest.param("####\n##G#\n#@##\n####", id="above to the right"),
    pytest.param("####\n#G##\n##@#\n####", id="above to the left"),
]
SIDES = [
    pytest.param("####\n#@G#\n####", id="right"),
    pytest.param("###\n#@#\n#G#\n###", id="below"),
    pytest.param("####\n#G@#\n####", id="left"),
    pytest.param("###\n#G#\n#@#\n###", id="above"),
]


@on_all_tilings
@pytest.mark.parametrize("goal", [None, SURVIVAL], ids=["reach_position", "survive_steps"])
def test_a_start_among_walls_is_refused(name: str, goal: dict[str, Any] | None) -> None:
    task = draw(WALLED_IN, goal=goal)
    assert problems(task, on_tiling(name, task)) == sealed(1, 1, name)


@on_all_tilings
def test_unlisted_floor_seals_a_start(name: str) -> None:
    data = draw("#####\n#@.G#\n#####").to_dict()
    data["maze"]["floor"] = [[1, 1], [3, 1]]
    task = TaskSpecification.from_dict(data)
    assert problems(task, on_tiling(name, task)) == sealed(1, 1, name)


@on_all_tilings
@pytest.mark.parametrize("picture", CORNERS)
def test_no_way_out_between_two_walls_in_a_corner(name: str, picture: str) -> None:
    task = draw(picture)
    assert problems(task, on_tiling(name, task)) == sealed(*task.maze.start, name)


@on_all_tilings
@pytest.mark.parametrize("picture", SIDES)
def test_one_way_out_is_enough(name: str, picture: str) -> None:
    task = draw(picture)
    world = compile_world(task, on_tiling(name, task))
    assert world.topology.lattice[world.start.cell] == task.maze.start


@on_all_tilings
@pytest.mark.parametrize(
    "thing",
    [
        pytest.param(SHUT, id="closed door"),
        pytest.param(gate(), id="gate that nothing opens"),
        pytest.param(block(pushable=False), id="fixed block"),
        pytest.param(hazard(), id="hazard"),
    ],
)
def test_only_walls_seal_a_start(name: str, thing: Thing) -> None:
    task = corridor("@xG", x=thing)
    compile_world(task, on_tiling(name, task))


def test_a_tiling_without_exits_seals_the_start() -> None:
    task = corridor("@G")
    square = square_topology(*task.maze.dimensions)
    dead = attrs.evolve(square, name="standstill", exits=(NO_CELL,) * len(square.exits))
    compile_world(task, square)
    assert problems(task, dead) == sealed(1, 1, "standstill")


# --- Patches that collide ----------------------------------------------------------------------------------------

Cell = tuple[int, int]


def sharing(task: TaskSpecification, lends: dict[Cell, Cell]) -> Topology:
    """Squares on which the first cell of each pair belongs to the patch of the second one too."""
    square = square_topology(*task.maze.dimensions)
    patches = dict(square.patches)
    for lender, borrower in lends.items():
        patches[Position(*borrower)] += square.patches[Position(*lender)]
    return attrs.evolve(square, name="shared", patches=patches)


def covering(owner: str) -> str:
    return f"its patch on the tiling 'shared' covers that of {owner}"


@pytest.mark.parametrize("lends", [{(2, 1): (3, 1)}, {(3, 1): (2, 1)}], ids=["first to second", "second to first"])
def test_doors_with_a_common_cell_are_refused(lends: dict[Cell, Cell]) -> None:
    task = corridor("@de.G", d=SHUT, e=SHUT)
    assert problems(task, sharing(task, lends)) == [("mechanisms.doors[1]", covering("mechanisms.doors[0]"))]


def test_collisions_are_named_by_their_paths() -> None:
    task = corridor("@.kdgG", k=key(), d=SHUT, g=gate())
    assert problems(task, sharing(task, {(3, 1): (4, 1), (4, 1): (5, 1)})) == [
        ("mechanisms.doors[0]", covering("mechanisms.keys[0]")),
        ("mechanisms.gates[0]", covering("mechanisms.doors[0]")),
    ]


def test_all_collisions_are_reported() -> None:
    task = corridor("@de.G", d=SHUT, e=SHUT)
    assert problems(task, sharing(task, {(1, 1): (2, 1), (2, 1): (3, 1)})) == [
        ("mechanisms.doors[0]", covering("maze.start")),
        ("mechanisms.doors[1]", covering("mechanisms.doors[0]")),
    ]


def test_a_door_over_a_wall_is_refused() -> None:
    task = draw("#####\n#@dG#\n#...#\n#####", d=SHUT)
    assert problems(task, sharing(task, {(2, 0): (2, 1)})) == [("mechanisms.doors[0]", covering("a wall"))]


def test_an_object_takes_only_its_anchor() -> None:
    task = corridor("@dk.G", d=SHUT, k=key())
    compile_world(task, sharing(task, {(2, 1): (3, 1)}))


# --- Lattice cells without a cell --------------------------------------------------------------------------------


def smaller(task: TaskSpecification) -> Topology:
    """Squares that leave out the last column of a task."""
    return attrs.evolve(square_topology(task.maze.width - 1, task.maze.height), name="narrow")


def test_a_tiling_with_too_few_cells_is_refused() -> None:
    task = draw("#####\n#@.G#\n#...#\n#####")
    message = "too small for the tiling 'narrow': it has no cell for [4, 0]"
    assert problems(task, smaller(task)) == [("maze.dimensions", message)]


def test_a_tiling_with_more_cells_is_accepted() -> None:
    task = corridor("@..G")
    compile_world(task, square_topology(task.maze.width + 1, task.maze.height + 1))
