"""Colours by name: the six have MiniGrid's values, all others those of CSS."""

import pytest
from minigrid.core.constants import COLORS as MINIGRID
from PIL import ImageColor

from gridworld.mechanisms.gates import GATES, GateSpec
from gridworld.task.colors import (
    ANY_COLORS,
    COLOR_NAMES,
    COLORS,
    nearest_of_six,
    parse_any_color,
    parse_color,
    parse_optional_any_color,
    rgb_of,
)


def test_the_six_have_minigrids_values() -> None:
    assert {name: tuple(int(each) for each in rgb) for name, rgb in MINIGRID.items()} == COLORS


def test_all_other_names_of_css_are_there_with_their_values() -> None:
    css = {name.replace("gray", "grey"): ImageColor.getrgb(name) for name in ImageColor.colormap}
    assert set(ANY_COLORS) == set(css)
    assert {name: rgb for name, rgb in ANY_COLORS.items() if name not in COLORS} == {
        name: rgb for name, rgb in css.items() if name not in COLORS
    }


@pytest.mark.parametrize("name", ["gray", "darkgray", "lightslategray"])
def test_gray_is_read_as_grey_in_longer_names_too(name: str) -> None:
    assert parse_any_color(name) == name.replace("gray", "grey")


@pytest.mark.parametrize("name", ["Rot", "#ff0000", "", "transparent"])
def test_what_css_does_not_call_so_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"unknown colour .*or another CSS colour"):
        parse_any_color(name)


@pytest.mark.parametrize(
    ("name", "canonical"), [("Red", "red"), ("DarkSlateGray", "darkslategrey"), ("WHITE", "white")]
)
def test_colours_are_read_in_any_case_as_in_css(name: str, canonical: str) -> None:
    assert parse_any_color(name) == canonical


def test_keys_and_doors_keep_to_the_six() -> None:
    with pytest.raises(ValueError, match=r"unknown colour 'white'.*expected one of red, .*, grey$"):
        parse_color("white")
    assert parse_color("Gray") == "grey"


def test_none_is_none() -> None:
    assert parse_optional_any_color(None) is None


def test_the_nearest_of_the_six_is_found() -> None:
    assert [nearest_of_six(name) for name in COLOR_NAMES] == list(COLOR_NAMES)
    assert (nearest_of_six("orangered"), nearest_of_six("navy")) == ("red", "blue")
    assert rgb_of("white") == (255, 255, 255)


def test_a_gate_is_drawn_in_its_colour_if_it_has_one() -> None:
    glyphs = {GATES.glyph(GateSpec("g", (2, 1), color=color), "closed") for color in (None, "black", "white")}
    assert len(glyphs) == 3
