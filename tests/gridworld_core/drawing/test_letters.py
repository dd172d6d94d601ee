"""Letters as strokes."""

import pytest

from gridworld.drawing.glyphs import Line
from gridworld.drawing.signs import CHARACTERS, written
from gridworld.observations.labels import LABELS, UNLABELLED

INK = (255, 255, 255)


def test_every_label_and_digit_can_be_written() -> None:
    assert {*LABELS, UNLABELLED, "G", "X", *"0123456789"} <= set(CHARACTERS)


def test_no_two_characters_are_written_alike() -> None:
    assert len({written(each, 0.5, 0.5, 0.8, INK) for each in CHARACTERS}) == len(CHARACTERS)


@pytest.mark.parametrize("character", CHARACTERS)
def test_characters_stay_within_their_height(character: str) -> None:
    for line in written(character, 0.3, 0.6, 0.4, INK):
        assert isinstance(line, Line)
        for x, y in ((line.x0, line.y0), (line.x1, line.y1)):
            assert y - line.radius >= 0.6 - 0.2 - 1e-9
            assert y + line.radius <= 0.6 + 0.2 + 1e-9
            assert abs(x - 0.3) + line.radius <= 0.2


def test_characters_stand_side_by_side() -> None:
    def span(text: str) -> tuple[float, float]:
        ends = [x for line in written(text, 0.5, 0.5, 0.2, INK) if isinstance(line, Line) for x in (line.x0, line.x1)]
        return min(ends), max(ends)

    left, right = span("10")
    assert (left + right) / 2 == pytest.approx(0.5, abs=0.02)
    assert right - left > span("1")[1] - span("1")[0] + span("0")[1] - span("0")[0]


def test_what_has_no_strokes_cannot_be_written() -> None:
    with pytest.raises(KeyError):
        written("a", 0.5, 0.5, 0.5, INK)
