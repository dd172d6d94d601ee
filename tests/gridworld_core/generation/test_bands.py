"""Bands of whole numbers."""

import pytest

from gridworld.generation.recipe import Band


@pytest.mark.parametrize(("text", "band"), [("20-40", Band(20, 40)), ("7", Band(7, 7)), (" 0-0 ", Band(0, 0))])
def test_they_are_read_from_texts(text: str, band: Band) -> None:
    assert Band.parse(text) == band
    assert Band.parse(str(band)) == band


@pytest.mark.parametrize("text", ["", "x", "-3", "3-", "1-2-3", "1.5"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"expected a number or a band such as 20-40, got '{text}'"):
        Band.parse(text)


def test_an_empty_one_is_refused() -> None:
    with pytest.raises(ValueError, match="the band 40-20 is empty: 40 is above 20"):
        Band.parse("40-20")


def test_both_ends_are_in_it() -> None:
    band = Band(3, 5)
    assert [number for number in range(8) if number in band] == [3, 4, 5]
    assert [band.distance(number) for number in (1, 3, 4, 5, 9)] == [2, 0, 0, 0, 4]
