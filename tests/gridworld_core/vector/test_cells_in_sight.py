"""Which cells are seen from where copies are."""

import weakref

import numpy as np

from gridworld.plugins.tilings import compile_on
from gridworld.vector.cell_codes import CellsInSight
from gridworld.vector.state_rows import StateRows
from gridworld.world import World
from gridworld.world.state import State
from support.worlds import corridor


class Seen(frozenset[int]):
    """Cells of which it can be told whether anything still refers to them."""


def test_sight_of_evicted_rows_takes_no_memory() -> None:
    world = compile_on("square", corridor("@...G"))
    rows, made = StateRows([world], numbered=False), list[weakref.ref[Seen]]()

    def see(world: World, state: State) -> frozenset[int]:
        seen = Seen({state.cell})
        made.append(weakref.ref(seen))
        return seen

    sight = CellsInSight(rows, world.topology.cell_count, see)
    start = rows.row(0, world.start)
    rows.keep()
    elsewhere = [rows.row(0, world.start._replace(cell=world.start.cell + steps)) for steps in (1, 2)]
    seen = sight.at(np.array([start, *elsewhere]))
    assert [np.flatnonzero(each).tolist() for each in seen] == [[world.start.cell + steps] for steps in (0, 1, 2)]
    rows.evict()
    assert sight.at(np.array([start])).tolist() == seen[:1].tolist()
    assert sum(each() is not None for each in made) == 1
