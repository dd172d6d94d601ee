"""Rich console for all live displays that makes control characters in texts visible."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from gridworld.support.wording import make_visible


class VisibleConsole(Console):
    """A console on which only Rich itself can move the cursor, change the title or clear the screen."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make control characters visible before layout, which depends on the width."""
        return super().render_str(make_visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Make control characters visible in all other texts."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=make_visible(segment.text))


def make_console() -> Console:
    """Return a console on standard error, for progress."""
    return VisibleConsole(stderr=True, emoji=False, highlight=False)
