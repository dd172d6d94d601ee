"""What turning and moving mean on a tiling, read off its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from gridworld.support.wording import listed, one_line
from gridworld.world.seams import beside_contact
from gridworld.world.topology import NO_CELL, Topology

__all__ = ["BoardFacts", "board_facts", "explain_board"]

FOUR_WAYS = 4
"""With so many directions, they have names."""


@attrs.frozen
class BoardFacts:
    """What is to be told of a tiling, whatever the size of its lattice."""

    directions: int
    turns: tuple[int, ...]
    """The degrees that a turn can have, ascending."""
    shares_edges: bool
    """Whether two directions can lead across one edge."""
    faces_corners: bool
    """Whether an agent that has moved can face no edge."""
    most_cells: int
    """Of one lattice cell."""
    touches_diagonally: bool
    """Whether lattice cells touch that are only diagonal neighbours, so that walls can seal the edge between them."""
    told: str
    """What the tiling itself says."""


BYTES_OF_FACTS = 1024
"""Bytes of all of them, generously."""


def board_facts(topology: Topology) -> BoardFacts:
    """The facts about a tiling of a lattice."""
    found: BoardFacts | None = topology.kept.get(("facts",))
    return topology.kept.put(("facts",), _find_facts(topology), BYTES_OF_FACTS) if found is None else found


def _find_facts(topology: Topology) -> BoardFacts:
    count = topology.heading_count
    facing = {(cell, heading) for cell, edges in enumerate(topology.edges) for heading in edges}
    facing |= {(there, heading) for _, heading, there in _moves(topology)}
    turns = {(topology.right[cell * count + heading] - heading) % count * 360 // count for cell, heading in facing}
    return BoardFacts(
        directions=count,
        turns=tuple(sorted(turns)),
        shares_edges=any(
            len(edges) > len(corners) for edges, corners in zip(topology.edges, topology.polygons, strict=True)
        ),
        faces_corners=any(heading not in topology.edges[cell] for cell, heading in facing),
        most_cells=max(map(len, topology.patches.values())),
        touches_diagonally=any(
            beside_contact(topology.lattice[cell], topology.lattice[there]) is not None
            for cell, _, there in _moves(topology)
        ),
        told=one_line(topology.explanation),
    )


def _moves(topology: Topology) -> Iterator[tuple[int, int, int]]:
    """Cell, heading and the cell to which it leads."""
    for place, there in enumerate(topology.exits):
        if there != NO_CELL:
            yield (*divmod(place, topology.heading_count), there)


def explain_board(facts: BoardFacts) -> list[str]:
    """Sentences, the tiling's own first."""
    told = [facts.told] if facts.told else []
    return [*told, *_cells(facts), *_turning(facts), *_moving(facts)]


def _cells(facts: BoardFacts) -> Iterator[str]:
    if facts.most_cells > 1:
        yield (
            f"{facts.most_cells} cells that lie together make up one place of the maze: walls, doors, gates and "
            "hazards fill all of them, other things lie on one of them."
        )
    if facts.touches_diagonally:
        yield "A thick dark line between two cells is a wall, which nothing passes."


def _turning(facts: BoardFacts) -> Iterator[str]:
    ways = (
        "right, down, left or up"
        if facts.directions == FOUR_WAYS
        else (f"one of {facts.directions} directions, {_degrees([360 / facts.directions])} apart")
    )
    yield f"The agent faces {ways}; at the start it faces right."
    to = " to the next direction in which its cell has an edge:" if len(facts.turns) > 1 else ""
    yield f"turn_right turns it clockwise and turn_left counter-clockwise{to} by {_degrees(facts.turns)}."


def _moving(facts: BoardFacts) -> Iterator[str]:
    yield "move_forward takes it across the edge that it faces into the next cell; its direction stays the same."
    if facts.shares_edges:
        yield "Two neighbouring directions can face the same edge; they lead to the same cell."
    if facts.faces_corners:
        yield "On the next cell it may then face a corner: it cannot move on until it has turned."


def _degrees(degrees: Iterable[float]) -> str:
    return f"{listed([f'{each:g}' for each in degrees], 'or')} degrees"
