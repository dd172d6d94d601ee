"""Seeds that follow from others are the same everywhere, and differ with every part."""

from hypothesis import given
from hypothesis import strategies as st

from gridworld.generation.recipe import derive_seed


def test_they_are_those_of_all_earlier_versions() -> None:
    assert derive_seed("salt", "family", 7, 0, 1) == 16234333326586


@given(st.lists(st.text() | st.integers(), max_size=4))
def test_they_are_exact_in_json(parts: list[str | int]) -> None:
    assert 0 <= derive_seed(*parts) < 2**48


def test_every_part_and_its_place_count() -> None:
    parts = [("a", 1), ("a", 2), ("b", 1), ("a", 1, 0), ("a1",), (1, "a"), ("", "a", 1)]
    assert len({derive_seed(*each) for each in parts}) == len(parts)
