"""Text drawings that define a task completely: a character map with a legend in the words of the text view.

`docs/reference/drawings.md` describes the format.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.ascii.reading import DrawingError, read_drawing
    from gridworld.ascii.writing import draw_task

__all__ = ["DrawingError", "draw_task", "read_drawing"]

MODULES = {"DrawingError": "reading", "draw_task": "writing", "read_drawing": "reading"}

__getattr__ = names_from(__name__, MODULES)
