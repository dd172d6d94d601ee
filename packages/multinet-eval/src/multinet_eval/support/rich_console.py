"""The Rich console of all live displays: like `multinet_eval.cli.echo`, it makes controls in texts visible."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from gridworld.support.wording import make_visible

__all__ = ["VisibleConsole", "make_console"]


class VisibleConsole(Console):
    """A console on which no text moves the cursor, changes the title or clears the screen; Rich's own controls do."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Made visible before the layout, which so knows the width."""
        return super().render_str(make_visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Made visible whatever way it came."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=make_visible(segment.text))


def make_console() -> Console:
    """The console of standard error, on which progress is shown."""
    return VisibleConsole(stderr=True, emoji=False, highlight=False)
