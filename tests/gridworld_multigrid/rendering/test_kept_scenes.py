"""Which moments are noted, and for how long."""

import numpy as np
import pytest

from gridworld.support import caches
from gridworld_multigrid.rendering import renderer
from gridworld_multigrid.rendering.renderer import KeptScenes, Scene

KEPT = np.arange(10)


def scene(number: int, cells: int = 8) -> Scene:
    return Scene(bytes(cells), (number, 0), 0)


def test_a_scene_is_found_until_all_are_evicted() -> None:
    notes = KeptScenes()
    notes.add(scene(0), KEPT)
    assert notes.find(scene(0)) is KEPT
    assert notes.find(scene(1)) is None
    notes.clear()
    assert notes.find(scene(0)) is None


def test_kept_scenes_stay_within_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(scene(0).cells) + KEPT.nbytes + renderer.SCENE_BYTES
    monkeypatch.setattr(caches, "CACHE_BYTES", 3 * (size + caches.BYTES_PER_ENTRY))
    notes, counts = KeptScenes(), []
    for number in range(8):
        notes.add(scene(number), KEPT)
        counts.append(sum(notes.find(scene(each)) is not None for each in range(8)))
    assert counts == [1, 2, 3, 3, 3, 3, 3, 3]


def test_scenes_with_many_cells_are_not_kept() -> None:
    many, notes = scene(0, cells=renderer.MOST_CELL_BYTES + 1), KeptScenes()
    notes.add(many, KEPT)
    assert notes.find(many) is None
