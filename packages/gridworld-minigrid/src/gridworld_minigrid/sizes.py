"""How large tiles may be, so that pictures do not grow with the maze beyond what anybody can use."""

from gridworld.support.whole_numbers import whole_number

__all__ = ["MAX_SIDE", "asked_tile_size", "fitting_tile_size"]

MAX_SIDE = 1536
"""The largest width and height of a picture in pixels, unless another is asked for."""


def asked_tile_size(tile_size: int, width: int, height: int, max_side: int) -> int:
    """`fitting_tile_size` of what somebody asks for.

    Raises:
        ValueError: `tile_size` or `max_side` is not a whole number of at least 1.
    """
    tile_size = whole_number("tile_size", tile_size, 1, "pixel")
    return fitting_tile_size(tile_size, width, height, whole_number("max_side", max_side, 1, "pixel"))


def fitting_tile_size(tile_size: int, width: int, height: int, max_side: int) -> int:
    """The width of a cell in pixels: the one asked for, or the largest with which the picture is not too large.

    Args:
        tile_size: what is asked for.
        width: of the grid, in cells.
        height: likewise.
        max_side: the largest width and height of the picture, in pixels; a cell has at least one pixel all the same.
    """
    return max(1, min(tile_size, max_side // max(width, height)))
