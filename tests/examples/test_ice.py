"""Ice: whoever enters slides on in the direction of travel until something stops it, on every tiling."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.solver import Verdict, solve
from gridworld.task_spec import TaskSpecification
from gridworld.world.events import Died, Moved
from support.plugins import TILINGS, on_every_tiling, win
from support.tilings import compiled_on
from support.worlds import Thing, begin, block, corridor, describe, door, draw, hazard, key, play, steps_of, teleporter

ICE = Thing("ice", {})


def frozen(letters: Iterable[str]) -> dict[str, Thing]:
    return dict.fromkeys(letters, ICE)


@pytest.mark.parametrize(
    ("row", "things", "letters", "end"),
    [
        ("@abc.G", {}, "F", (5, 1)),
        ("@abx.G", {"x": key("red")}, "F", (3, 1)),
        ("@abx.G", {"x": door("red", "closed")}, "F", (3, 1)),
        ("@abx.G", {"x": block()}, "F", (3, 1)),
        ("@abx.G", {"x": key()}, "F LRWPT", (3, 1)),
        ("@xa.G", {"x": block()}, "F", (1, 1)),
        ("@abx#y.G", {"xy": teleporter()}, "F", (6, 1)),
    ],
    ids=["to the end", "key", "door", "block", "turning is not sliding", "no block is pushed onto it", "teleporter"],
)
def test_the_agent_slides_until_something_stops_it(
    row: str, things: dict[str, Thing], letters: str, end: tuple[int, int]
) -> None:
    assert play(begin(corridor(row, **things, **frozen(set(row) & set("abc")))), letters).agent_position == end


def test_every_cell_that_is_slid_over_is_told() -> None:
    episode = begin(corridor("@ab.G", **frozen("ab")))
    assert episode.step(2) == (Moved(1 + 7, 2 + 7), Moved(2 + 7, 3 + 7), Moved(3 + 7, 4 + 7))
    assert episode.state.steps == 1


def test_a_wall_stops_the_agent_and_it_sets_out_from_there_in_another_direction() -> None:
    task = draw("######\n#@ab##\n##.c.#\n##.d.#\n##..G#\n######", **frozen("abcd"))
    assert play(begin(task), "F").agent_position == (3, 1)
    assert play(begin(task), "F RF").agent_position == (3, 4)


def test_one_slides_to_ones_death_or_onto_the_goal() -> None:
    assert begin(corridor("@abhG", h=hazard(), **frozen("ab"))).step(2)[-1] == Died("h")
    assert play(begin(corridor("@abG", **frozen("ab"))), "F").goal_reached


def test_nothing_is_dropped_on_ice() -> None:
    assert play(begin(corridor("@ka.G", k=key(), a=ICE)), "P F LL RR D").agent_carrying == "k"


RINK = """
    ########
    #@abc..#
    #..d...#
    #.efg..#
    #..h..G#
    ########
"""


@on_every_tiling
def test_the_solver_slides_and_saves_steps_in_a_corridor_of_any_cells(tiling: str) -> None:
    win(compiled_on(tiling, draw(RINK, **frozen("abcdefgh"))))
    icy, plain = corridor("@abcde.G", **frozen("abcde")), corridor("@......G")
    assert win(compiled_on(tiling, icy)).state.steps < win(compiled_on(tiling, plain)).state.steps


def test_the_solver_knows_what_ice_makes_impossible() -> None:
    """The way to the goal leaves the ice to the side, and who slides past it slides into the lava."""
    picture = "#######\n#@abch#\n###.###\n###G###\n#######"
    win(compiled_on("square", draw(picture, h=hazard())))
    assert solve(compiled_on("square", draw(picture, h=hazard(), **frozen("abc")))).verdict == Verdict.UNSOLVABLE


@given(seed=st.integers(0, 2**32 - 1), tiling=st.sampled_from(TILINGS))
def test_nobody_comes_to_rest_on_ice_while_the_way_ahead_is_free(seed: int, tiling: str) -> None:
    world = compiled_on(tiling, random_rink(random.Random(seed)))
    frozen_cells = {cell for entity in world.entities if entity.type.name == "ice" for cell in entity.cells}
    for before, _, after in steps_of(world, seed, 60):
        if after.cell != before.cell and after.cell in frozen_cells and not after.status:
            assert not world.is_free(after, world.exits[after.cell * world.headings + after.heading])


def random_rink(rng: random.Random) -> TaskSpecification:
    """A room that is half ice, with some walls, keys and blocks about; there is a way out of the start."""
    cells = [[x, y] for y in range(1, 6) for x in range(1, 7) if [x, y] not in ([1, 1], [2, 1], [6, 5])]
    rng.shuffle(cells)
    data = describe("########\n#@.....#\n#......#\n#......#\n#......#\n#.....G#\n########")
    data["maze"]["walls"] += [cells.pop() for _ in range(3)]
    data["mechanisms"] = {
        "keys": [{"id": "k", "position": cells.pop(), "color": "red"}],
        "blocks": [{"id": "b", "position": cells.pop()}],
        "ice": [{"id": f"i{number}", "position": cells.pop()} for number in range(14)],
    }
    return TaskSpecification.from_dict(data)
