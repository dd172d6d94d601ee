"""A text view of what the agent is shown: a character map with its legend, and a sentence for every visible thing.

It reads the same looks as pictures do, so it shows neither more nor less.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Iterator

import attrs

from gridworld.task_spec import Position
from gridworld.world import Episode, Topology, World
from gridworld.world.events import Event
from gridworld.world.looks import CellLook, show_thing
from gridworld.world.names import describe_mark, describe_thing, dotted, name_thing
from gridworld.world.state import NOTHING

__all__ = ["TextView", "describe_events", "describe_heading", "text_view"]

UNSEEN, WALL, FLOOR, REMEMBERED_FLOOR, GOAL, TARGET = "?", "#", ".", ",", "G", "X"
FIXED_LEGEND = {
    WALL: "wall",
    FLOOR: "floor",
    REMEMBERED_FLOOR: "floor, seen earlier",
    UNSEEN: "unseen",
    GOAL: "goal",
    TARGET: "target",
}
FIXED_MARKS = {"goal": GOAL, "target": TARGET}
"""The names of marks that have a character of their own."""
UNLABELLED = "*"
"""Stands for all things for which no label is left."""
LABELS = [letter for letter in string.ascii_uppercase if letter not in (GOAL, TARGET)] + list(string.digits)
ARROWS = (">", "v", "<", "^")
FACING = ("right", "down", "left", "up")


@attrs.frozen
class TextView:
    """What the agent is shown, in words."""

    rows: tuple[str, ...]
    """The map, one character for each lattice cell, row by row from the top."""
    legend: dict[str, str]
    """Character to its meaning, for the characters of the map."""
    sentences: tuple[str, ...]
    """The agent first, then the things in reading order."""

    def __str__(self) -> str:
        legend = "\n".join(f"{character} = {meaning}" for character, meaning in self.legend.items())
        return "\n".join(self.rows) + "\n\n" + legend + "\n\n" + "\n".join(self.sentences)


def text_view(episode: Episode) -> TextView:
    """The text view of the present state of an episode."""
    return _Writer(episode).write()


def describe_events(world: World, events: Iterable[Event]) -> str:
    """What a step did, in words."""

    def name(entity_id: str) -> str:
        entity = world.by_id[entity_id]
        return dotted(entity.type.describe(entity.spec), entity.number)

    return "; ".join(event.sentence(name) for event in events)


class _Writer:
    """Writes the view of one moment; labels of things are given out in reading order."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._world = episode.world
        self._topology = episode.world.topology
        self._labels: dict[str, str] = {}
        self._sentences: list[str] = []

    def write(self) -> TextView:
        width, height = self._topology.width, self._topology.height
        rows = tuple("".join(self._character(Position(x, y)) for x in range(width)) for y in range(height))
        used = set("".join(rows))
        legend = {character: meaning for character, meaning in FIXED_LEGEND.items() if character in used}
        legend |= {self._agent(): "you"} | {label: name for name, label in self._labels.items() if label in used}
        if UNLABELLED in legend:
            legend[UNLABELLED] = "another thing, told below"
        return TextView(rows, legend, (self._agent_sentence(), *self._sentences))

    def _character(self, position: Position) -> str:
        cell = self._topology.anchor(position)
        look = self._episode.look(cell)
        if look is None:
            return UNSEEN
        if look.wall:
            return WALL
        character = self._content(cell, look)
        return self._agent() if position == self._agent_position() else character

    def _content(self, cell: int, look: CellLook) -> str:
        """The character of a cell without the agent; things are given labels and sentences on the way."""
        remembered = cell not in self._episode.knowledge.visible
        character = REMEMBERED_FLOOR if remembered else FLOOR
        if look.mark:
            name = describe_mark(look.mark)
            character = FIXED_MARKS.get(name) or self._label(name)
            self._tell(f"the {name}", cell, remembered)
        for shown in look.things:
            name = describe_thing(self._world, shown)
            character = self._label(name)
            self._tell(_with_article(name), cell, remembered)
        return character

    def _label(self, name: str) -> str:
        """One label for all things of one description; when they run out, the rest share a star."""
        if name not in self._labels:
            taken = len(self._labels)
            self._labels[name] = LABELS[taken] if taken < len(LABELS) else UNLABELLED
        return self._labels[name]

    def _tell(self, what: str, cell: int, remembered: bool) -> None:
        earlier = " (as last seen)" if remembered else ""
        self._sentences.append(f"{what[0].upper()}{what[1:]}: {self._relative_place(cell)}{earlier}.")

    def _relative_place(self, cell: int) -> str:
        """Where a cell is as the agent sees it: so many steps ahead and to the side."""
        state = self._episode.state
        if cell == state.cell:
            return "under you"
        angle = 2 * math.pi * state.heading / self._topology.heading_count
        (x0, y0), (x1, y1) = self._topology.centres[state.cell], self._topology.centres[cell]
        dx, dy = x1 - x0, y1 - y0
        ahead = round(dx * math.cos(angle) + dy * math.sin(angle))
        right = round(dy * math.cos(angle) - dx * math.sin(angle))
        return ", ".join(_distances(ahead, right)) or "beside you"

    def _agent(self) -> str:
        return ARROWS[round(4 * self._episode.state.heading / self._topology.heading_count) % 4]

    def _agent_position(self) -> Position:
        return self._topology.lattice[self._episode.state.cell]

    def _agent_sentence(self) -> str:
        x, y = self._agent_position()
        facing = describe_heading(self._topology, self._episode.state.heading)
        return f"You are at column {x}, row {y}, facing {facing}, and carry {self._held()}."

    def _held(self) -> str:
        state, met = self._episode.state, self._episode.knowledge.met
        if state.carried == NOTHING:
            return "nothing"
        return _with_article(name_thing(self._world, show_thing(self._world, state, state.carried, state.cell, met)))


def _with_article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _distances(ahead: int, right: int) -> Iterator[str]:
    if ahead:
        yield f"{abs(ahead)} {'ahead' if ahead > 0 else 'behind'}"
    if right:
        yield f"{abs(right)} to the {'right' if right > 0 else 'left'}"


def describe_heading(topology: Topology, heading: int) -> str:
    """A heading in words: the four names on square cells, degrees clockwise from right elsewhere."""
    if topology.heading_count == len(FACING):
        return FACING[heading]
    return f"{360 * heading // topology.heading_count} degrees clockwise from right"
