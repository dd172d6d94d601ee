"""What a world tells of its states, whatever it has been asked before."""

from __future__ import annotations

import pytest

from support.worlds import compiled, corridor, door


@pytest.mark.parametrize("budget", [0, 1 << 20])
def test_what_blocks_sight_is_found_again_once_it_has_been_forgotten(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridworld.support.caches.CACHE_BYTES", budget)
    world = compiled(corridor("@D.G", D=door("red", initial_state="closed")))
    (entity,) = world.entities
    opened = world.start.with_value(entity.index, entity.type.values.index("open"))
    first = world.opaque_cells(world.start)
    assert first == world.walls | set(entity.cells)
    assert world.opaque_cells(opened) == world.walls
    again = world.opaque_cells(world.start)
    assert again == first
    assert (again is first) == (budget > 0)
