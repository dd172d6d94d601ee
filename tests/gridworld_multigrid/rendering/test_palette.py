"""The colours can be told apart, by people with and without red-green colour blindness.

Colour blindness is simulated with the matrices of Machado, Oliveira and Fernandes, "A Physiologically-based Model for
Simulation of Color Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009, for
severity 1.0, applied to linear RGB. Differences are distances in CIELAB (1976, white D65): 2.3 are just noticeable.
"""

from itertools import combinations

import numpy as np
import pytest

from gridworld_multigrid.rendering import palette

SIGHT = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = TO_XYZ.sum(axis=1)

with_each_sight = pytest.mark.parametrize("sight", SIGHT)


def seen(color: tuple[int, int, int], sight: str) -> np.ndarray:
    """A colour in CIELAB as somebody sees it."""
    encoded = np.array(color) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    ratio = TO_XYZ @ np.clip(SIGHT[sight] @ linear, 0, 1) / WHITE
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: tuple[int, int, int], other: tuple[int, int, int], sight: str) -> float:
    """How different two colours look to somebody."""
    return float(np.linalg.norm(seen(one, sight) - seen(other, sight)))


@with_each_sight
def test_the_six_colours_differ_from_each_other(sight: str) -> None:
    for one, other in combinations(palette.PALETTE.values(), 2):
        assert difference(one, other, sight) > 28, (one, other)


@with_each_sight
def test_colours_differ_from_floor_walls_and_plates(sight: str) -> None:
    for name, color in palette.PALETTE.items():
        assert difference(color, palette.FLOOR, sight) > 28, name
        assert difference(color, palette.WALL, sight) > 18, name
        assert difference(color, (40, 40, 40), sight) > 28, name


@with_each_sight
def test_the_kinds_of_cells_differ(sight: str) -> None:
    grounds = (palette.FLOOR, palette.WALL, palette.GOAL, palette.MARKER, *palette.UNSEEN)
    for one, other in combinations(grounds, 2):
        assert difference(one, other, sight) > 15, (one, other)
    assert difference(palette.AGENT, palette.FLOOR, sight) > 60
    assert difference(palette.AGENT, palette.AGENT_RIM, sight) > 60
