"""The observation format ``map``: a character for each lattice cell, and a legend."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from gridworld.observations.labels import FIXED_LABELS, GOAL, TARGET, UNLABELLED, label_of, label_things
from gridworld.observations.shown_cells import ShownCell, agent_position, arrow, shown_cells
from gridworld.world import Episode

UNSEEN = "?"
"""Character of an unseen cell."""
WALL = "#"
"""Character of a wall, or of anything that looks like one."""
FLOOR = "."
"""Character of empty floor in view."""
REMEMBERED_FLOOR = ","
"""Character of floor seen earlier."""
FIXED_LEGEND = {
    WALL: "wall",
    FLOOR: "floor",
    REMEMBERED_FLOOR: "floor, seen earlier",
    UNSEEN: "unseen",
    GOAL: "goal",
    TARGET: "target",
}
"""Meanings of characters that are the same on every map."""


@attrs.frozen
class CharacterMap:
    """Character map of the shown state."""

    rows: tuple[str, ...]
    """One character for each lattice cell, row by row from the top."""
    legend: dict[str, str]
    """Meanings of the characters on the map."""

    def __str__(self) -> str:
        legend = "\n".join(f"{character} = {meaning}" for character, meaning in self.legend.items())
        return "\n".join(self.rows) + "\n\n" + legend


def map_text(episode: Episode) -> str:
    """Write the map of the current state with its legend."""
    return str(draw_map(episode, shown_cells(episode)))


def draw_map(episode: Episode, cells: Sequence[ShownCell]) -> CharacterMap:
    """Draw the map of the current state from its shown cells in reading order."""
    labels, width = label_things(episode.world, cells), episode.world.topology.width
    agent, place = arrow(episode.world.topology, episode.state.heading), agent_position(episode)
    characters = "".join(
        agent
        if shown.position == place and shown.look is not None and not shown.look.wall
        else _character(episode, shown, labels)
        for shown in cells
    )
    rows = tuple(characters[start : start + width] for start in range(0, len(characters), width))
    used = set(characters)
    legend = {character: meaning for character, meaning in FIXED_LEGEND.items() if character in used}
    legend[agent] = "you"
    legend |= {label: name for name, label in labels.items() if label in used and name not in FIXED_LABELS}
    if UNLABELLED in legend:
        legend[UNLABELLED] = "a thing without a character of its own"
    return CharacterMap(rows, legend)


def _character(episode: Episode, shown: ShownCell, labels: dict[str, str]) -> str:
    if shown.look is None:
        return UNSEEN
    if shown.look.wall:
        return WALL
    return label_of(episode.world, shown.look, labels) or (REMEMBERED_FLOOR if shown.remembered else FLOOR)
