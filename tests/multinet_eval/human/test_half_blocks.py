"""Pictures in characters, two pixels in each."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from rich.console import Console

from multinet_eval.human.human_model import half_blocks

CHARACTER = re.compile(r"\x1b\[38;2;(\d+);(\d+);(\d+);48;2;(\d+);(\d+);(\d+)m(▀+)\x1b\[0m")


def shown(pixels: np.ndarray, columns: int, lines: int) -> np.ndarray:
    """What a terminal shows, read back from what is written to it: shape (rows, columns, 2 halves, 3)."""
    console = Console(force_terminal=True, color_system="truecolor", width=columns, height=lines)
    with console.capture() as capture:
        console.print(half_blocks(Image.fromarray(pixels), columns, lines), end="")
    rows = [
        [
            np.array(list(map(int, numbers))).reshape(2, 3)
            for *numbers, blocks in CHARACTER.findall(line)
            for _ in blocks
        ]
        for line in capture.get().splitlines()
    ]
    return np.array(rows)


def test_a_small_picture_is_shown_pixel_by_pixel() -> None:
    pixels = np.arange(4 * 3 * 3, dtype=np.uint8).reshape(4, 3, 3)
    halves = shown(pixels, 80, 24)
    assert halves.shape == (2, 3, 2, 3)
    assert np.array_equal(halves.swapaxes(1, 2).reshape(4, 3, 3), pixels)


def test_the_lower_half_of_a_last_odd_row_is_black() -> None:
    halves = shown(np.full((3, 1, 3), 200, dtype=np.uint8), 80, 24)
    assert halves[:, 0].tolist() == [[[200] * 3, [200] * 3], [[200] * 3, [0] * 3]]


@given(st.tuples(*[st.integers(1, 60)] * 2), st.integers(1, 40), st.integers(1, 20))
def test_a_large_picture_is_made_to_fit_without_being_stretched(
    size: tuple[int, int], columns: int, lines: int
) -> None:
    width, height = size
    halves = shown(np.zeros((height, width, 3), dtype=np.uint8), columns, lines)
    assert halves.shape[0] <= lines
    assert halves.shape[1] <= columns
    scale = min(1, columns / width, 2 * lines / height)
    assert abs(halves.shape[1] - width * scale) <= 1
    assert abs(2 * halves.shape[0] - height * scale) <= 2
