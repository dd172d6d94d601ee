"""Relative luminance and contrast of colours, as defined by WCAG 2, and palettes with sufficient contrast."""

from gridworld.task.colors import RGB

DARK: RGB = (10, 10, 14)
"""Darkest background of coloured shapes apart from black; used for plates and rims."""
LEAST_CONTRAST = 3.0
"""Minimum contrast of graphics in WCAG 2.1 (success criterion 1.4.11), met by all colours here."""


def relative_luminance(color: RGB) -> float:
    """Return the relative luminance of a colour, from 0 for black to 1 for white."""
    parts = (part / 255 for part in color)
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def contrast(one: RGB, other: RGB) -> float:
    """Return the contrast ratio of two colours, from 1 for equal colours to 21 for black and white."""
    darker, lighter = sorted((relative_luminance(one), relative_luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def lightened(color: RGB, ground: RGB) -> RGB:
    """Lighten a colour until its contrast with a dark background is at least `LEAST_CONTRAST`."""
    for step in range(256):
        red, green, blue = (part + (255 - part) * step // 255 for part in color)
        if contrast((red, green, blue), ground) >= LEAST_CONTRAST:
            return (red, green, blue)
    return (255, 255, 255)


HIGH_CONTRAST: dict[str, RGB] = {
    "red": (255, 70, 70),
    "green": (0, 225, 60),
    "blue": (70, 140, 255),
    "purple": (235, 95, 255),
    "yellow": (255, 235, 0),
    "grey": (160, 160, 160),
}
"""The six colours for a black background, each with at least twice the minimum contrast."""
DISTINCT: dict[str, RGB] = {
    "red": (235, 30, 20),
    "green": (0, 200, 110),
    "blue": (0, 75, 245),
    "purple": (155, 85, 200),
    "yellow": (245, 222, 30),
    "grey": (118, 118, 118),
}
"""The six colours for a light background, distinguishable with and without red-green colour blindness."""
