"""Colours of barriers and of what opens them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.generation.generator import NothingDrawn
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch, choose_color, colors_of_steps

STEPS = st.lists(st.sampled_from(["key", "toggle", "one_shot", "hold"]), max_size=6)
SEEDS = st.integers(0, 2**32)


@given(STEPS, SEEDS)
def test_no_two_keys_and_no_two_switches_of_a_chain_have_one_colour(kinds: list[str], seed: int) -> None:
    colors = colors_of_steps(Sketch(5, 5), kinds, Dice(seed))
    for is_key in (True, False):
        own = [color for kind, color in zip(kinds, colors, strict=True) if (kind == "key") is is_key]
        assert len({*own}) == len(own)


@given(STEPS, SEEDS)
def test_a_door_is_grey_as_rock_only_where_all_other_colours_are_taken(kinds: list[str], seed: int) -> None:
    colors = colors_of_steps(Sketch(5, 5), kinds, Dice(seed))
    keys = [color for kind, color in zip(kinds, colors, strict=True) if kind == "key"]
    assert ("grey" in keys) == (len(keys) == len(COLOR_NAMES))
    assert choose_color(COLOR_NAMES, Dice(seed)) != "grey"
    assert choose_color(["grey"], Dice(seed)) == "grey"


def test_where_colours_are_taken_a_chain_finds_no_place() -> None:
    sketch = Sketch(5, 5)
    sketch.dig(sketch.inner_cells)
    sketch.place_key(Position(1, 1), "grey")
    with pytest.raises(NothingDrawn, match="not enough colours for a chain"):
        colors_of_steps(sketch, ["key"] * 6, Dice(0))
