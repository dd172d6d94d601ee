"""Text view of an observation: a character map with its legend, and a sentence for every visible entity.

The view shows exactly what pictures show. `gridworld.observations` has its parts and the other text formats.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from gridworld.observations.character_map import CharacterMap, draw_map
from gridworld.observations.sentences import write_sentences
from gridworld.observations.shown_cells import shown_cells
from gridworld.world import Episode, World
from gridworld.world.events import Event
from gridworld.world.looks import dotted

__all__ = ["TextView", "describe_events", "full_text", "text_view"]


@attrs.frozen
class TextView:
    """An observation as text."""

    map: CharacterMap
    sentences: tuple[str, ...]
    """Sentences about the agent, then about each entity in reading order."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The map, one character for each lattice cell, row by row from the top."""
        return self.map.rows

    @property
    def legend(self) -> dict[str, str]:
        """Meaning of each character of the map."""
        return self.map.legend

    def __str__(self) -> str:
        return f"{self.map}\n\n" + "\n".join(self.sentences)


def text_view(episode: Episode) -> TextView:
    """Describe the current state of an episode as a text view."""
    cells = shown_cells(episode)
    return TextView(draw_map(episode, cells), write_sentences(episode, cells))


def full_text(episode: Episode) -> str:
    """Return the whole text view; implements the observation format ``text``."""
    return str(text_view(episode))


def describe_events(world: World, events: Iterable[Event]) -> str:
    """Describe the events of a step in words."""

    def name(entity_id: str) -> str:
        entity = world.by_id[entity_id]
        return dotted(entity.type.describe(entity.spec), entity.number)

    return "; ".join(event.sentence(name) for event in events)
