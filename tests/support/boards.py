"""Boards of a page in a browser, and as they should be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.backends.scenes import Scene
from gridworld.plugins.tilings import compile_on
from gridworld.world import Episode
from gridworld.world.knowledge import shown_look
from gridworld.world.looks import look_at
from gridworld.world.state import NOTHING
from multinet_eval.record.run_directory import RunDirectory

if TYPE_CHECKING:
    from playwright.sync_api import Page


CHROMIUM = "/usr/bin/chromium"


@attrs.frozen
class Opened:
    """A page in a browser."""

    page: Page

    def board(self) -> dict[str, Any]:
        """The drawn board: the agent's cell and heading, the kind of each cell, and the numbers of glyphs."""
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
        for each in keys:
            self.page.keyboard.press(each)

    def text(self, selector: str) -> str:
        """The visible text of an element."""
        return self.page.inner_text(selector)


Opener = Callable[..., AbstractContextManager[Opened]]


def expected(run: Path, number: int, moment: int, truth: bool, tiling: str) -> dict[str, Any]:
    """The board after a number of steps, by replaying them."""
    directory = RunDirectory(run)
    planned = directory.manifest.episode(number)
    world = compile_on(tiling, directory.task(planned.task))
    lines = directory.latest(directory.attempts(number))
    assert lines is not None
    episode = Episode(world)
    episode.reset()
    for step in lines.steps[:moment]:
        episode.step(step.action)
    scene, snapshot = Scene(world), episode.snapshot
    cells = range(world.topology.cell_count)
    whole = (look_at(world, snapshot.state, cell, snapshot.knowledge.met) for cell in cells)
    looks = [
        scene.look_data(look) for look in (whole if truth else (shown_look(world, snapshot, cell) for cell in cells))
    ]
    walls = [None if look is None else look[0] for look in looks]
    glyphs = {glyph for look in looks if look and not look[0] for glyph in look[2]}
    return {
        "agent": [snapshot.state.cell, snapshot.state.heading],
        "walls": walls,
        "glyphs": sorted(glyphs),
        "hand": int(snapshot.state.carried != NOTHING),
    }


def shown(board: dict[str, Any], goal: int) -> dict[str, Any]:
    """The drawn board in the form of `expected`."""
    walls = {"unseen": None, "wall": True}
    kinds = [walls.get(kind, False) for kind in board["kinds"]]
    return {
        **{name: board[name] for name in ("agent", "hand")},
        "walls": kinds,
        "glyphs": [each for each in board["glyphs"] if each != goal],
    }
