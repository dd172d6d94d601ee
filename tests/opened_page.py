"""A page of recorded runs, opened in a browser: what is to be seen on its board."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["CHROMIUM", "Opened", "Opener"]

CHROMIUM = "/usr/bin/chromium"


@attrs.frozen
class Opened:
    """A page in the browser."""

    page: Page

    def board(self) -> dict[str, Any]:
        """What is drawn: the agent's cell and heading, what each cell is painted as, and the numbers of glyphs."""
        return dict(
            self.page.evaluate(
                """() => {
                    const all = (selector) => [...document.querySelectorAll(`.player .board ${selector}`)];
                    const [agent] = all(".agent polygon");
                    const glyphs = all(".things [data-glyph]").map((each) => Number(each.dataset.glyph));
                    return {
                        agent: [Number(agent.dataset.cell), Number(agent.dataset.heading)],
                        kinds: all(".cells polygon").map((cell) => cell.dataset.kind),
                        glyphs: [...new Set(glyphs)].sort((a, b) => a - b),
                        hand: all(".hand [data-glyph]").length,
                    };
                }"""
            )
        )

    def scrub(self, step: int) -> None:
        """Move the slider to a step."""
        self.page.evaluate(
            """(step) => {
                const slider = document.querySelector("input[type=range]");
                slider.value = step;
                slider.dispatchEvent(new Event("input", { bubbles: true }));
            }""",
            step,
        )

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        """The text that is to be read in an element."""
        return self.page.inner_text(selector)


Opener = Callable[..., AbstractContextManager[Opened]]
