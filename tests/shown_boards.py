"""What there has to be on a board of a page, by playing the recorded actions again, and what is drawn on it."""

from pathlib import Path
from typing import Any

from gridworld.backends.scenes import Scene
from gridworld.plugins.tilings import compile_on
from gridworld.world import Episode
from gridworld.world.knowledge import shown_look
from gridworld.world.looks import look_at
from gridworld.world.state import NOTHING
from multinet_eval.record.run_directory import RunDirectory

__all__ = ["expected", "shown"]


def expected(run: Path, number: int, moment: int, truth: bool, tiling: str) -> dict[str, Any]:
    """What there is on the board after so many steps, by playing them again."""
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
    """The same of what is drawn."""
    walls = {"unseen": None, "wall": True}
    kinds = [walls.get(kind, False) for kind in board["kinds"]]
    return {
        **{name: board[name] for name in ("agent", "hand")},
        "walls": kinds,
        "glyphs": [each for each in board["glyphs"] if each != goal],
    }
