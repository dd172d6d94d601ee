"""Glyphs: shapes whose colours are RGB, or names that each renderer resolves."""

import pytest

from gridworld.drawing.contrast import DARK, LEAST_CONTRAST, contrast, lightened
from gridworld.drawing.glyphs import Circle, Glyph, Line, Polygon, Rectangle, Tint, in_palette, to_rgb
from gridworld.plugins import get_registry
from gridworld.task.colors import ANY_COLORS, COLOR_NAMES, COLORS, rgb_of


def test_colour_names_become_tints() -> None:
    assert Circle(0.5, 0.5, 0.1, "gray").color == Tint("grey")
    assert Circle(0.5, 0.5, 0.1, Tint("red", 0.5)).color == Tint("red", 0.5)
    assert Circle(0.5, 0.5, 0.1, (1, 2, 3)).color == (1, 2, 3)


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"'purpel' .did you mean 'purple'"):
        Circle(0.5, 0.5, 0.1, "purpel")


def test_tint_is_palette_colour_times_brightness() -> None:
    assert Tint("red").rgb({"red": (200, 10, 99)}) == (200, 10, 99)
    assert Tint("red", 0.45).rgb({"red": (200, 10, 99)}) == (90, 4, 44)
    assert to_rgb((7, 8, 9), {}) == (7, 8, 9)


def test_a_glyph_in_a_palette_differs_in_its_names_alone() -> None:
    def glyph(color: object) -> Glyph:
        return Glyph(
            (
                Rectangle(0, 0, 1, 1, color),
                Line(0, 0, 1, 1, 0.1, (1, 2, 3)),
                Polygon(((0, 0), (1, 0), (0, 1)), color),
                Circle(0.5, 0.5, 0.2, color),
            )
        )

    assert in_palette(glyph("blue"), {"blue": (1, 1, 9)}) == glyph((1, 1, 9))


@pytest.mark.parametrize("kind", ["keys", "doors", "switches", "blocks"])
def test_coloured_mechanisms_name_their_colour(kind: str) -> None:
    mechanism = get_registry().mechanisms.get(kind)
    field = "requires_key" if kind == "doors" else "color"
    for color in COLOR_NAMES:
        spec = mechanism.spec(id="x", position=(1, 1), **{field: color})
        for value in mechanism.values:
            tints = [shape.color for shape in mechanism.glyph(spec, value).shapes if isinstance(shape.color, Tint)]
            assert {tint.name for tint in tints} == {color}


def test_minigrids_palette_has_all_names() -> None:
    assert all(Tint(name).rgb(COLORS) == COLORS[name] for name in COLOR_NAMES)


def test_css_colours_are_lightened_for_dark_ground() -> None:
    """Black most of all, which is the colour of MiniGrid's floor."""
    assert Tint("orange").rgb(COLORS) == rgb_of("orange")
    assert Tint("black").rgb(COLORS) == lightened(rgb_of("black"), DARK)
    for name in set(ANY_COLORS) - set(COLORS):
        assert contrast(Tint(name).rgb(COLORS), DARK) >= LEAST_CONTRAST
