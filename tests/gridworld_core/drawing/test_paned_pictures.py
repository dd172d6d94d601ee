"""Pictures that are kept in one array and redrawn pane by pane."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.drawing import paned_pictures
from gridworld.drawing.paned_pictures import PanedPictures
from gridworld.errors import ArgumentError

sides = st.integers(1, 9)


@given(
    size=st.tuples(sides, sides), pane=st.tuples(sides, sides), offset=st.tuples(sides, sides), seed=st.integers(0, 99)
)
def test_a_pane_is_where_its_number_says(
    size: tuple[int, int], pane: tuple[int, int], offset: tuple[int, int], seed: int
) -> None:
    """Pixel by pixel, cut off at the edges of the picture; two pictures know nothing of each other."""
    offset = offset[0] % pane[0], offset[1] % pane[1]
    pictures, rng = PanedPictures(2, size, pane, offset), np.random.default_rng(seed)
    columns, rows = (-(-(before + length) // side) for before, length, side in zip(offset, size, pane, strict=True))
    contents = rng.integers(256, size=(5, pane[1], pane[0], 3), dtype=np.uint8)
    chosen = rng.integers(5, size=rows * columns)
    pictures.draw(np.ones(rows * columns, dtype=np.intp), np.arange(rows * columns), chosen, contents)
    for y, x in np.ndindex(size[1], size[0]):
        row, down = divmod(y + offset[1], pane[1])
        column, across = divmod(x + offset[0], pane[0])
        assert (pictures.pictures[1, y, x] == contents[chosen[row * columns + column], down, across]).all()
    assert not pictures.pictures[0].any()


def test_panes_that_are_drawn_in_parts_are_all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paned_pictures, "AT_ONCE", 1)
    pictures = PanedPictures(1, (4, 4), (2, 2))
    pane, numbers = np.full((1, 2, 2, 3), 7, dtype=np.uint8), np.zeros(4, dtype=np.intp)
    pictures.draw(numbers, np.arange(4), numbers, pane)
    assert (pictures.pictures == 7).all()


def test_what_is_handed_out_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        PanedPictures(1, (4, 4), (2, 2)).pictures[:] = 0


def test_too_many_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"1000000 pictures of 64 x 64 pixels take 12\.3 GB, more than 4 GB"):
        PanedPictures(1_000_000, (64, 64), (8, 8))
