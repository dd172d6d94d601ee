"""What a world tells of its states, whatever it has been asked before."""

from __future__ import annotations

from itertools import product

import pytest

from worlds import compiled, corridor, door


@pytest.mark.parametrize(("bound", "value"), list(product(["MOST_SETTINGS", "MOST_OPAQUE"], [1, 1 << 20])))
def test_what_blocks_sight_is_found_again_once_it_has_been_forgotten(
    bound: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"gridworld.world.world.{bound}", value)
    world = compiled(corridor("@D.G", D=door("red", initial_state="closed")))
    (entity,) = world.entities
    opened = world.start.with_value(entity.index, entity.type.values.index("open"))
    first = world.opaque_cells(world.start)
    assert first == world.walls | set(entity.cells)
    assert world.opaque_cells(opened) == world.walls
    again = world.opaque_cells(world.start)
    assert again == first
    assert (again is first) == (value > 1)
