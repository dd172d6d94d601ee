"""The measure of contrast, and what lightens a colour until it stands out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.drawing.contrast import LEAST_CONTRAST, contrast, lightened, relative_luminance

parts = st.integers(0, 255)
colors = st.tuples(parts, parts, parts)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [((0, 0, 0), (255, 255, 255), 21.0), ((118, 118, 118), (255, 255, 255), 4.54), ((0, 0, 255), (0, 0, 0), 2.44)],
)
def test_the_measure_is_that_of_wcag(one: tuple[int, int, int], other: tuple[int, int, int], expected: float) -> None:
    assert contrast(one, other) == contrast(other, one) == pytest.approx(expected, abs=0.01)


def test_luminance_goes_from_black_to_white() -> None:
    assert (relative_luminance((0, 0, 0)), relative_luminance((255, 255, 255))) == (0, pytest.approx(1))


@given(colors)
def test_a_lightened_colour_stands_out_from_black(color: tuple[int, int, int]) -> None:
    light = lightened(color, (0, 0, 0))
    assert contrast(light, (0, 0, 0)) >= LEAST_CONTRAST
    assert all(after >= before for before, after in zip(color, light, strict=True))
    if contrast(color, (0, 0, 0)) >= LEAST_CONTRAST:
        assert light == color
