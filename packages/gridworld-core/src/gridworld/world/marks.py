"""What a goal marks on the floor: the place to reach, the targets of blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import attrs

from gridworld.task_spec import Position, to_position
from gridworld.world.topology import Topology

if TYPE_CHECKING:
    from gridworld.world.world import Entity

__all__ = ["MOST_DOTS", "Mark", "MarkKind", "Marker", "dots_for", "mark_cells", "number_things"]

MOST_DOTS = 9
"""After so many things they begin with one dot again."""
MarkKind = Literal["goal", "target"]
"""The place to reach, or any other target."""


@attrs.frozen
class Marker:
    """One lattice cell that a goal type has marked."""

    position: Position = attrs.field(converter=to_position)
    kind: MarkKind = "target"
    """``goal`` for the place that the agent has to reach, ``target`` for any other."""
    thing: str | None = None
    """The id of the mechanism that has to come here, if one has: the mark has its colour and its dots."""


class Mark(NamedTuple):
    """What is drawn on a marked cell; it depends on nothing else in the world."""

    kind: MarkKind
    color: str | None = None
    """The colour of what belongs here."""
    number: int = 0
    """How many dots tell what belongs here from others of its colour; 0 for none."""
    visited: bool = False
    """Whether the goal's memory says that it is done with."""


def dots_for(place: int) -> int:
    """The number of dots, 1 to `MOST_DOTS`, of the thing in a place of an order that begins with 1."""
    return (place - 1) % MOST_DOTS + 1


def number_things(markers: Iterable[Marker], color_of: Mapping[str, str | None]) -> dict[str, int]:
    """Id to number of dots, for each thing that has a target: 1, 2, ... among those of one colour.

    Args:
        markers: what the goal marks.
        color_of: id to colour of all mechanisms.
    """
    taken: Counter[str | None] = Counter()
    numbers: dict[str, int] = {}
    for marker in markers:
        if marker.thing is not None and marker.thing not in numbers:
            color = color_of[marker.thing]
            taken[color] += 1
            numbers[marker.thing] = dots_for(taken[color])
    return numbers


def mark_cells(
    markers: Sequence[Marker], topology: Topology, entities: Mapping[str, Entity]
) -> Iterator[tuple[int, Mark]]:
    """The cells of all marked patches, each with its mark; of two on one cell the later one counts."""
    for marker in markers:
        thing = None if marker.thing is None else entities[marker.thing]
        mark = Mark(marker.kind) if thing is None else Mark(marker.kind, thing.color, thing.number)
        for cell in topology.patches[marker.position]:
            yield cell, mark
