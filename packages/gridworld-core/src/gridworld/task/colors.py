"""The six colours of MiniGrid, and how a colour's name is read."""

from gridworld.support.suggestions import nearest_hint

__all__ = ["COLORS", "COLOR_NAMES", "parse_color", "parse_optional_color"]

COLORS: dict[str, tuple[int, int, int]] = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "purple": (112, 39, 195),
    "yellow": (255, 255, 0),
    "grey": (100, 100, 100),
}
"""Colour name to RGB, 0 to 255, the values of MiniGrid."""

COLOR_NAMES: tuple[str, ...] = tuple(COLORS)
"""The six colours, in MiniGrid's order."""


def parse_color(name: str) -> str:
    """The canonical name of a colour (``gray`` is read as ``grey``).

    Raises:
        ValueError: the name is none of the six.
    """
    if not isinstance(name, str):
        raise ValueError(f"expected the name of a color, got {name!r}")
    canonical = "grey" if name == "gray" else name
    if canonical not in COLORS:
        raise ValueError(f"unknown color '{name}'{nearest_hint(name, COLORS)}; expected one of {', '.join(COLORS)}")
    return canonical


def parse_optional_color(name: str | None) -> str | None:
    """As `parse_color`; None for None."""
    return None if name is None else parse_color(name)
